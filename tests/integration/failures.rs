//! Every point at which an exchange can fail, on real sockets: what is said of it, whether the service was reached, and
//! what a model should do, for a call that only reads and for one that writes.

use crate::prelude::*;

use tokio::net::TcpSocket;

const DESCRIPTION: &str = r"
paths:
  /thing:
    get: { operationId: read, responses: { 200: { description: ok } } }
    post: { operationId: write, responses: { 200: { description: ok } } }
";

const LIMITS: &str = "limits: { timeout: 500ms, response_bytes: 1KiB }";

/// What a row expects.
struct Expected {
    code: FaultCode,
    reached: Reached,
    /// For a read and for a write.
    next: (Next, Next),
    /// Part of the message, for a read and for a write.
    says: (&'static str, &'static str),
}

async fn failure(executor: &Executor, tool: &str) -> Fault {
    fault(call(executor, tool, json!({})).await.outcome)
}

async fn check(origin: &str, expected: Expected) {
    let executor = target::executor(DESCRIPTION, origin, LIMITS);
    let rows =
        [("read", expected.next.0, expected.says.0), ("write", expected.next.1, expected.says.1)];
    for (tool, next, says) in rows {
        let result = call(&executor, tool, json!({})).await;
        let told = result.journal.events().iter().any(|event| event.to_string().contains(origin));
        assert!(told, "{origin} is in the journal: {:?}", result.journal);
        let fault = fault(result.outcome);
        assert_eq!(
            (fault.code, fault.reached, fault.next),
            (expected.code, expected.reached, next)
        );
        assert!(fault.message.contains(says), "{origin} {tool}: {}", fault.message);
        for word in ["127.0.0.1", "invalid", "://"] {
            assert!(!fault.message.contains(word), "{}", fault.message);
        }
    }
}

/// What was not reached may be called again, whatever it does.
fn not_reached() -> Expected {
    Expected {
        code: FaultCode::Unreachable,
        reached: Reached::No,
        next: (Next::TryLater, Next::TryLater),
        says: ("nothing was sent; try again later", "nothing was sent; try again later"),
    }
}

/// A read may be repeated, a write not before somebody looked.
fn unknown(code: FaultCode) -> Expected {
    Expected {
        code,
        reached: Reached::Maybe,
        next: (Next::TryLater, Next::AskUser),
        says: ("it only reads, so it may be tried again", "do not repeat it before checking"),
    }
}

#[tokio::test(start_paused = true)]
async fn an_unresolved_name_and_a_closed_port_are_faults_with_their_cause() {
    // No name server knows a name below `invalid` (RFC 6761 §6.4).
    check("http://name.invalid", not_reached()).await;
    check(&closed_origin(), not_reached()).await;
}

#[tokio::test(start_paused = true)]
async fn a_connection_timeout_is_a_fault_with_its_cause() {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let listener = socket.listen(0).unwrap();
    let address = listener.local_addr().unwrap();
    // The queue of one is full then, and the system answers no further connection.
    let _queued = TcpStream::connect(address).await.unwrap();
    let executor = target::executor(DESCRIPTION, &format!("http://{address}"), "");
    for tool in ["read", "write"] {
        let fault = failure(&executor, tool).await;
        assert_eq!((fault.code, fault.reached), (FaultCode::Unreachable, Reached::No), "{fault:?}");
        assert_eq!(fault.next, Next::TryLater);
    }
}

#[tokio::test(start_paused = true)]
async fn a_service_without_tls_is_a_fault_with_its_cause() {
    let says = "no secure connection to the service, nothing was sent";
    let expected =
        Expected { next: (Next::GiveUp, Next::GiveUp), says: (says, says), ..not_reached() };
    let server = Raw::start(|mut connection| async move {
        connection.write("HTTP/1.1 400 Bad Request\r\n\r\n").await;
        connection.hold().await;
    })
    .await;
    check(&server.origin.replace("http:", "https:"), expected).await;
}

#[tokio::test(start_paused = true)]
async fn a_connection_closed_before_an_answer_is_a_fault_with_its_cause() {
    let server = Raw::once("").await;
    check(&server.origin, unknown(FaultCode::Unreachable)).await;
    let server = Raw::once("").await;
    failure(&target::executor(DESCRIPTION, &server.origin, LIMITS), "write").await;
    assert_eq!(server.n_connections(), 1, "a write is not sent twice");
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_breaks_off_or_is_not_http_is_a_fault_with_its_cause() {
    for answer in [
        "220 mail.example.com ESMTP\r\n",
        "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nab",
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 99\r\n\r\ndata: 1\n\n",
    ] {
        let server = Raw::once(answer).await;
        check(&server.origin, unknown(FaultCode::Unreachable)).await;
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_does_not_come_or_end_is_a_fault_with_its_cause() {
    let stuck = Raw::stuck("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc").await;
    for server in [Raw::silent().await, stuck] {
        check(&server.origin, unknown(FaultCode::TimedOut)).await;
        assert_eq!(server.n_connections(), 2, "neither is sent twice");
    }
}

/// The service answered: what it was asked to do it may have done.
fn answered(code: FaultCode, read: (Next, &'static str)) -> Expected {
    Expected {
        code,
        reached: Reached::Yes,
        next: (read.0, Next::AskUser),
        says: (read.1, "do not repeat it before checking"),
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_over_the_limit_is_a_fault_with_its_cause() {
    let body = "x".repeat(2000);
    let server = Raw::once(format!("HTTP/1.1 200 OK\r\ncontent-length: 2000\r\n\r\n{body}")).await;
    let read = (Next::CorrectArguments, "more than 1024 bytes, which is the bound; ask for less");
    check(&server.origin, answered(FaultCode::ResponseTooLarge, read)).await;
}

#[tokio::test(start_paused = true)]
async fn an_answer_in_two_codings_is_a_fault_with_its_cause() {
    let server = Raw::once(
        "HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-encoding: br\r\ncontent-length: 1\r\n\r\nx",
    )
    .await;
    let read = (Next::GiveUp, "a content coding that cannot be read; do not call again");
    check(&server.origin, answered(FaultCode::UnreadableResponse, read)).await;
}

#[tokio::test(start_paused = true)]
async fn a_retry_date_counts_from_now_if_the_answer_has_no_date() {
    let until = SystemTime::now() + Duration::from_mins(2);
    let until = httpdate::fmt_http_date(until);
    let server = Raw::once(format!(
        "HTTP/1.1 503 Busy\r\nretry-after: {until}\r\ncontent-length: 0\r\n\r\n"
    ))
    .await;
    let executor = target::executor(DESCRIPTION, &server.origin, "");
    let fault = failure(&executor, "read").await;
    assert_eq!((fault.status, fault.next), (Some(503), Next::TryLater));
    let seconds = fault.retry_after.unwrap().as_secs();
    assert!((60..=120).contains(&seconds), "{seconds}");
}
