//! The position of a call in a distributed trace: W3C Trace Context, read from the incoming request and passed on
//! unchanged. W3C Baggage is passed on only to those toolsets whose settings allow it.

use std::sync::Arc;

use http::{HeaderMap, HeaderName, HeaderValue};

/// Returns the current step of a trace, if the program has its own spans: an extension of a call. Requests of the call
/// carry this step instead of the caller's.
#[derive(Clone, Copy, Debug)]
pub struct CurrentTrace(pub fn() -> Option<TraceContext>);

/// The context of a trace, in the form of the header `traceparent`, version 00, with vendors' additions in
/// `tracestate`. Requests of operations carry both.
///
/// ```
/// use callgate_executor::TraceContext;
///
/// let text = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
/// let trace = TraceContext::parse(text).ok_or("no trace context")?;
/// assert_eq!(trace.to_string(), text);
/// assert!(trace.is_sampled());
/// # Ok::<(), &str>(())
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct TraceContext {
    trace: u128,
    parent: u64,
    flags: u8,
    state: Option<Arc<str>>,
    baggage: Option<Arc<str>>,
}

impl TraceContext {
    /// Reads a context; `None` if the text is not one. Of later versions, the parts of version 00 are read.
    pub fn parse(text: &str) -> Option<Self> {
        // W3C Trace Context §3.2.2: lower case only; the version `ff` and ids of zeros are invalid.
        let is_lower_hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        let mut parts = text.split('-');
        let mut part = |length: usize| {
            parts.next().filter(|part| part.len() == length && part.bytes().all(is_lower_hex))
        };
        let version = part(2).filter(|version| *version != "ff")?;
        let trace = u128::from_str_radix(part(32)?, 16).ok()?;
        let parent = u64::from_str_radix(part(16)?, 16).ok()?;
        let flags = u8::from_str_radix(part(2)?, 16).ok()?;
        let is_whole = version != "00" || parts.next().is_none();
        Self::from_ids(trace, parent, flags).filter(|_| is_whole)
    }

    /// The context of these ids and flags; `None` if an id is zero.
    #[doc(hidden)]
    pub fn from_ids(trace: u128, parent: u64, flags: u8) -> Option<Self> {
        let is_valid = trace != 0 && parent != 0;
        is_valid.then_some(Self { trace, parent, flags, state: None, baggage: None })
    }

    /// Adds the vendors' part: the header `tracestate`. An invalid text is ignored.
    #[must_use]
    pub fn with_state(mut self, text: &str) -> Self {
        // W3C Trace Context §3.3.1: a list of at most 32 members in printable ASCII. A list that breaks this is discarded.
        let is_member =
            |member: &str| member.split_once('=').is_some_and(|(key, _)| !key.is_empty());
        let is_printable = text.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\t'));
        let members = || text.split(',').map(str::trim).filter(|member| !member.is_empty());
        let is_state =
            is_printable && members().all(is_member) && (1..=32).contains(&members().count());
        self.state = is_state.then(|| text.trim().into());
        self
    }

    /// Adds values that the caller's own services share: the header `baggage`. An invalid text is ignored.
    #[must_use]
    pub fn with_baggage(mut self, text: &str) -> Self {
        // W3C Baggage §3.3: names and values in printable ASCII; 64 members and 8,192 bytes are passed on.
        let is_member = |member: &str| {
            let (name, _) = member.split_once('=').unwrap_or_default();
            !name.trim().is_empty()
        };
        let is_baggage = text.len() <= MOST_BAGGAGE
            && text.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\t'))
            && (1..=64).contains(&text.split(',').count())
            && text.split(',').all(is_member);
        self.baggage = is_baggage.then(|| text.trim().into());
        self
    }

    /// The header `baggage` that came with the context.
    pub fn baggage(&self) -> Option<&str> {
        self.baggage.as_deref()
    }

    /// The vendors' part of the context: the header `tracestate`.
    pub fn state(&self) -> Option<&str> {
        self.state.as_deref()
    }

    /// Puts the program's own step on a request, instead of the caller's context `known`. A header that a description
    /// declares and an argument fills stays.
    pub(crate) fn replace_trace_headers(
        &self,
        caller_context: Option<&Self>,
        headers: &mut HeaderMap,
    ) {
        let stands = headers.get(PARENT).map(HeaderValue::as_bytes);
        let is_callers =
            stands == caller_context.map(ToString::to_string).as_deref().map(str::as_bytes);
        let value = HeaderValue::try_from(self.to_string());
        if let Ok(value) = value
            && is_callers
        {
            headers.insert(PARENT, value);
        }
    }

    /// Puts the context on a request without one. A header that a description declares and an argument fills stays.
    pub(crate) fn put_headers_if_absent(&self, headers: &mut HeaderMap) {
        if headers.contains_key(PARENT) || headers.contains_key(STATE) {
            return;
        }
        for (name, text) in
            [(PARENT, Some(self.to_string())), (STATE, self.state.as_deref().map(str::to_owned))]
        {
            if let Some(value) = text.and_then(|text| HeaderValue::try_from(text).ok()) {
                headers.insert(name, value);
            }
        }
    }

