//! The refusals of HTTP requests: problem details (RFC 9457). The ending of a call is a result, not a problem.

use std::{borrow::Cow, time::Duration};

use axum::{
    body::{Body, Bytes},
    response::{IntoResponse, Response},
};
use callgate_tool::{InvalidValue, Object, Value};
use http::{HeaderValue, StatusCode, header};
use serde::Serialize;
use utoipa::ToSchema;

/// The refusal of a request: problem details (RFC 9457).
///
/// ```
/// use callgate_gateway::{Problem, ProblemKind};
///
/// const SOLD_OUT: ProblemKind = ProblemKind::new("https://example.com/sold-out", 409, "Nothing is left");
/// let problem = Problem::new(SOLD_OUT, "order again tomorrow");
/// assert_eq!(problem.detail(), "order again tomorrow");
/// ```
#[derive(Clone, Debug)]
pub struct Problem {
    kind: ProblemKind,
    detail: Cow<'static, str>,
    retry_after: Option<Duration>,
    /// Parameters of the challenge, besides those of the problem's kind.
    challenge: Option<Box<str>>,
    /// The total number of bytes, if a range was requested.
    length: Option<usize>,
    /// Further facts, by the names of their members (RFC 9457 §3.2).
    members: Box<Object>,
}

/// The reason why a request is refused; several may share a status.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct ProblemKind {
    name: &'static str,
    status: u16,
    title: &'static str,
}

impl Problem {
    /// A problem with a detail: what is wrong, what was expected and what to do.
    pub fn new(kind: ProblemKind, detail: impl Into<Cow<'static, str>>) -> Self {
        Self {
            kind,
            detail: detail.into(),
            retry_after: None,
            challenge: None,
            length: None,
            members: Box::default(),
        }
    }

    /// The refusal of a malformed body.
    pub fn malformed_body(detail: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ProblemKind::MALFORMED_BODY, detail)
    }

    /// The detail: what is wrong, what was expected and what to do.
    pub fn detail(&self) -> &str {
        &self.detail
    }

    /// True if no other request would help: the status is 5xx.
    pub(crate) fn is_server_error(&self) -> bool {
        self.kind.status().is_server_error()
    }

    /// Adds a wait, after which the problem may be over.
    #[must_use]
    pub fn with_retry_after(self, wait: Duration) -> Self {
        Self { retry_after: Some(wait), ..self }
    }

    #[must_use]
    pub(crate) fn with_challenge(self, challenge: Option<String>) -> Self {
        Self { challenge: challenge.map(String::into_boxed_str), ..self }
    }

    pub(crate) fn is_too_large(&self) -> bool {
        self.kind == ProblemKind::TOO_LARGE
    }

    /// True if another token would help.
    pub(crate) fn needs_other_token(&self) -> bool {
        self.kind.challenge().is_some()
    }

    pub(crate) fn is_unauthenticated(&self) -> bool {
        self.kind == ProblemKind::UNAUTHENTICATED
    }

    #[must_use]
    pub(crate) fn with_content_range(self, length: usize) -> Self {
        Self { length: Some(length), ..self }
    }
}

impl Problem {
    /// Adds another fact.
    #[must_use]
    pub fn with_member(mut self, name: &str, value: Value) -> Self {
        self.members.insert(name, value);
        self
    }
}

impl From<InvalidValue> for Problem {
    fn from(error: InvalidValue) -> Self {
        Self::malformed_body(error.to_string())
    }
}

#[cfg(test)]
impl Problem {
    /// The status of the problem's response.
    pub(crate) fn status(&self) -> u16 {
        self.kind.status().as_u16()
    }
}

pub(crate) fn draining_problem() -> Problem {
    let detail = "the sidecar is being stopped; another one may answer";
    Problem::new(ProblemKind::DRAINING, detail).with_retry_after(Duration::from_secs(1))
}

