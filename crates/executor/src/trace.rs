//! Where a call belongs in a distributed trace: W3C Trace Context. Read from what came in, handed on as it is.

use std::fmt;

/// The context of a trace, in the form of the header `traceparent`, version 00.
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
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct TraceContext {
    trace: u128,
    parent: u64,
    flags: u8,
}

impl TraceContext {
    /// The context a text is; `None` where it is none. Of later versions the parts of version 00 are read.
    pub fn parse(text: &str) -> Option<Self> {
        // W3C Trace Context §3.2.2: lower case only; the version `ff` and ids of zeros are invalid.
        let is_lower_hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        let mut parts = text.split('-');
        let mut part = |length: usize| {
            parts.next().filter(|part| part.len() == length && part.bytes().all(is_lower_hex))
        };
        let version = part(2).filter(|version| *version != "ff")?;
        let trace = u128::from_str_radix(part(32)?, 16).ok().filter(|trace| *trace != 0)?;
        let parent = u64::from_str_radix(part(16)?, 16).ok().filter(|parent| *parent != 0)?;
        let flags = u8::from_str_radix(part(2)?, 16).ok()?;
        let is_whole = version != "00" || parts.next().is_none();
        is_whole.then_some(Self { trace, parent, flags })
    }

    /// The id of the whole trace.
    pub fn trace_id(self) -> u128 {
        self.trace
    }

    /// The id of the step that asked for the call.
    pub fn parent_id(self) -> u64 {
        self.parent
    }

    /// Whether the caller keeps the trace.
    pub fn is_sampled(self) -> bool {
        self.flags & 1 == 1
    }
}

impl fmt::Display for TraceContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "00-{:032x}-{:016x}-{:02x}", self.trace, self.parent, self.flags)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_trace_context_is_refused() {
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
    }
}
