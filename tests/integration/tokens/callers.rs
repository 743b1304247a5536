//! The token by which a caller showed who they are, exchanged for one for the service (RFC 8693): it is sent to the token
//! endpoint that the operator names and nowhere else. Threat 44 of `SECURITY.md`.

use crate::prelude::*;

use callgate::context::CallerToken;

use super::{built, call, executor, fault, is_answered};

fn exchange(provider: &Provider, more: &Value) -> Value {
    let mut members = json!({
        "token_url": provider.url("/token"), "client_id": "me", "client_secret": "literal:canary-secret",
        "subject_token": "$caller.token", "audience": "pets", "resource": "https://pets.example", "scopes": ["read"],
    });
    members.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap());
    json!({"token_exchange": members})
}

/// Issues to each subject a token that names it.
fn issue(provider: &Provider) {
    provider.behave(|provider, asked| {
        let token = format!("canary-for-{}", asked.form["subject_token"]);
        provider.known.lock().unwrap().insert(token.clone());
        let answer = json!({"access_token": token, "token_type": "Bearer", "expires_in": 3600});
        Json(answer).into_response()
    });
}

fn caller(principal: &str, token: &str, left: Duration) -> Session {
    let expires = SystemTime::now() + left;
    let token =
        CallerToken::new(&Principal::new(principal), Secret::new(token.to_owned()), expires);
    Session::default().with_caller_token(token)
}

const HOUR: Duration = Duration::from_hours(1);

#[tokio::test]
async fn the_token_of_a_caller_is_exchanged_by_rfc_8693() {
    let provider = Provider::start().await;
    issue(&provider);
    let more = json!({"subject_token_type": "jwt", "requested_token_type": "access_token"});
    let executor = executor(&provider, &exchange(&provider, &more));
    is_answered(&call(&executor, &caller("kim", "canary-jwt", HOUR)).await);
    let asked = provider.last();
    for (name, value) in [
        ("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"),
        ("subject_token", "canary-jwt"),
        ("subject_token_type", "urn:ietf:params:oauth:token-type:jwt"),
        ("requested_token_type", "urn:ietf:params:oauth:token-type:access_token"),
        ("audience", "pets"),
        ("resource", "https://pets.example"),
        ("scope", "read"),
    ] {
        assert_eq!(asked.form[name], value, "{name}");
    }
    assert!(asked.authorization.is_some_and(|shown| shown.starts_with("Basic ")));
}

#[tokio::test]
async fn each_caller_and_token_requests_its_own_exchanged_token_once() {
    let provider = Provider::start().await;
    issue(&provider);
    let executor = executor(&provider, &exchange(&provider, &json!({})));
    // One token that two principals show is none that they share.
    let mut callers = vec![caller("kim", "canary-a", HOUR), caller("lee", "canary-a", HOUR)];
    callers.extend([caller("kim", "canary-b", HOUR), caller("lee", "canary-c", HOUR)]);
    // A caller's sessions are all the caller's.
    callers.extend(["s-1", "s-2"].map(|id| {
        let token = caller("kim", "canary-a", HOUR).caller_token().cloned().unwrap();
        Session::new(id).with_caller_token(token)
    }));
    let all = callers.iter().cycle().take(callers.len() * 20);
    join_all(all.map(|session| call(&executor, session))).await.iter().for_each(is_answered);
    assert_eq!(provider.n_asked(), 4);
}

#[tokio::test]
async fn an_exchanged_token_is_not_used_after_the_callers_token_expires() {
    let provider = Provider::start().await;
    issue(&provider);
    let executor = executor(&provider, &exchange(&provider, &json!({})));
    let over = caller("kim", "canary-over", Duration::ZERO);
    for n_asked in 1..=3 {
        is_answered(&call(&executor, &over).await);
        assert_eq!(provider.n_asked(), n_asked);
    }
    let lasting = caller("kim", "canary-lasting", HOUR);
    for _ in 0..3 {
        is_answered(&call(&executor, &lasting).await);
    }
    assert_eq!(provider.n_asked(), 4);
}

