//! Secrets of a remote store, from the configuration to the service: one that is slow, one that rotates.

use crate::prelude::*;

use axum::http::Uri;

const DESCRIPTION: &str = r"
paths:
  /echo: { post: { operationId: echo, responses: { 200: { description: ok } } } }
";

/// A vault whose secret `secret/slow` takes four seconds and whose secret `secret/rotating` is another at each read.
async fn vault() -> String {
    let reads = Arc::new(AtomicUsize::new(0));
    let answer = move |uri: Uri| {
        let reads = Arc::clone(&reads);
        async move {
            let value = match uri.path() {
                "/v1/secret/data/slow" => {
                    tokio::time::sleep(Duration::from_secs(4)).await;
                    "slow".to_owned()
                }
                "/v1/secret/data/rotating" => {
                    format!("canary-{}", reads.fetch_add(1, Ordering::SeqCst) + 1)
                }
                path if path.starts_with("/v1/sys/internal/ui/mounts/") => {
                    let options = json!({"version": "2"});
                    let mount = json!({"path": "secret/", "type": "kv", "options": options});
                    return json!({"data": mount}).to_string().into_response();
                }
                _ => return StatusCode::NOT_FOUND.into_response(),
            };
            json!({"data": {"data": {"key": value}}}).to_string().into_response()
        }
    };
    serve(Router::new().fallback(answer)).await
}

/// One toolset for each of these tokens, all of them of one service.
fn executor(vault: &str, service: &str, toolsets: &[(&str, &str)]) -> Executor {
    let mut text = format!(
        "secrets:\n  cache: {{timeout: 1s}}\n  vault: {{address: \"{vault}\", token: \"literal:t\"}}\ntoolsets:\n"
    );
    for (name, token) in toolsets {
        text.push_str(&format!(
            "  {name}: {{openapi: spec.yaml, server: \"{service}\", auth: {{bearer: {{token: \"{token}\"}}}}}}\n"
        ));
    }
    let built = configured_with(DESCRIPTION, &text);
    built.unwrap().executor
}

async fn call(executor: &Executor, tool: &str) -> Outcome {
    let call = ToolCall::new("1", tool, Object::default());
    executor.call(&call, &Session::default()).await.outcome
}

/// Threat 40 of `SECURITY.md`.
#[tokio::test(start_paused = true)]
async fn a_slow_store_delays_only_the_calls_that_need_it() {
    let server = Server::start().await;
    let toolsets = [("fast", "literal:t"), ("slow", "vault:secret/slow#key")];
    let executor = executor(&vault().await, &server.url(""), &toolsets);
    let begun = Instant::now();
    let session = Session::default();
    let named = ToolCall::new("1", "slow-echo", Object::default());
    let slow = async { (executor.call(&named, &session).await, begun.elapsed()) };
    let fast = async { (call(&executor, "fast-echo").await, begun.elapsed()) };
    let ((slow, slow_took), (fast, fast_took)) = tokio::join!(slow, fast);
    assert!(matches!(fast, Outcome::Answered(_)), "{fast:?}");
    assert!(fast_took < Duration::from_secs(1), "{fast_took:?}");
    let told: String = slow.journal.events().iter().map(ToString::to_string).collect();
    assert!(told.contains("`vault:secret/slow#key`"), "{told}");
    let Outcome::Failed(fault) = slow.outcome else { panic!("{slow:?}") };
    assert_eq!((fault.code, fault.next), (FaultCode::AuthFailed, Next::TryLater));
    assert!(
        fault.message.contains("the operator's secret is missing or cannot be read"),
        "{fault:?}"
    );
    assert!(!fault.message.contains("vault"), "{fault:?}");
    assert_eq!(slow_took.as_secs(), 1, "{slow_took:?}");
}

/// `limits.timeout` is that of the whole call: what stands before the request counts too.
#[tokio::test(start_paused = true)]
async fn the_time_limit_covers_checks_the_credential_and_the_answer() {
    let silent = Raw::silent().await;
    let vault = vault().await;
    let executor = |limit: &str| {
        let text = format!(
            "---\n{{secrets: {{cache: {{timeout: 1m}}, vault: {{address: '{}', token: 'literal:t'}}}}, toolsets: {{slow: {{\
             openapi: spec.yaml, server: '{}', auth: {{bearer: {{token: 'vault:secret/slow#key'}}}}, \
             limits: {{timeout: {limit}}}}}}}}}",
            vault, silent.origin
        );
        configured_with(DESCRIPTION, &text).unwrap().executor
    };
    let asked = ToolCall::new("1", "slow-echo", Object::default());
    let session = Session::default();
    // The store takes four seconds, and the service never answers.
    for (limit, waited, ended, reached) in [
        ("2s", 0, 2, Reached::No),
        ("6s", 0, 6, Reached::Maybe),
        ("6s", 3, 3, Reached::No),
        ("2s", 3, 0, Reached::No),
    ] {
        let call = Call::new(&asked, &session);
        // As if to check the arguments had taken so long.
        tokio::time::advance(Duration::from_secs(waited)).await;
        let begun = Instant::now();
        let fault = fault(executor(limit).call_with(call).await.outcome);
        assert_eq!(
            (fault.code, fault.reached),
            (FaultCode::TimedOut, reached),
            "{limit} {fault:?}"
        );
        assert_eq!(begun.elapsed().as_secs(), ended, "{limit} {waited}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_rotated_secret_is_read_anew_when_the_service_refuses_the_old_one() {
    let answer = |headers: HeaderMap| async move {
        let token = headers.get("authorization").and_then(|value| value.to_str().ok());
        match token {
            Some("Bearer canary-2") => StatusCode::OK.into_response(),
            _ => (StatusCode::UNAUTHORIZED, [("www-authenticate", "Bearer")]).into_response(),
        }
    };
    let service = serve(Router::new().fallback(answer)).await;
    let toolsets = [("pets", "vault:secret/rotating#key")];
    let executor = executor(&vault().await, &service, &toolsets);
    for _ in 0..2 {
        let outcome = call(&executor, "pets-echo").await;
        let Outcome::Answered(answer) = &outcome else { panic!("{outcome:?}") };
        assert_eq!(answer.status, Some(200));
    }
}
