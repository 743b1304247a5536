//! The refusals of HTTP requests: problem details (RFC 9457). The ending of a call is a result, not a problem.

use std::{borrow::Cow, time::Duration};

use axum::{
    body::{Body, Bytes},
    response::{IntoResponse, Response},
};
use callgate_tool::{Object, Value};
use http::{HeaderValue, StatusCode, header};
use serde::Serialize;

/// The refusal of a request.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    kind: ProblemKind,
    detail: Cow<'static, str>,
    retry_after: Option<Duration>,
    /// Parameters of the challenge, besides those of the problem's kind.
    challenge: Option<String>,
    /// The total number of bytes, if a range was requested.
    length: Option<usize>,
    /// Further facts, by the names of their members (RFC 9457 §3.2).
    members: Object,
}

/// The reason why a request is refused; several may share a status.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum ProblemKind {
    /// This caller has no tool, result or session with this name.
    AbsentResource,
    /// The client has answered the call before.
    CallAnswered,
    /// The call that the client answers was given up.
    CallExpired,
    /// The client's answer names another tool than the call.
    CallMismatch,
    /// The input is one for a model.
    NeedsModel,
    /// The session waits for its client.
    SessionPaused,
    /// The client's answer does not match the tool's schema.
    UnexpectedOutput,
    /// No call of this session has waited under this id.
    UnknownCall,
    /// The sidecar is being stopped.
    Draining,
    /// The principal may not use this path.
    Forbidden,
    /// The wire format does not have this form of declarations.
    ForeignForm,
    /// The message does not match the dialect.
    ForeignMessage,
    /// A page of another origin sent the request.
    ForeignOrigin,
    /// The head has too many headers.
    HeadTooLarge,
    /// The token belongs to no principal, or is no longer valid.
    InvalidToken,
    /// The issuer of the token does not return its keys.
    IssuerUnreachable,
    /// The idempotency key was used with another body.
    KeyReused,
    /// A request with the same idempotency key is still running.
    KeyRunning,
    /// The body is not the JSON that the path takes.
    MalformedBody,
    /// A header is not valid for the path.
    MalformedHeader,
    /// The name in the path is not in percent-encoded UTF-8.
    MalformedPath,
    /// A parameter of the query is not valid for the path.
    MalformedQuery,
    /// The path does not take this method.
    MethodNotAllowed,
    /// The request is for another host.
    Misdirected,
    /// The token lacks a claim that a session parameter is bound to.
    MissingClaim,
    /// The request accepts no media type of the response.
    NotAcceptable,
    /// There is no room for another request.
    Overloaded,
    /// The principal already sends as many requests at a time as it may.
    TooManyRequests,
    /// The resource that the request would change has another version.
    PreconditionFailed,
    /// The range begins after the end.
    RangeNotSatisfiable,
    /// The body is larger than the limit.
    TooLarge,
    /// The body did not arrive in time.
    TooSlow,
    /// The caller is not identified.
    Unauthenticated,
    /// A store cannot be reached or is full.
    Unavailable,
    /// There is no such path.
    UnknownPath,
    /// The body is not JSON.
    UnsupportedMediaType,
}

impl Problem {
    /// A problem with a detail: what is wrong, what was expected and what to do.
    pub(crate) fn new(kind: ProblemKind, detail: impl Into<Cow<'static, str>>) -> Self {
        Self {
            kind,
            detail: detail.into(),
            retry_after: None,
            challenge: None,
            length: None,
            members: Object::new(),
        }
    }

    /// The detail: what is wrong, what was expected and what to do.
    pub(crate) fn detail(&self) -> &str {
        &self.detail
    }

    /// True if no other request would help: the status is 5xx.
    pub(crate) fn is_ours(&self) -> bool {
        self.kind.status().is_server_error()
    }

    /// Adds a wait, after which the problem may be over.
    #[must_use]
    pub(crate) fn with_retry_after(self, wait: Duration) -> Self {
        Self { retry_after: Some(wait), ..self }
    }

    /// Adds further parameters of the challenge.
    #[must_use]
    pub(crate) fn with_challenge(self, challenge: Option<String>) -> Self {
        Self { challenge, ..self }
    }

    /// True if another token would help.
    pub(crate) fn is_of_tokens(&self) -> bool {
        self.kind.challenge().is_some()
    }

    /// True if the caller is not identified.
    pub(crate) fn is_unauthenticated(&self) -> bool {
        self.kind == ProblemKind::Unauthenticated
    }