    pub(crate) fn put_baggage_if_absent(&self, headers: &mut HeaderMap) {
        let value = self.baggage.as_deref().and_then(|text| HeaderValue::try_from(text).ok());
        if let Some(value) = value
            && !headers.contains_key(BAGGAGE)
        {
            headers.insert(BAGGAGE, value);
        }
    }

    /// The id of the whole trace.
    pub fn trace_id(&self) -> u128 {
        self.trace
    }

    /// The id of the step that asked for the call.
    pub fn parent_id(&self) -> u64 {
        self.parent
    }

    /// Returns true if the caller records the trace.
    pub fn is_sampled(&self) -> bool {
        self.flags & 1 == 1
    }
}

callgate_secret::text!(TraceContext: Self { trace, parent, flags, .. } => "00-{trace:032x}-{parent:016x}-{flags:02x}");

const BAGGAGE: HeaderName = HeaderName::from_static("baggage");
const MOST_BAGGAGE: usize = 8192;
const PARENT: HeaderName = HeaderName::from_static("traceparent");
const STATE: HeaderName = HeaderName::from_static("tracestate");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_malformed_trace_context_is_refused() {
        let (trace, parent) = ("4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7");
        for good in [format!("00-{trace}-{parent}-00"), format!("cc-{trace}-{parent}-01-more")] {
            assert!(TraceContext::parse(&good).is_some(), "{good}");
        }
        for bad in [
            String::new(),
            format!("ff-{trace}-{parent}-00"),
            format!("00-{trace}-{parent}"),
            format!("00-{trace}-{parent}-00-more"),
            format!("00-{}-{parent}-00", trace.to_uppercase()),
            format!("00-{}-{parent}-00", "0".repeat(32)),
            format!("00-{trace}-{}-00", "0".repeat(16)),
            format!("00-{trace}-+0f067aa0ba902b7-00"),
        ] {
            assert_eq!(TraceContext::parse(&bad), None, "{bad}");
        }
        assert_eq!(TraceContext::from_ids(0, 7, 1), None);
        assert_eq!(TraceContext::from_ids(7, 0, 1), None);
    }

    #[test]
    fn a_well_formed_trace_state_is_passed_on_and_others_are_dropped() {
        let text = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        let long = vec!["a=1"; 33].join(",");
        for (state, expected) in [
            ("congo=t61rcWkgMzE", Some("congo=t61rcWkgMzE")),
            (" rojo=00f067,, congo=t61 ", Some("rojo=00f067,, congo=t61")),
            ("", None),
            ("congo", None),
            ("=1", None),
            ("a=\u{e9}", None),
            ("a=1\r\nx: y", None),
            (long.as_str(), None),
        ] {
            let trace = TraceContext::parse(text).unwrap().with_state(state);
            assert_eq!(trace.state(), expected, "{state:?}");
            let mut headers = HeaderMap::new();
            trace.put_headers_if_absent(&mut headers);
            assert_eq!(headers["traceparent"], text);
            let sent = headers.get("tracestate").map(|value| value.to_str().unwrap());
            assert_eq!(sent, expected);
        }
    }

    #[test]
    fn malformed_baggage_is_dropped() {
        let text = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        let (long, many) = (format!("a={}", "x".repeat(8191)), vec!["a=1"; 65].join(","));
        for (baggage, expected) in [
            ("user=kim, tier=gold;ttl=1", Some("user=kim, tier=gold;ttl=1")),
            ("a=", Some("a=")),
            ("", None),
            ("a", None),
            ("=1", None),
            ("a=1,,b=2", None),
            ("a=\u{e9}", None),
            ("a=1\r\nx: y", None),
            (&long, None),
            (&many, None),
        ] {
            let trace = TraceContext::parse(text).unwrap().with_baggage(baggage);
            assert_eq!(trace.baggage(), expected, "{baggage:?}");
            let mut headers = HeaderMap::new();
            trace.put_headers_if_absent(&mut headers);
            assert!(!headers.contains_key("baggage"), "only where a toolset gets it");
            trace.put_baggage_if_absent(&mut headers);
            let sent = headers.get("baggage").map(|value| value.to_str().unwrap());
            assert_eq!(sent, expected);
            headers.insert("baggage", "argument".parse().unwrap());
            trace.put_baggage_if_absent(&mut headers);
            assert_eq!(headers["baggage"], "argument");
        }
    }

    #[test]
    fn a_traceparent_header_that_the_request_has_is_not_replaced() {
        let trace = TraceContext::parse("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
        let mut headers = HeaderMap::new();
        headers.insert("traceparent", "argument".parse().unwrap());
        trace.unwrap().with_state("a=1").put_headers_if_absent(&mut headers);
        assert_eq!((headers.len(), &headers["traceparent"]), (1, &"argument".parse().unwrap()));
    }
}
