//! Tokens on behalf of a user, and that no session's token is used for another's call. Threat 26 of `SECURITY.md`.

use crate::prelude::*;

use futures_util::{StreamExt, stream};

use super::{call, executor, fault, is_answered, session};

fn exchange(provider: &Provider, subject: &str) -> Value {
    json!({"token_exchange": {
        "token_url": provider.url("/token"),
        "client_id": "me",
        "client_secret": "literal:canary-secret",
        "subject_token": subject,
        "audience": "pets",
    }})
}

/// Issues to each subject a token that names it.
fn issue_by(parameter: &'static str) -> impl Fn(&Provider, &Asked) -> Response {
    move |provider, asked| {
        let token = format!("canary-for-{}", asked.form[parameter]);
        provider.known.lock().unwrap().insert(token.clone());
        let answer = json!({
            "access_token": token, "token_type": "N_A", "expires_in": 3600,
            "issued_token_type": "urn:ietf:params:oauth:token-type:access_token",
        });
        Json(answer).into_response()
    }
}

#[tokio::test]
async fn the_token_of_a_user_is_exchanged_by_rfc_8693() {
    let provider = Provider::start().await;
    provider.behave(issue_by("subject_token"));
    for [place, extra] in rows(
        r#"
        $session.params.token => {}
        $context.variables.token => {}
        literal:canary-user => {"subject_token_type": "id_token"}
        literal:canary-user => {"actor_token": "literal:canary-actor", "requested_token_type": "jwt"}
        literal:canary-user => {"actor_token": "literal:canary-actor", "actor_token_type": "id_token", "requested_token_type": "jwt"}
        literal:canary-user => {"actor_token": "$session.params.token", "requested_token_type": "jwt"}
        "#,
    ) {
        let extra: Value = extra.parse().unwrap();
        let mut settings = exchange(&provider, place);
        let members = settings["token_exchange"].as_object_mut().unwrap();
        members.extend(extra.as_object().cloned().unwrap());
        let executor = executor(&provider, &settings);
        is_answered(&call(&executor, &session("s", "canary-user")).await);
        let asked = provider.last().form;
        assert_eq!(asked["grant_type"], "urn:ietf:params:oauth:grant-type:token-exchange");
        assert_eq!((&*asked["subject_token"], &*asked["audience"]), ("canary-user", "pets"));
        let kind = extra["subject_token_type"].as_str().unwrap_or("access_token");
        let kind = format!("urn:ietf:params:oauth:token-type:{kind}");
        assert_eq!(asked["subject_token_type"], kind);
        let has_actor = extra.get("actor_token").is_some();
        assert_eq!(asked.contains_key("actor_token"), has_actor);
        let kind = extra["actor_token_type"].as_str().unwrap_or("access_token");
        let kind = has_actor.then(|| format!("urn:ietf:params:oauth:token-type:{kind}"));
        assert_eq!(asked.get("actor_token_type"), kind.as_ref());
        assert_eq!(asked.contains_key("requested_token_type"), has_actor);
    }
}

#[tokio::test]
async fn the_jwt_of_a_user_is_sent_as_an_assertion() {
    let provider = Provider::start().await;
    provider.behave(issue_by("assertion"));
    let settings = json!({"jwt_bearer": {
        "token_url": provider.url("/token"), "assertion": "$session.params.token",
    }});
    let executor = executor(&provider, &settings);
    is_answered(&call(&executor, &session("s", "canary-jwt")).await);
    let asked = provider.last();
    let expected = BTreeMap::from([
        ("assertion".to_owned(), "canary-jwt".to_owned()),
        ("grant_type".to_owned(), "urn:ietf:params:oauth:grant-type:jwt-bearer".to_owned()),
    ]);
    assert_eq!((asked.form, asked.authorization), (expected, None));
}

#[tokio::test]
async fn a_refused_user_token_requires_the_user_to_sign_in() {
    for (settings, code) in [("token_exchange", "invalid_request"), ("jwt_bearer", "invalid_grant")]
    {
        let provider = Provider::start().await;
        provider.behave(move |_, _| {
            let body = Json(json!({"error": code, "error_description": "an old token"}));
            (StatusCode::BAD_REQUEST, body).into_response()
        });
        let auth = if settings == "token_exchange" {
            exchange(&provider, "$session.params.token")
        } else {
            json!({"jwt_bearer": {
                "token_url": provider.url("/token"), "assertion": "$session.params.token",
            }})
        };
        let executor = executor(&provider, &auth);
        let fault = fault(call(&executor, &session("s", "canary-old")).await);
        assert_eq!((fault.code, fault.next), (FaultCode::SignInRequired, Next::AskUser));
        assert!(fault.message.contains(code), "{fault:?}");
    }
}

#[tokio::test]
async fn a_session_without_a_token_requests_no_exchange() {
    let provider = Provider::start().await;
    for place in ["$session.params.none", "$context.variables.none"] {
        let executor = executor(&provider, &exchange(&provider, place));
        let fault = fault(call(&executor, &session("s", "canary")).await);
        assert_eq!(fault.code, FaultCode::SignInRequired);
    }
    assert_eq!(provider.n_asked(), 0);
}

