//! The words of errors, and the facts that they must not contain.

use std::{error::Error as _, iter::successors};

use super::*;

#[tokio::test]
async fn a_closed_port_is_not_reached() {
    let error =
        check_failure(send(get(&closed_origin(), "/")).await, ErrorKind::Connect, Reached::No);
    assert!(error.is_transient());
}

#[tokio::test]
async fn a_name_without_an_address_is_not_reached() {
    // No resolver asks the network for a label of more than 63 letters (RFC 1035 §2.3.4).
    let origin = format!("http://{}.invalid", "a".repeat(64));
    check_failure(send(get(&origin, "/")).await, ErrorKind::Dns, Reached::No);
}

#[tokio::test]
async fn an_answer_that_breaks_or_is_not_http_may_have_reached_the_service() {
    for (answer, kind) in [
        ("", ErrorKind::Send),
        ("220 mail.example.com ESMTP\r\n", ErrorKind::Send),
        ("HTTP/1.1 200 OK\r\nx : y\r\n\r\n", ErrorKind::Send),
        ("HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab", ErrorKind::Send),
        ("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc", ErrorKind::Receive),
        ("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nab", ErrorKind::Receive),
    ] {
        let origin = Raw::once(answer).await.origin;
        check_failure(send(get(&origin, "/")).await, kind, Reached::Maybe);
    }
}

#[tokio::test(start_paused = true)]
async fn no_error_shows_the_url_or_a_credential() {
    let silent = Raw::silent().await.origin;
    let broken = Raw::once("HTTP/1.1 200 OK\r\nx-echo: canary\r\ncontent-length: 10\r\n\r\ncanary")
        .await
        .origin;
    let closed = closed_origin();
    let secure = silent.replace("http://", "https://");
    let unnamed = format!("http://canary{}.invalid", "a".repeat(64));
    for origin in [&silent, &broken, &closed, &secure, &unnamed, "http://user:canary@127.0.0.1:1"] {
        let mut request = get(origin, "/canary?key=canary");
        request.headers_mut().insert("x-api-key", "canary".parse().unwrap());
        let limits = Limits { timeout: SHORT, ..Limits::default() };
        let error = send_within(request, limits).await.unwrap_err();
        let causes = successors(error.source(), |&cause| cause.source());
        let causes: Vec<_> = causes.map(|cause| format!("{cause} {cause:?}")).collect();
        let shown = format!("{error}\n{error:?}\n{error:#?}\n{}", causes.join("\n"));
        for word in ["canary", "http://", "https://"] {
            assert!(!shown.contains(word), "{word} in {shown}");
        }
        for word in ["127.0.0.1", "invalid", "x-api-key"] {
            assert!(!error.to_string().contains(word), "{word} in {error}");
        }
    }
}