    /// Adds the length that a range must lie in (RFC 9110 §15.5.17).
    #[must_use]
    pub(crate) fn with_content_range(self, length: usize) -> Self {
        Self { length: Some(length), ..self }
    }
}

impl Problem {
    /// Adds another fact.
    #[must_use]
    pub(crate) fn with_member(mut self, name: &str, value: Value) -> Self {
        self.members.insert(name, value);
        self
    }
}

#[cfg(test)]
impl Problem {
    /// The status of the problem's response.
    pub(crate) fn status(&self) -> u16 {
        self.kind.status().as_u16()
    }
}

/// The sidecar is being stopped.
pub(crate) fn draining() -> Problem {
    let detail = "the sidecar is being stopped; another one may answer";
    Problem::new(ProblemKind::Draining, detail).with_retry_after(Duration::from_secs(1))
}

/// There is no room for another request.
pub(crate) fn overloaded() -> Problem {
    let detail = "as many requests as `limits.requests` allows are being answered";
    Problem::new(ProblemKind::Overloaded, detail).with_retry_after(Duration::from_secs(1))
}

/// The principal has no room for another request, while others may.
pub(crate) fn beyond_share() -> Problem {
    let detail = "as many requests of this principal as `limits.principal_requests` allows are being answered";
    Problem::new(ProblemKind::TooManyRequests, detail).with_retry_after(Duration::from_secs(1))
}

/// There is no room for another connection.
pub(crate) fn too_many_connections() -> Problem {
    let detail = "as many connections as `limits.connections` allows are open";
    Problem::new(ProblemKind::Overloaded, detail).with_retry_after(Duration::from_secs(1))
}

