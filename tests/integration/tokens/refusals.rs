//! What becomes of tokens that end or are refused while many calls are under way.

use crate::prelude::*;

use super::{call, calls, client, executor, fault, is_answered};

#[tokio::test]
async fn a_thousand_calls_with_a_refused_token_request_one_new_token_and_succeed() {
    let provider = Provider::start().await;
    let executor = executor(&provider, &client(&provider));
    is_answered(&call(&executor, &Session::default()).await);
    provider.revoke();
    let results = calls(&executor, 1000).await;
    results.iter().for_each(is_answered);
    assert_eq!(provider.n_asked(), 2);
    let refusals = provider.refusals.load(Ordering::Relaxed);
    let renewed = results.iter().flat_map(|result| result.journal.events());
    let renewed = renewed.filter(|event| **event == Event::CredentialRenewed).count();
    assert_eq!(renewed, refusals, "each call is sent at most once more");
    assert!((1..=1000).contains(&refusals), "{refusals}");
}

/// Threat 38 of `SECURITY.md`: counted at the servers.
#[tokio::test]
async fn a_service_that_refuses_every_token_causes_one_token_renewal() {
    let provider = Provider::start().await;
    provider.behave(|_, _| Json(json!({"access_token": "canary-unknown"})).into_response());
    let executor = executor(&provider, &client(&provider));
    for round in [1, 200, 200] {
        for result in calls(&executor, round).await {
            let fault = fault(result);
            assert_eq!((fault.code, fault.status), (FaultCode::AuthFailed, Some(401)));
        }
    }
    assert_eq!(provider.n_asked(), 2, "the first, and the one that replaces it");
    assert!(provider.calls.load(Ordering::Relaxed) <= 2 * 401, "{provider:?}");
}

#[tokio::test(start_paused = true)]
async fn no_call_is_lost_while_the_token_endpoint_restarts() {
    let provider = Provider::start().await;
    let executor = executor(&provider, &client(&provider));
    let other = Provider::start().await;
    // The service stays, its tokens end, and the endpoint goes away: another address than the service's.
    let settings = json!({"oauth2_client_credentials": {
        "token_url": other.url("/token"), "client_id": "me", "client_secret": "literal:canary-secret",
    }});
    drop(executor);
    let executor = super::executor(&provider, &settings);
    let issuing = Arc::clone(&provider);
    other.behave(move |other, _| {
        let answer = other.issue(json!(3600));
        issuing.known.lock().unwrap().extend(other.known.lock().unwrap().iter().cloned());
        answer
    });
    is_answered(&call(&executor, &Session::default()).await);
    other.stop().await;
    provider.revoke();
    let restart = async {
        tokio::time::sleep(Duration::from_millis(700)).await;
        other.restart().await;
    };
    let (results, ()) = tokio::join!(calls(&executor, 300), restart);
    results.iter().for_each(is_answered);
    assert_eq!(other.n_asked(), 2);
}

/// Threat 36 of `SECURITY.md`.
#[tokio::test(start_paused = true)]
async fn short_lived_tokens_under_load_fail_no_call() {
    let provider = Provider::start().await;
    provider.behave(|provider, _| provider.issue(json!(2)));
    let executor = executor(&provider, &client(&provider));
    let mut n_calls = 0;
    for _ in 0..30 {
        let results = calls(&executor, 20).await;
        results.iter().for_each(is_answered);
        n_calls += results.len();
        tokio::time::advance(Duration::from_millis(100)).await;
    }
    assert_eq!(provider.refusals.load(Ordering::Relaxed), 0);
    assert!((3..=5).contains(&provider.n_asked()), "{} of {n_calls}", provider.n_asked());
}

/// Threat 38 of `SECURITY.md`: a secret the operator rotates is taken from the next token on, and a wrong one is not held against
/// the right one.
#[tokio::test]
async fn a_rotated_secret_is_read_again() {
    let provider = Provider::start().await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("secret");
    let refused = || {
        let body = json!({"error": "invalid_client", "error_description": "a wrong secret"});
        (StatusCode::UNAUTHORIZED, Json(body)).into_response()
    };
    provider.behave(move |provider, asked| match asked.form["client_secret"].as_str() {
        "canary-second" => provider.issue(json!(3600)),
        _ => refused(),
    });
    let executor = executor(
        &provider,
        &json!({"oauth2_client_credentials": {
            "token_url": provider.url("/token"),
            "client_id": "me",
            "client_secret": format!("file:{}", file.display()),
            "client_authentication": "body",
        }}),
    );
    fs::write(&file, "canary-first").unwrap();
    for _ in 0..5 {
        let fault = fault(call(&executor, &Session::default()).await);
        assert_eq!((fault.code, fault.reached), (FaultCode::AuthFailed, Reached::No));
        let expected =
            "the token endpoint refuses the credential `oauth2_client_credentials`: invalid_client";
        assert!(fault.message.contains(expected), "{}", fault.message);
        assert_eq!(fault.next, Next::GiveUp);
    }
    assert_eq!(provider.n_asked(), 1, "a refusal is remembered");
    fs::write(&file, "canary-second").unwrap();
    is_answered(&call(&executor, &Session::default()).await);
    assert_eq!(provider.n_asked(), 2);
}
