//! Tests ambiguous messages (threat 45 of `SECURITY.md`) over real sockets: each is refused with 400, and no response follows.

use super::*;

const SMUGGLED: &str = "GET /v1/tools HTTP/1.1\r\nHost: localhost\r\n\r\n";

#[track_caller]
fn is_refused(form: &str, answer: &str) {
    assert!(answer.starts_with("HTTP/1.1 400"), "{form:?}: {answer}");
    assert_eq!(answer.matches("HTTP/1.1").count(), 1, "{form:?}: {answer}");
}

#[tokio::test]
async fn a_request_with_an_ambiguous_length_is_refused_and_its_connection_closed() {
    let sidecar = Sidecar::start(&nothing()).await;
    for headers in [
        "Content-Length: 5\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding: chunked\r\nContent-Length: 5",
        "Transfer-Encoding : chunked",
        "Transfer-Encoding: xchunked",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity",
        "Content-Length: 5\r\nContent-Length: 5",
        "Content-Length: 5\r\nContent-Length: 6",
        "Content-Length: +5",
        "X: a\r\n Transfer-Encoding: chunked",
        "X: a\nTransfer-Encoding: chunked",
        "Host: other",
    ] {
        let head = "POST /v1/calls HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json";
        let request = format!("{head}\r\n{headers}\r\n\r\n0\r\n\r\n{SMUGGLED}");
        is_refused(headers, &sidecar.exchange(request.as_bytes()).await);
    }
    let bare = "GET /v1/tools HTTP/1.1\nHost: localhost\n\n";
    is_refused(bare, &sidecar.exchange(bare.as_bytes()).await);
    let old = "POST /v1/calls HTTP/1.0\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n";
    is_refused(old, &sidecar.exchange(old.as_bytes()).await);
}

#[tokio::test]
async fn a_request_with_an_ambiguous_chunk_is_refused() {
    let sidecar = Sidecar::start(&nothing()).await;
    let head = "POST /v1/calls HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
    for chunks in
        ["2;a\nb\r\n{}\r\n0\r\n\r\n", "1\r\n{}\r\n0\r\n\r\n", "2\n{}\r\n0\r\n\r\n", "0x2\r\n{}\r\n"]
    {
        let request = format!("{head}{chunks}{SMUGGLED}");
        is_refused(chunks, &sidecar.exchange(request.as_bytes()).await);
    }
}

#[tokio::test]
async fn pipelined_requests_are_each_answered() {
    let sidecar = Sidecar::start(&nothing()).await;
    let post = "POST /v1/calls HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
    let requests = format!(
        "{SMUGGLED}{post}Content-Length: 2\r\n\r\n{{}}{post}Transfer-Encoding: chunked\r\n\r\n2\r\n{{}}\r\n0\r\n\r\n\
         GET /v1/tools HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    );
    let answer = sidecar.exchange(requests.as_bytes()).await;
    assert_eq!(answer.matches("HTTP/1.1 200 OK").count(), 2, "{answer}");
    assert_eq!(answer.matches("HTTP/1.1 400").count(), 2, "{answer}");
}
