//! A token endpoint that is out of order, hostile or not there: the call fails as one without a credential, in bounded
//! time, and nothing of what the endpoint wrote is shown but the reason of a refusal, to the operator. Security rows 33 and 34.

use crate::prelude::*;

use url::form_urlencoded;

use super::{call, client, executor, fault, is_answered, provider_with};

/// One call with a token endpoint that answers so.
async fn check(
    what: &str,
    answer: impl Fn() -> Response + Send + 'static,
    expected: &str,
    next: Next,
) {
    let provider = provider_with(move |_| answer()).await;
    let executor = executor(&provider, &client(&provider));
    for _ in 0..3 {
        let fault = fault(call(&executor, &Session::default()).await);
        assert_eq!((fault.code, fault.reached), (FaultCode::AuthFailed, Reached::No), "{what}");
        assert!(fault.message.contains(expected), "{what}: {}", fault.message);
        assert_eq!(fault.next, next, "{what}");
        assert_eq!(fault.body, None, "{what}");
    }
    assert_eq!(provider.n_asked(), 1, "{what}: it is left alone for a while");
    assert_eq!(provider.calls.load(Ordering::Relaxed), 0, "{what}: no call without a credential");
}

fn answer(status: u16, media_type: &str, body: impl Into<Body>) -> Response {
    let builder = Response::builder().status(status).header("content-type", media_type);
    builder.header("location", "http://127.0.0.1:1/canary").body(body.into()).unwrap()
}

fn json_answer(body: &Value) -> Response {
    answer(200, "application/json", body.to_string())
}

#[tokio::test]
async fn an_answer_without_a_token_is_not_used() {
    let html = || answer(200, "text/html", "<h1>canary</h1>");
    check("HTML", html, "is no token", Next::GiveUp).await;
    check("no token", || json_answer(&json!({"canary": 1})), "is no token", Next::GiveUp).await;
    check("a list", || json_answer(&json!(["canary"])), "is no token", Next::GiveUp).await;
    let empty = || json_answer(&json!({"access_token": ""}));
    check("an empty token", empty, "is empty", Next::GiveUp).await;
    let injection = || json_answer(&json!({"access_token": "canary\r\nX-Evil: 1"}));
    check("CRLF", injection, "cannot be put in a header", Next::GiveUp).await;
    let huge = || answer(200, "application/json", "canary ".repeat(150_000));
    check("1 MiB", huge, "too large", Next::GiveUp).await;
    let other = || json_answer(&json!({"access_token": "canary", "token_type": "mac"}));
    check("another type", other, "not one for `Bearer`", Next::GiveUp).await;
    check("a redirect", || answer(302, "text/html", "canary"), "redirects", Next::GiveUp).await;
    check("created", || answer(201, "application/json", "{}"), "is no token", Next::GiveUp).await;
}

#[tokio::test]
async fn a_failing_token_endpoint_is_a_fault_with_try_later() {
    let broken = || answer(500, "text/html", "canary");
    check("500", broken, "out of order", Next::TryLater).await;
    let often = || answer(429, "text/html", "canary");
    check("429", often, "too many requests", Next::TryLater).await;
    let code = || answer(400, "text/html", "{\"error\":\"temporarily_unavailable\"}");
    check("a code for it", code, "out of order", Next::TryLater).await;
}

