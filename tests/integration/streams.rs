//! Answers that are many values one after the other, on real connections: taken as they come by a user of the library,
//! collected up to the bounds by a call.

use crate::prelude::*;

const DESCRIPTION: &str = r"
paths:
  /news:
    get: { operationId: news, responses: { 200: { description: ok } } }
";
const EVENTS: &str =
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
const LINES: &str =
    "HTTP/1.1 200 OK\r\ncontent-type: application/x-ndjson\r\nconnection: close\r\n\r\n";

/// An event with a character that nobody sees and half of a surrogate pair.
const HIDING: &str = "data: [\"a\u{200b}\", \"\\ud83d\"]\n\n";

/// Sends the head and then each piece when told to. Then it closes, or waits for the client to leave.
async fn told(
    head: &'static str,
    pieces: &'static [&'static str],
    go: &Arc<Notify>,
    ends: bool,
) -> Raw {
    let go = Arc::clone(go);
    Raw::start(move |mut connection| {
        let go = Arc::clone(&go);
        async move {
            connection.read_head().await;
            connection.write(head).await;
            for piece in pieces {
                go.notified().await;
                connection.write(piece).await;
            }
            if !ends {
                connection.hold().await;
            }
        }
    })
    .await
}

#[tokio::test]
async fn each_value_of_a_stream_arrives_before_the_next_is_sent() {
    let events: &[&str] =
        &["event: add\ndata: {\"n\":9007199254740993}\n\n", "data: ca", "nary-key\n\n"];
    let lines: &[&str] = &["{\"n\":1.10}\n", "[\"cana", "ry-key\"]\n"];
    for (head, pieces, expected) in [
        (
            EVENTS,
            events,
            [r#"{"event":"add","data":{"n":9007199254740993}}"#, r#"{"data":"****"}"#],
        ),
        (LINES, lines, [r#"{"n":1.10}"#, r#"["****"]"#]),
    ] {
        let go = Arc::new(Notify::new());
        let server = told(head, pieces, &go, true).await;
        let settings = "auth: { bearer: { token: literal:canary-key } }";
        let executor = target::executor(DESCRIPTION, &server.origin, settings);
        let mut stream = executor.stream(&asked("news", json!({})), &Session::default()).await;
        go.notify_one();
        assert_eq!(stream.next().await.unwrap().text(), Some(expected[0]));
        go.notify_one();
        let second = tokio::join!(stream.next(), async {
            tokio::task::yield_now().await;
            go.notify_one();
        });
        assert_eq!(second.0.unwrap().text(), Some(expected[1]), "masked across pieces");
        assert_eq!(stream.next().await, None);
        let Outcome::Answered(answer) = stream.into_result().outcome else { panic!("no answer") };
        assert_eq!((answer.status, answer.content), (Some(200), Content::Empty));
    }
}

#[tokio::test]
async fn a_dropped_stream_is_marked_as_still_sending() {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\netag: \"canary-key\"\r\n\r\n";
    let go = Arc::new(Notify::new());
    let server = told(head, &[HIDING, "data: 2\n\n"], &go, false).await;
    let settings = "auth: { bearer: { token: literal:canary-key } }";
    let executor = target::executor(DESCRIPTION, &server.origin, settings);
    let mut stream = executor.stream(&asked("news", json!({})), &Session::default()).await;
    go.notify_one();
    assert_eq!(stream.next().await.unwrap().text(), Some("{\"data\":[\"a\",\"\u{fffd}\"]}"));
    let result = stream.into_result();
    let told: Vec<_> = result.journal.events().iter().map(ToString::to_string).collect();
    assert!(told.iter().any(|event| event.starts_with("1 characters nobody sees")), "{told:?}");
    assert!(told.iter().any(|event| event.starts_with("1 characters of the answer")), "{told:?}");
    let Outcome::Answered(answer) = result.outcome else { panic!("no answer") };
    assert!(answer.still_sending);
    assert_eq!(answer.headers, [("etag".to_owned(), "\"****\"".to_owned())]);
}

#[tokio::test]
async fn a_response_that_is_not_a_sequence_ends_the_stream_at_once() {
    let server = Raw::once("HTTP/1.1 404 No\r\ncontent-length: 0\r\n\r\n").await;
    let executor = target::executor(DESCRIPTION, &server.origin, "");
    let mut stream = executor.stream(&asked("news", json!({})), &Session::default()).await;
    assert_eq!(stream.next().await, None);
    assert_eq!(fault(stream.into_result().outcome).status, Some(404));
    let mut stream = executor.stream(&asked("nope", json!({})), &Session::default()).await;
    assert_eq!(stream.next().await, None);
    assert_eq!(fault(stream.into_result().outcome).code, FaultCode::UnknownTool);
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_stops_or_breaks_ends_in_a_fault() {
    let settings = "limits: { timeout: 300ms, response_bytes: 1KiB }";
    let go = Arc::new(Notify::new());
    let silent = told(EVENTS, &["data: 1\n\n"], &go, false).await;
    let long = Raw::once(format!("{LINES}1\n\"{}", "x".repeat(5000))).await;
    let broken = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 99\r\n\r\ndata: 1\n\n";
    let broken = Raw::once(broken).await;
    go.notify_one();
    for (server, code, reached) in [
        (silent, FaultCode::TimedOut, Reached::Maybe),
        (long, FaultCode::ResponseTooLarge, Reached::Yes),
        (broken, FaultCode::Unreachable, Reached::Maybe),
    ] {
        let executor = target::executor(DESCRIPTION, &server.origin, settings);
        let mut stream = executor.stream(&asked("news", json!({})), &Session::default()).await;
        assert!(stream.next().await.is_some());
        assert_eq!(stream.next().await, None);
        let fault = fault(stream.into_result().outcome);
        assert_eq!((fault.code, fault.reached), (code, reached), "{fault:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_timeout_of_a_stream_applies_to_each_value() {
    let server = Raw::start(|mut connection| async move {
        connection.read_head().await;
        connection.write(EVENTS).await;
        for _ in 0..6 {
            tokio::time::sleep(Duration::from_millis(100)).await;
            connection.write("data: x\n\n").await;
        }
    })
    .await;
    let executor = target::executor(DESCRIPTION, &server.origin, "limits: { timeout: 400ms }");
    let mut stream = executor.stream(&asked("news", json!({})), &Session::default()).await;
    let mut n_values = 0;
    while stream.next().await.is_some() {
        n_values += 1;
    }
    assert_eq!(n_values, 6);
    assert!(matches!(stream.into_result().outcome, Outcome::Answered(_)));
}

async fn collected(server: &Raw, settings: &str) -> (Value, Option<String>) {
    let executor = target::executor(DESCRIPTION, &server.origin, settings);
    let outcome = call(&executor, "news", json!({})).await.outcome;
    let Outcome::Answered(answer) = &outcome else { panic!("{outcome:?}") };
    let message = answer.truncated.as_ref().map(|truncated| truncated.message.clone());
    let written = serde_json::to_value(&outcome).unwrap();
    assert_eq!(written.get("stillSending").is_some(), message.is_some(), "{written}");
    (target::json(outcome), message)
}

#[tokio::test(start_paused = true)]
async fn a_call_of_a_stream_collects_the_values_within_its_limits() {
    let whole = Raw::once(format!("{LINES}1\n2\n")).await;
    assert_eq!(collected(&whole, "").await, (json!([1, 2]), None));
    let go = Arc::new(Notify::new());
    go.notify_one();
    let endless = told(EVENTS, &["data: 1\n\ndata: 2\n"], &go, false).await;
    let (values, message) = collected(&endless, "limits: { timeout: 300ms }").await;
    assert_eq!(values, json!([{"data": "1"}]));
    assert!(message.unwrap().contains("was still sending"));
    let large = Raw::once(format!("{LINES}{}", "[7]\n".repeat(1000))).await;
    let (values, message) = collected(&large, "limits: { response_bytes: 1KiB }").await;
    assert_eq!(values.as_array().unwrap().len(), 256);
    assert!(message.unwrap().contains("was still sending"));
}