#[tokio::test]
async fn a_call_without_a_token_of_its_caller_is_refused_and_sends_nothing() {
    let provider = Provider::start().await;
    let executor = executor(&provider, &exchange(&provider, &json!({})));
    let fault = fault(call(&executor, &super::session("s", "canary")).await);
    assert_eq!((fault.code, fault.reached), (FaultCode::SignInRequired, Reached::No));
    assert!(fault.message.contains("the caller must show a token (JWT)"), "{fault:?}");
    assert_eq!((provider.n_asked(), provider.calls.load(Ordering::SeqCst)), (0, 0));
}

#[tokio::test]
async fn a_refused_exchange_is_reported_with_its_code_and_without_the_token() {
    for (code, expected, next) in [
        ("invalid_request", FaultCode::SignInRequired, Next::AskUser),
        ("invalid_target", FaultCode::AuthFailed, Next::GiveUp),
        ("canary", FaultCode::AuthFailed, Next::GiveUp),
    ] {
        let provider = Provider::start().await;
        provider.behave(move |_, asked| {
            let echo = format!("got {asked:?}");
            let body = Json(json!({"error": code, "error_description": echo}));
            (StatusCode::BAD_REQUEST, body).into_response()
        });
        let executor = executor(&provider, &exchange(&provider, &json!({})));
        let fault = fault(call(&executor, &caller("kim", "canary-jwt", HOUR)).await);
        assert_eq!((fault.code, fault.next), (expected, next), "{fault:?}");
        assert!(code == "canary" || fault.message.contains(code), "{fault:?}");
        assert!(!fault.message.contains("got Asked"), "{fault:?}");
    }
}

#[tokio::test]
async fn a_refused_exchanged_token_requires_the_user_to_sign_in() {
    let provider = Provider::start().await;
    provider.behave(|_, _| {
        Json(json!({"access_token": "unknown", "token_type": "Bearer"})).into_response()
    });
    let executor = executor(&provider, &exchange(&provider, &json!({})));
    let fault = fault(call(&executor, &caller("kim", "canary-jwt", HOUR)).await);
    assert_eq!((fault.code, fault.reached), (FaultCode::SignInRequired, Reached::Yes));
    assert!(fault.message.contains("the caller to show the new token"), "{fault:?}");
}

#[tokio::test]
async fn a_dry_run_shows_and_sends_no_token() {
    let provider = Provider::start().await;
    let executor = executor(&provider, &exchange(&provider, &json!({})));
    let arguments = json!({"petId": 7}).as_object().cloned().unwrap();
    let asked = ToolCall::new("1", "getPet", arguments);
    let planned = executor.dry_run(&asked, &caller("kim", "canary-jwt", HOUR)).await;
    assert!(matches!(planned.outcome, Outcome::Planned(_)), "{planned:?}");
    assert!(!format!("{planned:?}").contains("canary"), "{planned:?}");
    assert_eq!(provider.n_asked(), 0);
}

#[test]
fn no_header_with_the_token_of_a_caller_becomes_a_session_parameter() {
    for header in ["Authorization", "authorization"] {
        let configuration = json!({"toolsets": {}, "sessions": {"headers": {"token": header}}});
        let error = configured(&configuration.to_string()).unwrap_err().to_string();
        assert!(error.contains("subject_token: $caller.token"), "{error}");
    }
}

#[tokio::test]
async fn the_token_of_a_caller_is_accepted_only_as_subject_token() {
    let provider = Provider::start().await;
    let endpoint = provider.url("/token");
    for settings in [
        json!({"bearer": {"token": "$caller.token"}}),
        json!({"jwt_bearer": {"token_url": endpoint.clone(), "assertion": "$caller.token"}}),
        exchange(&provider, &json!({"subject_token": "env:A", "actor_token": "$caller.token"})),
        exchange(&provider, &json!({"subject_token": "$caller.claims"})),
    ] {
        let error = built(&provider, &settings).unwrap_err().to_string();
        assert!(error.contains("secret-reference"), "{settings}: {error}");
    }
    let mut described = exchange(&provider, &json!({}));
    described["token_exchange"].as_object_mut().unwrap().remove("token_url");
    let error = built(&provider, &described).unwrap_err().to_string();
    assert!(error.contains("expected `token_url` or `issuer`"), "{error}");
}
