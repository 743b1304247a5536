//! Requests that go again: at each point at which a service may end a connection, the number of requests that it reads. Answers
//! that are not HTTP are no reason for a second one.

use callgate_testkit::{BreakPoint, Breaking, Close, Plan};

use super::*;
use crate::{AttemptEnd, Repeat, repetition_after};

const METHODS: [Method; 8] = [
    Method::DELETE,
    Method::GET,
    Method::HEAD,
    Method::OPTIONS,
    Method::PATCH,
    Method::POST,
    Method::PUT,
    Method::TRACE,
];

fn request(origin: &str, method: &Method, kind: Option<RequestKind>) -> Request<Bytes> {
    let has_body = [Method::PATCH, Method::POST, Method::PUT].contains(method);
    let body = if has_body { Bytes::from(vec![b'x'; 64 * 1024]) } else { Bytes::new() };
    let mut request = Request::builder().method(method).uri(origin).body(body).unwrap();
    kind.map(|kind| request.extensions_mut().insert(kind));
    request
}

/// Sends one request to a service with a plan. Returns the end, and the number of requests of which the service read a byte.
async fn send_by_plan(
    plan: Plan,
    method: &Method,
    kind: Option<RequestKind>,
) -> (Result<Response<Bytes>, Error>, usize) {
    let (service, client) = (Breaking::start(plan).await, Client::new().unwrap());
    if plan.is_kept {
        client.send(get(&service.origin, "/"), &Limits::default()).await.unwrap();
        turns().await;
    }
    let result = client.send(request(&service.origin, method, kind), &Limits::default()).await;
    (result, service.n_read())
}

/// Until the HTTP client has noticed what happens to the connections that it keeps.
async fn turns() {
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
}

fn plans() -> impl Iterator<Item = Plan> {
    let of = |at| {
        [
            (at, Close::Fin, false),
            (at, Close::Fin, true),
            (at, Close::Reset, false),
            (at, Close::Reset, true),
        ]
    };
    BreakPoint::ALL.into_iter().flat_map(of).map(|(at, close, is_kept)| Plan { at, close, is_kept })
}

#[tokio::test]
async fn a_request_goes_again_only_if_it_is_a_read_on_a_kept_connection_that_was_closed() {
    let mut n_again = 0;
    for (plan, method) in plans().flat_map(|plan| METHODS.iter().map(move |method| (plan, method)))
    {
        let (result, n_read) = send_by_plan(plan, method, None).await;
        // A response to HEAD ends with its head.
        let is_answered = plan.at == BreakPoint::InResponseBody && method != Method::HEAD;
        let is_unread = plan.at == BreakPoint::BeforeRequest;
        let may_go_again = plan.is_kept && method.is_safe() && !is_answered && !is_unread;
        let most = 1 + usize::from(may_go_again);
        assert!(n_read <= most, "{method} {plan:?}: {n_read}");
        n_again += n_read.saturating_sub(1);
        assert_eq!(result.is_ok(), is_unread && plan.is_kept, "{method} {plan:?}: {result:?}");
        // It depends on the moment whether a byte was written to a connection that nobody reads.
        if let Some(error) = result.err().filter(|_| !is_unread) {
            assert_eq!(error.reached_service(), Reached::Maybe, "{method} {plan:?}: {error:?}");
            assert_eq!(error.is_after_repetition(), n_read > 1, "{method} {plan:?}");
        }
    }
    assert!(n_again > 0, "some reads meet a connection that was kept");
}

#[tokio::test]
async fn an_approved_request_is_read_once_at_most() {
    for plan in plans() {
        for method in &METHODS {
            let (result, n_read) = send_by_plan(plan, method, Some(RequestKind::Approved)).await;
            let is_unread = plan.at == BreakPoint::BeforeRequest;
            assert_eq!(n_read, usize::from(!is_unread || plan.is_kept), "{method} {plan:?}");
            // The connection was closed before a byte was written: another one is used.
            assert_eq!(result.is_ok(), is_unread && plan.is_kept, "{method} {plan:?}: {result:?}");
        }
    }
}

#[tokio::test]
async fn a_read_that_may_change_something_or_names_another_method_is_no_read() {
    let plan = Plan { at: BreakPoint::AfterRequest, close: Close::Fin, is_kept: true };
    let (_, n_read) = send_by_plan(plan, &Method::GET, Some(RequestKind::Change)).await;
    assert_eq!(n_read, 1);
    for name in ["x-http-method", "x-http-method-override", "x-method-override"] {
        let mut request = request("http://h.example", &Method::GET, Some(RequestKind::Read));
        let kind = |request: &Request<Bytes>| {
            RequestKind::from_request(request).with_method_override(request.headers())
        };
        assert_eq!(kind(&request), RequestKind::Read);
        request.headers_mut().insert(name, HeaderValue::from_static("DELETE"));
        assert_eq!(kind(&request), RequestKind::Change, "{name}");
    }
}

#[tokio::test]
async fn an_answer_that_is_not_http_is_no_reason_for_a_second_request() {
    for answer in ["HTTP/1.1 200 OK\r\nx : y\r\n\r\n", "220 mail.example.com ESMTP\r\n"] {
        let service = Raw::once(answer).await;
        let error = send(get(&service.origin, "/")).await.unwrap_err();
        assert_eq!((error.attempt_end(), service.n_connections()), (AttemptEnd::Final, 1));
    }
}

#[test]
fn nothing_but_a_read_goes_again_once_the_service_may_have_executed_it() {
    for &end in AttemptEnd::ALL {
        let is_executed = !matches!(
            end,
            AttemptEnd::NotConnected
                | AttemptEnd::NotWritten
                | AttemptEnd::NotProcessed
                | AttemptEnd::CredentialRefused
        );
        let is_read = !matches!(end, AttemptEnd::NotConnected | AttemptEnd::NotWritten);
        let never = |kind| repetition_after(end, kind) == Repeat::Never;
        assert!(!is_executed || never(RequestKind::Change), "{end:?}");
        assert!(!is_read || never(RequestKind::Approved), "{end:?}");
    }
}
