//! The sidecar's own telemetry: its requests' positions in traces, metrics, and its log.

mod log;
#[cfg(feature = "otel")]
mod otel;
mod path_template;
pub(crate) mod prometheus;
mod request;
mod request_line;
#[cfg(feature = "otel")]
mod steps;
#[cfg(feature = "agents")]
pub(crate) mod turn_report;
pub(crate) mod unknown_calls;
pub(crate) mod unread;

use callgate_executor::TraceContext;
use http::{HeaderMap, HeaderName};

#[cfg(test)]
pub(crate) use self::log::test_log;
pub use self::log::{Telemetry, WriteLine, start_log, start_plain_log};
pub(crate) use self::{
    log::json_record,
    request::Traced,
    request_line::{RecordedBody, RequestFacts, RequestLine},
};
#[cfg(feature = "otel")]
pub(crate) use self::{otel::check_collector, steps::Steps};

/// The position of a request in a trace: W3C Trace Context, from its headers. A duplicate or malformed context is ignored.
pub(crate) fn trace_from_headers(headers: &HeaderMap) -> Option<TraceContext> {
    let mut parents = headers.get_all(TRACE_PARENT).iter();
    let (parent, None) = (parents.next()?, parents.next()) else { return None };
    let trace = TraceContext::parse(parent.to_str().ok()?)?;
    // W3C Trace Context §3.3.1.5: several headers form one list.
    let listed = |name: HeaderName| {
        let values = headers.get_all(name).iter();
        let values: Result<Vec<_>, _> = values.map(|value| value.to_str()).collect();
        values.ok().filter(|values| !values.is_empty()).map(|values| values.join(","))
    };
    let trace = match listed(TRACE_STATE) {
        Some(states) => trace.with_state(&states),
        None => trace,
    };
    Some(match listed(BAGGAGE) {
        Some(baggage) => trace.with_baggage(&baggage),
        None => trace,
    })
}

const BAGGAGE: HeaderName = HeaderName::from_static("baggage");
const TRACE_PARENT: HeaderName = HeaderName::from_static("traceparent");
const TRACE_STATE: HeaderName = HeaderName::from_static("tracestate");

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    const PARENT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    #[track_caller]
    fn check(headers: &[(&'static str, &str)], expected: Option<(&str, Option<&str>)>) {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, HeaderValue::from_bytes(value.as_bytes()).unwrap());
        }
        let trace = trace_from_headers(&map);
        let got = trace.as_ref().map(|trace| (trace.to_string(), trace.state()));
        let expected = expected.map(|(parent, state)| (parent.to_owned(), state));
        assert_eq!(got, expected, "{headers:?}");
    }

    #[test]
    fn the_trace_context_of_a_request_is_read_from_its_headers() {
        check(&[], None);
        check(&[("traceparent", PARENT)], Some((PARENT, None)));
        check(&[("traceparent", PARENT), ("tracestate", "a=1")], Some((PARENT, Some("a=1"))));
        let states = [("traceparent", PARENT), ("tracestate", "a=1"), ("tracestate", "b=2")];
        check(&states, Some((PARENT, Some("a=1,b=2"))));
        check(&[("traceparent", PARENT), ("traceparent", PARENT)], None);
        check(&[("traceparent", "00-0-0-00")], None);
        check(&[("traceparent", PARENT), ("tracestate", "\u{e9}")], Some((PARENT, None)));
    }

    #[test]
    fn baggage_is_read_only_beside_a_trace_context() {
        let mut headers = HeaderMap::new();
        headers.append("baggage", HeaderValue::from_static("a=1"));
        headers.append("baggage", HeaderValue::from_static("b=2"));
        assert_eq!(trace_from_headers(&headers), None);
        headers.insert("traceparent", HeaderValue::from_static(PARENT));
        let trace = trace_from_headers(&headers).unwrap();
        assert_eq!((trace.state(), trace.baggage()), (None, Some("a=1,b=2")));
    }
}