#[tokio::test]
async fn each_session_and_subject_requests_its_own_token_once() {
    let provider = Provider::start().await;
    provider.behave(issue_by("subject_token"));
    let executor = executor(&provider, &exchange(&provider, "$session.params.token"));
    let sessions: Vec<_> = (0..50)
        .map(|number| session(&format!("s-{}", number / 2), &format!("canary-user-{number}")))
        .chain([session("other", "canary-user-0")])
        .collect();
    let all = sessions.iter().cycle().take(sessions.len() * 20);
    join_all(all.map(|session| call(&executor, session))).await.iter().for_each(is_answered);
    assert_eq!(provider.n_asked(), 51);
    let subjects: BTreeSet<_> = provider.asked.lock().unwrap().iter().map(subject).collect();
    assert_eq!(subjects.len(), 50);
}

fn subject(asked: &Asked) -> String {
    asked.form["subject_token"].clone()
}

/// The service checks that the token of a call is that of the session whose name the call carries.
async fn mismatches(auth: &Value, expected_prefix: &'static str, calls: usize) -> (usize, usize) {
    let provider = Provider::start().await;
    provider.behave(issue_by("subject_token"));
    let (seen, wrong) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (seen_there, wrong_there) = (Arc::clone(&seen), Arc::clone(&wrong));
    let service = move |request: Request| {
        let sent = request.headers()["authorization"].to_str().unwrap().to_owned();
        let name = request.uri().path().rsplit('/').next().unwrap_or_default().to_owned();
        seen_there.fetch_add(1, Ordering::Relaxed);
        if sent != format!("Bearer {expected_prefix}canary-user-{name}") {
            wrong_there.fetch_add(1, Ordering::Relaxed);
        }
        async { Json(json!({"id": 1, "name": "Rex"})) }
    };
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let routes = Router::new().fallback(service);
    tokio::spawn(async move { axum::serve(listener, routes).await });
    let auth = auth.to_string().replace("TOKEN_URL", &provider.url("/token"));
    let auth: Value = serde_json::from_str(&auth).unwrap();
    let at_service = Provider::at(address);
    let executor = Arc::new(executor(&at_service, &auth));
    let sessions = Arc::new([session("a", "canary-user-1"), session("b", "canary-user-2")]);
    let running = (0..calls).map(|number| {
        let (executor, sessions) = (Arc::clone(&executor), Arc::clone(&sessions));
        tokio::spawn(async move {
            let arguments = json!({"petId": 1 + number % 2}).as_object().cloned().unwrap();
            let call = ToolCall::new("1", "getPet", arguments);
            executor.call(&call, &sessions[number % 2]).await
        })
    });
    let mut running = stream::iter(running).buffer_unordered(100);
    while let Some(result) = running.next().await {
        let result = result.unwrap();
        assert!(matches!(result.outcome, Outcome::Answered(_)), "{result:?}");
    }
    (seen.load(Ordering::Relaxed), wrong.load(Ordering::Relaxed))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_thousand_calls_of_two_sessions_carry_each_its_own_token() {
    let bearer = json!({"bearer": {"token": "$session.params.token"}});
    assert_eq!(mismatches(&bearer, "", 10_000).await, (10_000, 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_of_each_session_carry_the_token_exchanged_for_it() {
    let exchange = json!({"token_exchange": {
        "token_url": "TOKEN_URL", "subject_token": "$context.variables.token",
    }});
    assert_eq!(mismatches(&exchange, "canary-for-", 2_000).await, (2_000, 0));
}

#[tokio::test]
async fn a_bearer_token_of_the_context_belongs_to_its_session() {
    let provider = Provider::start().await;
    provider.known.lock().unwrap().insert("canary-user".to_owned());
    let auth = json!({"bearer": {"token": "$context.variables.token"}});
    let executor = executor(&provider, &auth);
    is_answered(&call(&executor, &session("s", "canary-user")).await);
    let fault = fault(call(&executor, &Session::default()).await);
    assert_eq!(fault.code, FaultCode::SignInRequired);
}

/// Who acts for the user is as much a part of whom a token is for as the user.
#[tokio::test]
async fn sessions_with_other_actors_have_other_tokens() {
    let provider = Provider::start().await;
    provider.behave(issue_by("actor_token"));
    let mut settings = exchange(&provider, "literal:canary-user");
    settings["token_exchange"]["actor_token"] = "$session.params.token".into();
    let executor = executor(&provider, &settings);
    for (actor, n_asked) in [("canary-a", 1), ("canary-b", 2), ("canary-a", 2), ("canary-b", 2)] {
        is_answered(&call(&executor, &session("s", actor)).await);
        assert_eq!(provider.n_asked(), n_asked, "{actor}");
    }
    let missing = fault(call(&executor, &Session::default()).await);
    assert_eq!((missing.code, missing.reached), (FaultCode::SignInRequired, Reached::No));
}