pub(crate) fn overloaded_problem() -> Problem {
    let detail = "as many requests as `limits.requests` allows are being answered";
    Problem::new(ProblemKind::OVERLOADED, detail).with_retry_after(Duration::from_secs(1))
}

/// The principal has no room for another request, while others may.
pub(crate) fn share_exceeded_problem() -> Problem {
    let detail = "as many requests of this principal as `limits.principal_requests` allows are being answered";
    Problem::new(ProblemKind::TOO_MANY_REQUESTS, detail).with_retry_after(Duration::from_secs(1))
}

pub(crate) fn too_many_connections() -> Problem {
    let detail = "as many connections as `limits.connections` allows are open";
    Problem::new(ProblemKind::OVERLOADED, detail).with_retry_after(Duration::from_secs(1))
}

/// Makes the kinds of problems: a row has the last part of the `type`, the status and the title, which never changes.
macro_rules! kinds {
    ($($(#[$of:meta])* $vis:vis $NAME:ident = $name:literal, $status:literal, $title:literal;)+) => {
        impl ProblemKind {
            $($(#[$of])* $vis const $NAME: Self = Self::new($name, $status, $title);)+
        }
    };
}

kinds! {
    /// This caller has no tool, result or session with this name.
    pub ABSENT_RESOURCE = "absent", 404, "There is none of this name";
    pub(crate) DECIDED = "decided", 409, "Somebody else has decided";
    pub(crate) DRAINING = "draining", 503, "The sidecar is being stopped";
    /// The principal may not use this path.
    pub FORBIDDEN = "forbidden", 403, "The principal may not do this";
    pub(crate) FOREIGN_FORM = "foreign-form", 422, "The wire format has no such form";
    pub(crate) FOREIGN_MESSAGE = "foreign-message", 422, "The message is none of the dialect";
    pub(crate) FOREIGN_ORIGIN = "foreign-origin", 403, "Pages of other origins are not served";
    pub(crate) HEAD_TOO_LARGE = "head-too-large", 431, "The head is too large";
    pub(crate) INVALID_TOKEN = "invalid-token", 401, "The token is not valid";
    pub(crate) ISSUER_UNREACHABLE = "issuer-unreachable", 503, "The issuer of the token cannot be reached";
    /// The idempotency key was used with another request.
    pub KEY_REUSED = "key-reused", 422, "The idempotency key belongs to another request";
    pub(crate) KEY_RUNNING = "key-running", 409, "The same request is still running";
    pub(crate) KEY_UNKNOWN = "key-unknown", 409, "Nobody knows how the same request ended";
    /// The body is not the JSON that the path takes.
    pub MALFORMED_BODY = "malformed-body", 400, "The body is malformed";
    pub(crate) MALFORMED_HEADER = "malformed-header", 400, "A header is malformed";
    pub(crate) MALFORMED_PATH = "malformed-path", 400, "The path is malformed";
    pub(crate) MALFORMED_QUERY = "malformed-query", 400, "The query is malformed";
    pub(crate) METHOD_NOT_ALLOWED = "method-not-allowed", 405, "The path takes no such method";
    pub(crate) MISDIRECTED = "misdirected", 421, "The request is for another host";
    pub(crate) MISSING_CLAIM = "missing-claim", 403, "The token lacks a claim";
    pub(crate) NOT_ACCEPTABLE = "not-acceptable", 406, "No accepted media type can be answered";
    pub(crate) OVERLOADED = "overloaded", 503, "There are too many requests";
    pub(crate) OWN_CALL = "own-call", 403, "Somebody other than the caller has to decide";
    pub(crate) PRECONDITION_FAILED = "precondition-failed", 412, "The precondition does not hold";
    pub(crate) RANGE_NOT_SATISFIABLE = "range-not-satisfiable", 416, "The range cannot be answered";
    pub(crate) TOO_LARGE = "too-large", 413, "The body is too large";
    pub(crate) TOO_MANY_REQUESTS = "too-many-requests", 429, "There are too many requests of this principal";
    pub(crate) TOO_SLOW = "too-slow", 408, "The request took too long to arrive";
    pub(crate) UNAUTHENTICATED = "unauthenticated", 401, "Nobody said who sent the request";
    pub(crate) UNDRAFTABLE = "undraftable", 422, "Nothing can be drafted from this";
    /// A store cannot be reached or is full.
    pub UNAVAILABLE = "unavailable", 503, "The sidecar cannot do this now";
    pub(crate) UNKNOWN_PATH = "unknown-path", 404, "There is no such path";
    pub(crate) UNSUPPORTED_MEDIA_TYPE = "unsupported-media-type", 415, "The body has another media type";
}

impl ProblemKind {
    /// The refusals of access, which an operator watches from the start.
    pub(crate) const OF_ACCESS: [Self; 7] = [
        Self::FORBIDDEN,
        Self::FOREIGN_ORIGIN,
        Self::INVALID_TOKEN,
        Self::MISDIRECTED,
        Self::OVERLOADED,
        Self::TOO_MANY_REQUESTS,
        Self::UNAUTHENTICATED,
    ];

    pub(crate) fn count_refused(self, number: u64) {
        let labels = [("problem", self.name.to_owned()), ("status", self.status.to_string())];
        metrics::counter!("callgate_requests_refused_total", &labels).increment(number);
    }

    /// A kind by its `type`, which is a URI or the last part of one of callgate's, its status and a title that never changes.
    pub const fn new(name: &'static str, status: u16, title: &'static str) -> Self {
        Self { name, status, title }
    }

    /// The challenge to a caller that needs credentials (RFC 6750 §3).
    fn challenge(self) -> Option<&'static str> {
        match self {
            Self::FORBIDDEN => Some(r#"Bearer realm="callgate", error="insufficient_scope""#),
            Self::INVALID_TOKEN => Some(r#"Bearer realm="callgate", error="invalid_token""#),
            Self::UNAUTHENTICATED => Some(r#"Bearer realm="callgate""#),
            _ => None,
        }
    }

    fn status(self) -> StatusCode {
        StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }
}

/// Problem details (RFC 9457)
#[derive(Serialize, ToSchema)]
#[schema(as = Problem)]
pub(crate) struct Details {
    /// The kind of the problem: `urn:callgate:problem:NAME`
    r#type: String,
    /// The kind in a few words
    title: &'static str,
    /// The HTTP status
    status: u16,
    /// The fault, the expected value and what to do
    detail: Cow<'static, str>,
    #[serde(flatten)]
    #[schema(ignore)]
    members: Object,
}

impl Problem {
    /// The response with its body in one piece.
    pub(crate) fn into_http(self) -> http::Response<Bytes> {
        self.kind.count_refused(1);
        let (ProblemKind { name, title, .. }, status) = (self.kind, self.kind.status());
        let details = Details {
            r#type: if name.contains(':') { name.to_owned() } else { format!("{TYPES}{name}") },
            title,
            status: status.as_u16(),
            detail: self.detail,
            members: *self.members,
        };
        let body = serde_json::to_vec(&details).unwrap_or_default();
        let mut response = http::Response::new(Bytes::from(body));
        *response.status_mut() = status;
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if let Some(challenge) = self.kind.challenge() {
            let more = self.challenge.map(|more| format!(", {more}")).unwrap_or_default();
            let value = HeaderValue::try_from(format!("{challenge}{more}"));
            headers.extend(value.map(|value| (header::WWW_AUTHENTICATE, value)));
        }
        if let Some(length) = self.length {
            let value = HeaderValue::try_from(format!("bytes */{length}"));
            headers.extend(value.map(|value| (header::CONTENT_RANGE, value)));
        }
        if let Some(wait) = self.retry_after {
            // RFC 9110 §10.2.3: whole seconds; rounded up, so that no caller returns too early.
            let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        self.into_http().map(Body::from)
    }
}

/// The prefix of the `type` of callgate's own problems.
const TYPES: &str = "urn:callgate:problem:";