impl ProblemKind {
    /// The challenge to a caller that needs credentials (RFC 6750 §3).
    fn challenge(self) -> Option<&'static str> {
        match self {
            Self::Forbidden => Some(r#"Bearer realm="callgate", error="insufficient_scope""#),
            Self::InvalidToken => Some(r#"Bearer realm="callgate", error="invalid_token""#),
            Self::Unauthenticated => Some(r#"Bearer realm="callgate""#),
            _ => None,
        }
    }

    /// The last part of the problem's `type`.
    fn name(self) -> &'static str {
        match self {
            Self::AbsentResource => "absent",
            Self::CallAnswered => "call-answered",
            Self::CallExpired => "call-expired",
            Self::CallMismatch => "call-mismatch",
            Self::NeedsModel => "needs-model",
            Self::SessionPaused => "session-paused",
            Self::UnexpectedOutput => "unexpected-output",
            Self::UnknownCall => "unknown-call",
            Self::Draining => "draining",
            Self::Forbidden => "forbidden",
            Self::ForeignForm => "foreign-form",
            Self::ForeignMessage => "foreign-message",
            Self::ForeignOrigin => "foreign-origin",
            Self::HeadTooLarge => "head-too-large",
            Self::InvalidToken => "invalid-token",
            Self::IssuerUnreachable => "issuer-unreachable",
            Self::KeyReused => "key-reused",
            Self::KeyRunning => "key-running",
            Self::MalformedBody => "malformed-body",
            Self::MalformedHeader => "malformed-header",
            Self::MalformedPath => "malformed-path",
            Self::MalformedQuery => "malformed-query",
            Self::MethodNotAllowed => "method-not-allowed",
            Self::Misdirected => "misdirected",
            Self::MissingClaim => "missing-claim",
            Self::NotAcceptable => "not-acceptable",
            Self::Overloaded => "overloaded",
            Self::TooManyRequests => "too-many-requests",
            Self::PreconditionFailed => "precondition-failed",
            Self::RangeNotSatisfiable => "range-not-satisfiable",
            Self::TooLarge => "too-large",
            Self::TooSlow => "too-slow",
            Self::Unauthenticated => "unauthenticated",
            Self::Unavailable => "unavailable",
            Self::UnknownPath => "unknown-path",
            Self::UnsupportedMediaType => "unsupported-media-type",
        }
    }

    /// The status of the problem's response.
    fn status(self) -> StatusCode {
        match self {
            Self::AbsentResource | Self::UnknownPath => StatusCode::NOT_FOUND,
            Self::Draining | Self::IssuerUnreachable | Self::Overloaded | Self::Unavailable => {
                StatusCode::SERVICE_UNAVAILABLE
            }
            Self::Forbidden | Self::ForeignOrigin | Self::MissingClaim => StatusCode::FORBIDDEN,
            Self::HeadTooLarge => StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
            Self::InvalidToken | Self::Unauthenticated => StatusCode::UNAUTHORIZED,
            Self::ForeignForm | Self::ForeignMessage | Self::KeyReused | Self::UnexpectedOutput => {
                StatusCode::UNPROCESSABLE_ENTITY
            }
            Self::CallAnswered
            | Self::CallExpired
            | Self::CallMismatch
            | Self::KeyRunning
            | Self::SessionPaused
            | Self::UnknownCall => StatusCode::CONFLICT,
            Self::MalformedBody
            | Self::MalformedHeader
            | Self::MalformedPath
            | Self::MalformedQuery
            | Self::NeedsModel => StatusCode::BAD_REQUEST,
            Self::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Self::Misdirected => StatusCode::MISDIRECTED_REQUEST,
            Self::NotAcceptable => StatusCode::NOT_ACCEPTABLE,
            Self::PreconditionFailed => StatusCode::PRECONDITION_FAILED,
            Self::RangeNotSatisfiable => StatusCode::RANGE_NOT_SATISFIABLE,
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::TooManyRequests => StatusCode::TOO_MANY_REQUESTS,
            Self::TooSlow => StatusCode::REQUEST_TIMEOUT,
            Self::UnsupportedMediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        }
    }

    /// A short title that never changes.
    fn title(self) -> &'static str {
        match self {
            Self::AbsentResource => "There is none of this name",
            Self::CallAnswered => "The call was answered before",
            Self::CallExpired => "The call was given up",
            Self::CallMismatch => "The answer names another tool",
            Self::NeedsModel => "The input needs a model",
            Self::SessionPaused => "The session waits for its client",
            Self::UnexpectedOutput => "The answer is not what the tool answers",
            Self::UnknownCall => "No such call waits",
            Self::Draining => "The sidecar is being stopped",
            Self::Forbidden => "The principal may not do this",
            Self::ForeignForm => "The wire format has no such form",
            Self::ForeignMessage => "The message is none of the dialect",
            Self::ForeignOrigin => "Pages of other origins are not served",
            Self::HeadTooLarge => "The head is too large",
            Self::InvalidToken => "The token is not valid",
            Self::IssuerUnreachable => "The issuer of the token cannot be reached",
            Self::KeyReused => "The idempotency key belongs to another request",
            Self::KeyRunning => "The same request is still running",
            Self::MalformedBody => "The body is malformed",
            Self::MalformedHeader => "A header is malformed",
            Self::MalformedPath => "The path is malformed",
            Self::MalformedQuery => "The query is malformed",
            Self::MethodNotAllowed => "The path takes no such method",
            Self::Misdirected => "The request is for another host",
            Self::MissingClaim => "The token lacks a claim",
            Self::NotAcceptable => "No accepted media type can be answered",
            Self::Overloaded => "There are too many requests",
            Self::TooManyRequests => "There are too many requests of this principal",
            Self::PreconditionFailed => "The precondition does not hold",
            Self::RangeNotSatisfiable => "The range cannot be answered",
            Self::TooLarge => "The body is too large",
            Self::TooSlow => "The request took too long to arrive",
            Self::Unauthenticated => "Nobody said who sent the request",
            Self::Unavailable => "The sidecar cannot do this now",
            Self::UnknownPath => "There is no such path",
            Self::UnsupportedMediaType => "The body has another media type",
        }
    }
}

/// RFC 9457 §3.1.
#[derive(Serialize)]
struct Details<'a> {
    r#type: String,
    title: &'static str,
    status: u16,
    detail: &'a str,
}

impl Problem {
    /// The response with its body in one piece.
    pub(crate) fn into_http(self) -> http::Response<Bytes> {
        let (name, status, title) = (self.kind.name(), self.kind.status(), self.kind.title());
        let details = Details {
            r#type: format!("{TYPES}{name}"),
            title,
            status: status.as_u16(),
            detail: &self.detail,
        };
        let mut body = serde_json::to_vec(&details).unwrap_or_default();
        if !self.members.is_empty() {
            let members = Value::Object(self.members).to_string();
            body.pop();
            body.push(b',');
            body.extend(members.bytes().skip(1));
        }
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

/// The prefix of each problem's `type`.
const TYPES: &str = "urn:callgate:problem:";
