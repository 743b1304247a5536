//! The executor against a real HTTP server over TCP: what arrives there, and what becomes of what it answers.

use crate::prelude::*;

use callgate::context::TraceContext;

const DESCRIPTION: &str = concat!("\n", include_str!("execute.yaml"));

fn executor(server: &str, settings: &str) -> Executor {
    target::executor(DESCRIPTION, server, settings)
}

async fn status(executor: &Executor, tool: &str, code: u16) -> Outcome {
    call(executor, tool, json!({ "code": code })).await.outcome
}

#[tokio::test]
async fn arguments_arrive_at_the_service_unchanged() {
    let server = Server::start().await;
    let executor = executor(&server.url("/base"), "");
    let arguments = r#"{"n": 9007199254740993.10, "tag": ["a b", "c&d=e"], "X_Trace": "t"}"#;
    let arguments = serde_json::from_str(arguments).unwrap();
    let result = call(&executor, "echo", arguments).await;
    let seen = target::json(result.outcome);
    assert_eq!(seen["target"], "/base/echo?tag=a%20b&tag=c%26d%3De");
    assert_eq!(seen["headers"]["x-trace"], "t");
    assert_eq!(seen["headers"]["content-type"], "application/json");
    assert_eq!(seen["body"], r#"{"n":9007199254740993.10}"#);
}

#[tokio::test]
async fn a_status_decides_how_a_call_ends() {
    let server = Server::start().await;
    let executor = executor(&server.url(""), "");
    for (code, content) in [(200, "json"), (201, "json"), (202, "json"), (204, "empty")] {
        let outcome = status(&executor, "status", code).await;
        let Outcome::Answered(answer) = outcome else { panic!("{code}: {outcome:?}") };
        assert_eq!(answer.status, Some(code));
        assert_eq!(matches!(answer.content, Content::Empty), content == "empty", "{code}");
    }
    let rows = [
        (302, Next::GiveUp),
        (400, Next::CorrectArguments),
        (404, Next::CorrectArguments),
        (429, Next::TryLater),
        (503, Next::TryLater),
    ];
    for (code, next) in rows {
        let outcome = status(&executor, "status", code).await;
        let Outcome::Failed(fault) = outcome else { panic!("{code}: {outcome:?}") };
        assert_eq!((fault.code, fault.status), (FaultCode::ServiceError, Some(code)));
        assert_eq!((fault.next, fault.reached), (next, Reached::Yes), "{code}");
    }
    assert_eq!(server.count("/redirected"), 0, "a redirect was followed");
}

#[tokio::test]
async fn the_error_body_of_the_service_is_in_the_fault() {
    let server = Server::start().await;
    let executor = executor(&server.url(""), "");
    let fault = fault(status(&executor, "status", 404).await);
    assert_eq!(fault.body, Some(json!({"code": 404})));
    let fault = target::fault(status(&executor, "status", 429).await);
    assert_eq!(fault.retry_after, Some(Duration::from_secs(7)));
}

#[tokio::test]
async fn a_request_over_the_bound_is_not_sent() {
    let server = Server::start().await;
    let executor = executor(&server.url(""), "limits: { request_bytes: 8 }");
    let fault = fault(call(&executor, "echo", json!({"n": 100})).await.outcome);
    assert_eq!((fault.code, fault.reached), (FaultCode::InvalidArguments, Reached::No));
    assert!(fault.message.contains("has 9 bytes, and 8 is the bound"), "{}", fault.message);
    assert_eq!(server.count("/echo"), 0);
    let outcome = call(&executor, "echo", json!({"n": 10})).await.outcome;
    assert!(matches!(outcome, Outcome::Answered(_)), "{outcome:?}");
}

#[tokio::test]
async fn parallel_calls_are_answered_in_order() {
    let server = Server::start().await;
    let executor = executor(&server.url(""), "");
    let codes = [200, 404, 204, 500, 201, 200, 400, 200];
    let one = |code: &u16| {
        let arguments = Arguments::from_iter([("code".to_owned(), (*code).into())]);
        ToolCall::new(code.to_string(), "status", arguments)
    };
    let calls: Vec<_> = codes.iter().map(one).collect();
    let results = executor.call_all(&calls, &Session::default()).await;
    let ids: Vec<_> = results.iter().map(|result| result.id.clone()).collect();
    assert_eq!(ids, codes.map(|code| code.to_string()));
}

#[tokio::test]
async fn each_kind_of_credential_arrives_once_and_in_no_fault() {
    let server = Server::start().await;
    // The service echoes what arrived; only what is the credential, exactly, is masked in the answer.
    let rows = [
        ("api_key: { in: header, name: X-Key, value: literal:s3cret }", "x-key", "****"),
        ("basic: { username: kim, password: literal:s3cret }", "authorization", "Basic ****"),
        ("bearer: { token: literal:s3cret }", "authorization", "Bearer ****"),
    ];
    for (auth, header, value) in rows {
        let executor = executor(&server.url(""), &format!("auth: {{ {auth} }}"));
        let seen = target::json(call(&executor, "echo", json!({"n": 1})).await.outcome);
        assert_eq!(seen["headers"][header], value);
    }
    let in_query = "auth: { api_key: { in: query, name: key, value: literal:s3cret } }";
    let executor = executor(&server.url(""), in_query);
    let result = call(&executor, "echo", json!({"n": 1, "tag": ["x"]})).await;
    let seen = target::json(result.outcome);
    assert_eq!(seen["target"], "/echo?tag=x&key=****");
}

#[tokio::test]
async fn without_its_credential_a_call_sends_nothing() {
    let server = Server::start().await;
    let executor = executor(&server.url(""), "auth: { bearer: { token: $session.params.token } }");
    let result = call(&executor, "echo", json!({"n": 1})).await;
    let Outcome::Failed(fault) = result.outcome else { panic!("no fault") };
    assert_eq!((fault.code, fault.reached), (FaultCode::SignInRequired, Reached::No));
    assert!(fault.message.contains("token"), "{fault:?}");
    let wanted = Event::SignInRequired { parameter: "token".to_owned() };
    assert!(result.journal.events().contains(&wanted), "{:?}", result.journal);
    assert_eq!(server.count("/echo"), 0);
}

#[tokio::test]
async fn a_secret_that_does_not_exist_fails_the_call_and_nothing_is_sent() {
    let server = Server::start().await;
    let executor = executor(&server.url(""), "auth: { bearer: { token: 'file:no-such-token' } }");
    let fault = fault(call(&executor, "echo", json!({"n": 1})).await.outcome);
    assert_eq!((fault.code, fault.reached), (FaultCode::AuthFailed, Reached::No));
    assert_eq!(server.total(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_dropped_call_closes_its_connection() {
    let server = Server::start().await;
    let executor = Arc::new(executor(&server.url(""), ""));
    let running =
        tokio::time::timeout(Duration::from_millis(200), status(&executor, "status", 299));
    assert!(running.await.is_err());
    server.is_abandoned("/status/299").await;
}

#[tokio::test]
async fn a_call_sends_its_trace_context() {
    let server = Server::start().await;
    let executor = executor(&server.url(""), "");
    let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    let trace = TraceContext::parse(parent).unwrap().with_state("congo=t61");
    let asked = asked("echo", json!({"n": 1}));
    let session = Session::default();
    let traced = || Call::new(&asked, &session).with_trace(trace.clone());
    let Outcome::Planned(preview) = executor.dry_run_with(traced()).await.outcome else {
        panic!("no plan")
    };
    let planned = preview.request().unwrap();
    assert!(planned.headers.iter().any(|(name, value)| name == "traceparent" && value == parent));
    executor.call_with(traced()).await;
    let headers = &server.last()["headers"];
    assert_eq!(
        (&headers["traceparent"], &headers["tracestate"]),
        (&parent.into(), &"congo=t61".into())
    );
    executor.call(&asked, &session).await;
    assert_eq!(server.last()["headers"].get("traceparent"), None);
}

#[tokio::test]
async fn baggage_is_sent_only_to_toolsets_configured_for_it() {
    let server = Server::start().await;
    let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    let trace = TraceContext::parse(parent).unwrap().with_baggage("user=kim");
    let (asked, session) = (asked("echo", json!({"n": 1})), Session::default());
    for (settings, expected) in
        [("", None), ("baggage: false", None), ("baggage: true", Some(&"user=kim".into()))]
    {
        let executor = executor(&server.url(""), settings);
        executor.call_with(Call::new(&asked, &session).with_trace(trace.clone())).await;
        let headers = &server.last()["headers"];
        assert_eq!(headers["traceparent"], parent);
        assert_eq!(headers.get("baggage"), expected, "{settings}");
    }
}

/// A text that is written back is what was read: its line ends are kept, and a return alone is told.
#[tokio::test]
async fn line_ends_of_a_text_are_kept_on_the_way_back() {
    const PATHS: &str = "paths: {/file: {get: {operationId: read, responses: {'200': {description: d}}}, put: {operationId: write, requestBody: {content: {application/json: {schema: {type: object, properties: {text: {type: string}}}}}}, responses: {'200': {description: d}}}}}";
    for (text, read_text, n_replaced) in
        [("a\r\nb\r\n", "a\r\nb\r\n", 0), ("a\rb\r\n", "a\nb\r\n", 1)]
    {
        let body = json!({ "text": text }).to_string();
        let service = Service::start(move |_| (200, body.clone())).await;
        let executor = target::executor(&describe(PATHS), &service.origin, "");
        let read = call(&executor, "read", json!({})).await;
        let events = read.journal.events().iter();
        let counts = events.filter_map(|event| match event {
            Event::UnseenRemoved { count } => Some(*count),
            _ => None,
        });
        assert_eq!(counts.sum::<usize>(), n_replaced, "{text:?}");
        let content = target::json(read.outcome);
        assert_eq!(content["text"], read_text);
        call(&executor, "write", json!({"body": {"text": read_text}})).await;
        let sent: serde_json::Value = serde_json::from_str(&service.last().body).unwrap();
        assert_eq!(sent["text"], read_text);
    }
}
