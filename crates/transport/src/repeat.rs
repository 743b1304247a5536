//! The one rule about requests that are sent again: which may be, after which end of an attempt, and at whose word. Whoever
//! sends a request again asks [`repetition_after`]: the transport, the policy of a toolset, and the renewal of a credential.

use callgate_tool::Reached;
use http::{HeaderMap, Request};

callgate_tool::named! {
    /// The end of an attempt to send a request, as far as a repetition depends on it.
    #[doc(hidden)]
    #[expect(clippy::exhaustive_enums, reason = "adding a variant must break exhaustive matches")]
    pub enum AttemptEnd {
        /// No connection was made, so that nothing was sent.
        NotConnected = "no connection was made",
        /// The connection was closed before a byte of the request was written.
        NotWritten = "the connection was closed before a byte of the request was written",
        /// The service says in HTTP/2 that it did not process the request (RFC 9113 §8.7).
        NotProcessed = "the service says in HTTP/2 that it did not process the request (`REFUSED_STREAM`, `GOAWAY`)",
        /// The service refused a credential that can be renewed.
        CredentialRefused = "the service refused a token that can be renewed (401)",
        /// A connection that had carried an earlier response was closed before this one began.
        KeptConnectionClosed = "a connection that was kept from an earlier request was closed before an answer",
        /// The connection broke otherwise, or the time of the attempt was up.
        ConnectionBroken = "any other connection broke, or an attempt took longer than `attempt_timeout`",
        /// The service asks to come later: status 429, 502, 503 or 504.
        Busy = "status 429, 502, 503 or 504",
        /// Any other end: another status, no secure connection, a response that is not HTTP or beyond a bound.
        Final = "any other status, no secure connection, a response that is not HTTP or is beyond a bound",
    }
}

/// A request, as far as its repetition depends on it. As an extension of a request, it says more than the method.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "adding a variant must break exhaustive matches")]
pub enum RequestKind {
    /// A person approved the request, once.
    Approved,
    /// The request may change something.
    Change,
    /// The request changes nothing, however often it is executed (RFC 9110 §9.2.1).
    Read,
}

/// The answer to whether a request may go again.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "adding a variant must break exhaustive matches")]
pub enum Repeat {
    /// Once, at once, whatever the policy says; and as often as the policy says.
    AtOnce,
    /// Never.
    Never,
    /// As often as the policy of the toolset says (`retry`).
    ByPolicy,
}

/// Decides whether a request may go again after an attempt ended. It goes again only if nothing of it can have been executed,
/// or if executing it twice changes nothing. RFC 9110 §9.2.2 would also allow it for PUT and DELETE; but between two of them
/// another change may have come. What a person approved never goes again once a byte of it may have been read.
///
/// ```
/// use callgate_transport::{AttemptEnd, Repeat, RequestKind, repetition_after};
///
/// assert_eq!(repetition_after(AttemptEnd::NotProcessed, RequestKind::Change), Repeat::AtOnce);
/// assert_eq!(repetition_after(AttemptEnd::NotProcessed, RequestKind::Approved), Repeat::Never);
/// ```
#[doc(hidden)]
pub fn repetition_after(end: AttemptEnd, request: RequestKind) -> Repeat {
    use Repeat::{AtOnce, ByPolicy, Never};
    let (read, change, approved) = match end {
        AttemptEnd::NotConnected => (ByPolicy, ByPolicy, ByPolicy),
        AttemptEnd::NotWritten => (AtOnce, AtOnce, AtOnce),
        AttemptEnd::NotProcessed | AttemptEnd::CredentialRefused => (AtOnce, AtOnce, Never),
        AttemptEnd::KeptConnectionClosed => (AtOnce, Never, Never),
        AttemptEnd::ConnectionBroken | AttemptEnd::Busy => (ByPolicy, Never, Never),
        AttemptEnd::Final => (Never, Never, Never),
    };
    match request {
        RequestKind::Approved => approved,
        RequestKind::Change => change,
        RequestKind::Read => read,
    }
}

/// Returns true if an idempotency key is free again after its request ended so: whoever repeats the request makes it, and
/// does not get the first result.
#[doc(hidden)]
pub fn is_key_free_after(reached: Reached) -> bool {
    reached == Reached::No
}

impl RequestKind {
    /// The kind of a request without its headers: what its sender said, or what its method says.
    pub(crate) fn from_request<B>(request: &Request<B>) -> Self {
        let by_method = if request.method().is_safe() { Self::Read } else { Self::Change };
        request.extensions().get().copied().unwrap_or(by_method)
    }

    /// The kind of a request with these headers, of which one may name another method.
    #[must_use]
    pub fn with_method_override(self, headers: &HeaderMap) -> Self {
        if self == Self::Read && overrides_method(headers) { Self::Change } else { self }
    }
}

/// Returns true if a header asks for another method than the request line, so that an apparent read may be a write.
pub fn overrides_method(headers: &HeaderMap) -> bool {
    ["x-http-method", "x-http-method-override", "x-method-override"]
        .iter()
        .any(|name| headers.contains_key(*name))
}
