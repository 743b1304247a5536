//! Retries over real connections: those that break, and the headers of finished requests.

use crate::prelude::*;

use super::failed;

#[tokio::test]
async fn a_read_whose_header_names_another_method_is_not_repeated() {
    for (header, n_expected) in [("X-Team: a", 2), ("X-HTTP-Method-Override: DELETE", 1)] {
        let (server, n_read) = breaking(&[BUSY]).await;
        let settings = format!("retry: safe\nheaders: {{ {header} }}");
        let executor = target::executor(REAL, &server.origin, &settings);
        let result = executor.call(&asked("get", json!({})), &Session::default()).await;
        assert_eq!(n_read.load(Ordering::SeqCst), n_expected, "{header} {result:?}");
    }
}

/// Connections that break at each step, and then one that answers.
async fn breaking(steps: &'static [&'static str]) -> (Raw, Arc<AtomicUsize>) {
    let n_read = Arc::<AtomicUsize>::default();
    let count = Arc::clone(&n_read);
    let server = Raw::start(move |mut connection| {
        let count = Arc::clone(&count);
        async move {
            if connection.read_head().await.is_none() {
                return;
            }
            let at = count.fetch_add(1, Ordering::SeqCst);
            connection.write(steps.get(at).copied().unwrap_or(WHOLE)).await;
        }
    });
    (server.await, n_read)
}

const WHOLE: &str = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\nconnection: close\r\n\r\n[]";
/// Half of a body.
const HALF: &str =
    "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n[";
const BUSY: &str =
    "HTTP/1.1 503 Busy\r\nretry-after: 0\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";

const REAL: &str = "
paths:
  /a:
    get: { operationId: get, responses: { 200: { description: ok } } }
    post: { operationId: post, responses: { 200: { description: ok } } }
";

#[tokio::test]
async fn a_body_that_breaks_off_is_repeated_for_reads_alone() {
    for (tool, n_expected) in [("get", 3), ("post", 1)] {
        let (server, n_read) = breaking(&[HALF, BUSY]).await;
        let executor = target::executor(REAL, &server.origin, "retry: safe");
        let result = executor.call(&asked(tool, json!({})), &Session::default()).await;
        assert_eq!(n_read.load(Ordering::SeqCst), n_expected, "{tool} {result:?}");
        assert_eq!(result.is_failed(), tool == "post", "{result:?}");
    }
}

#[tokio::test]
async fn a_stream_is_repeated_only_before_its_first_value() {
    let (server, n_read) = breaking(&[
        BUSY,
        "HTTP/1.1 200 OK\r\ncontent-type: application/x-ndjson\r\ncontent-length: 99\r\n\r\n1\n",
    ])
    .await;
    let executor = target::executor(REAL, &server.origin, "retry: safe");
    let mut stream = executor.stream(&asked("get", json!({})), &Session::default()).await;
    assert_eq!(stream.next().await.unwrap().text(), Some("1"));
    assert_eq!(stream.next().await, None);
    let result = stream.into_result();
    assert_eq!(failed(&result).code, FaultCode::Unreachable);
    assert_eq!((n_read.load(Ordering::SeqCst), result.journal.attempts()), (2, Some(2)));
}

#[tokio::test]
async fn a_write_is_repeated_over_the_network_only_if_no_connection_was_made() {
    let origin = closed_origin();
    let executor = target::executor(REAL, &origin, "retry: {when: safe, attempts: 2}");
    let result = executor.call(&asked("post", json!({})), &Session::default()).await;
    assert_eq!((failed(&result).reached, result.journal.attempts()), (Reached::No, Some(2)));
}