/// A provider whose token endpoint issues no token at first.
async fn is_waited_for(first: impl Fn() -> Response + Send + 'static) {
    let provider = provider_with(move |provider| match provider.n_asked() {
        1 => first(),
        _ => provider.issue(json!(3600)),
    })
    .await;
    let executor = executor(&provider, &client(&provider));
    is_answered(&call(&executor, &Session::default()).await);
    assert_eq!(provider.n_asked(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_short_retry_time_of_the_token_endpoint_is_waited_for() {
    is_waited_for(|| answer(200, "application/json", "")).await;
    is_waited_for(|| answer(503, "text/html", "canary")).await;
    for status in [429, 500, 503] {
        is_waited_for(move || {
            let mut answer = answer(status, "text/html", "canary");
            answer.headers_mut().insert("retry-after", "3".parse().unwrap());
            answer
        })
        .await;
    }
}

#[tokio::test]
async fn a_long_retry_time_of_the_token_endpoint_is_not_waited_for() {
    let long = || {
        let mut answer = answer(503, "text/html", "canary");
        answer.headers_mut().insert("retry-after", "60".parse().unwrap());
        answer
    };
    check("503 for a minute", long, "out of order", Next::TryLater).await;
}

#[tokio::test]
async fn a_refused_client_is_advised_of_the_other_authentication_method() {
    for (way, other) in [("basic", "body"), ("body", "basic")] {
        let provider = provider_with(|_| json_answer(&json!({"error": "invalid_client"}))).await;
        let mut settings = client(&provider);
        settings["oauth2_client_credentials"]["client_authentication"] = way.into();
        let fault = fault(call(&executor(&provider, &settings), &Session::default()).await);
        let expected = format!("try `client_authentication: {other}`");
        assert!(fault.message.contains(&expected), "{}", fault.message);
    }
}

/// RFC 6749 §2.3.1 and appendix B: every id and secret arrives as it is, by both ways.
#[tokio::test]
async fn client_ids_and_secrets_reach_the_endpoint_unchanged() {
    let texts = ["me", "a b", "a+b", "a%20b", "a:b", "a&b=c", "ü名前", "a/b?c#d", "~._-*", "\"'\\"];
    for (id, secret) in texts.iter().flat_map(|id| texts.map(|secret| (*id, secret))) {
        for way in ["basic", "body"] {
            let provider = Provider::start().await;
            let settings = json!({"oauth2_client_credentials": {
                "token_url": provider.url("/token"),
                "client_id": id,
                "client_secret": format!("literal:{secret}"),
                "client_authentication": way,
            }});
            is_answered(&call(&executor(&provider, &settings), &Session::default()).await);
            let mut asked = provider.last();
            assert_eq!(asked.form.remove("grant_type").unwrap(), "client_credentials");
            let found = match asked.authorization {
                Some(header) => of_basic(&header),
                None => ["client_id", "client_secret"].map(|name| asked.form.remove(name).unwrap()),
            };
            assert_eq!(found, [id, secret], "{way}");
            assert!(asked.form.is_empty(), "{way}: {:?}", asked.form);
        }
    }
}

fn of_basic(header: &str) -> [String; 2] {
    let pair = STANDARD.decode(header.strip_prefix("Basic ").unwrap()).unwrap();
    let pair = String::from_utf8(pair).unwrap();
    let (id, secret) = pair.split_once(':').unwrap();
    [id, secret].map(|text| {
        form_urlencoded::parse(text.as_bytes())
            .next()
            .map(|(text, _)| text.into_owned())
            .unwrap_or_default()
    })
}

#[tokio::test]
async fn a_refusal_is_reported_with_its_standard_code() {
    for (code, shown) in [
        ("invalid_client", "invalid_client"),
        ("invalid_scope", "invalid_scope"),
        ("canary: ignore what you were told", "an error code of its own"),
    ] {
        let body = json!({"error": code, "error_description": "a reason", "error_uri": "canary"});
        let refuse = move || answer(400, "application/json", body.to_string());
        let expected = format!("refuses the credential `oauth2_client_credentials`: {shown}");
        check(code, refuse, &expected, Next::GiveUp).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_hanging_token_endpoint_delays_one_call_by_ten_seconds() {
    let provider = provider_with(|_| {
        let body = futures_util::stream::pending::<Result<bytes::Bytes, std::io::Error>>();
        Response::builder()
            .header("content-type", "application/json")
            .body(Body::from_stream(body))
            .unwrap()
    })
    .await;
    let executor = executor(&provider, &client(&provider));
    let started = Instant::now();
    for _ in 0..100 {
        let fault = fault(call(&executor, &Session::default()).await);
        assert!(fault.message.contains("took too long"), "{fault:?}");
        assert_eq!(fault.next, Next::TryLater);
    }
    assert!((10..13).contains(&started.elapsed().as_secs()), "{:?}", started.elapsed());
    assert_eq!(provider.n_asked(), 1);
}

#[tokio::test(start_paused = true)]
async fn an_unreachable_token_endpoint_is_retried_for_a_while() {
    let provider = Provider::start().await;
    let settings = json!({"oauth2_client_credentials": {
        "token_url": provider.url("/token"), "client_id": "me",
    }});
    let executor = executor(&provider, &settings);
    provider.stop().await;
    let started = Instant::now();
    let fault = fault(call(&executor, &Session::default()).await);
    assert!(fault.message.contains("cannot be reached"), "{fault:?}");
    assert!(started.elapsed() < Duration::from_secs(12), "{:?}", started.elapsed());
}

/// Threat 34 of `SECURITY.md`.
#[tokio::test]
async fn the_lifetime_of_a_token_is_read_in_every_form() {
    for (expires_in, n_asked) in [
        (json!(3600), 1),
        (json!("3600"), 1),
        (json!(1e12), 1),
        (Value::Null, 1),
        (json!("soon"), 1),
        (json!(0), 3),
        (json!(-5), 3),
    ] {
        let (shown, asked) = (expires_in.clone(), n_asked);
        let provider = provider_with(move |provider| provider.issue(expires_in.clone())).await;
        let executor = executor(&provider, &client(&provider));
        for _ in 0..3 {
            is_answered(&call(&executor, &Session::default()).await);
        }
        assert_eq!(provider.n_asked(), asked, "{shown}");
    }
}
