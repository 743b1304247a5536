//! What HTTP requests are refused with: problem details (RFC 9457). How a call ends is a result and no problem.

use std::{borrow::Cow, time::Duration};

use axum::response::{IntoResponse, Response};
use http::{HeaderValue, StatusCode, header};
use serde::Serialize;

/// A request that is refused.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    kind: ProblemKind,
    detail: Cow<'static, str>,
    retry_after: Option<Duration>,
    /// How many bytes there are, where a range was asked for.
    length: Option<usize>,
}

/// Why a request is refused; several may share a status.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum ProblemKind {
    /// No tool, result or session has this name, for this caller.
    AbsentResource,
    /// The idempotency key was used with another body.
    KeyReused,
    /// A request with the same idempotency key is still running.
    KeyRunning,
    /// The body is not the JSON that the path takes.
    MalformedBody,
    /// A header is not what the path takes.
    MalformedHeader,
    /// The name in the path is not in percent-encoded UTF-8.
    MalformedPath,
    /// A parameter of the query is not what the path takes.
    MalformedQuery,
    /// The path takes no such method.
    MethodNotAllowed,
    /// The token lacks a claim that a session parameter is bound to.
    MissingClaim,
    /// No answer is in a type that the request accepts.
    NotAcceptable,
    /// What the request would change is in another version.
    PreconditionFailed,
    /// The range lies behind the end.
    RangeNotSatisfiable,
    /// The body is larger than the bound.
    TooLarge,
    /// A store cannot be reached or is full.
    Unavailable,
    /// There is no such path.
    UnknownPath,
    /// The body is not JSON.
    UnsupportedMediaType,
}

impl Problem {
    /// A problem with what is wrong, what was expected and what to do.
    pub(crate) fn new(kind: ProblemKind, detail: impl Into<Cow<'static, str>>) -> Self {
        Self { kind, detail: detail.into(), retry_after: None, length: None }
    }

    /// The same problem, which may be over after a while.
    #[must_use]
    pub(crate) fn with_retry_after(self, wait: Duration) -> Self {
        Self { retry_after: Some(wait), ..self }
    }

    /// The same problem, with the length that a range must lie in (RFC 9110 §15.5.17).
    #[must_use]
    pub(crate) fn with_content_range(self, length: usize) -> Self {
        Self { length: Some(length), ..self }
    }
}

impl ProblemKind {
    /// The last part of its `type`, the status of its response, and a few words that are always the same.
    fn parts(self) -> (&'static str, StatusCode, &'static str) {
        match self {
            Self::AbsentResource => ("absent", StatusCode::NOT_FOUND, "There is none of this name"),
            Self::KeyReused => (
                "key-reused",
                StatusCode::UNPROCESSABLE_ENTITY,
                "The idempotency key belongs to another request",
            ),
            Self::KeyRunning => {
                ("key-running", StatusCode::CONFLICT, "The same request is still running")
            }
            Self::MalformedBody => {
                ("malformed-body", StatusCode::BAD_REQUEST, "The body is malformed")
            }
            Self::MalformedHeader => {
                ("malformed-header", StatusCode::BAD_REQUEST, "A header is malformed")
            }
            Self::MalformedPath => {
                ("malformed-path", StatusCode::BAD_REQUEST, "The path is malformed")
            }
            Self::MalformedQuery => {
                ("malformed-query", StatusCode::BAD_REQUEST, "The query is malformed")
            }
            Self::MethodNotAllowed => (
                "method-not-allowed",
                StatusCode::METHOD_NOT_ALLOWED,
                "The path takes no such method",
            ),
            Self::MissingClaim => {
                ("missing-claim", StatusCode::FORBIDDEN, "The token lacks a claim")
            }
            Self::NotAcceptable => (
                "not-acceptable",
                StatusCode::NOT_ACCEPTABLE,
                "No accepted media type can be answered",
            ),
            Self::PreconditionFailed => (
                "precondition-failed",
                StatusCode::PRECONDITION_FAILED,
                "The precondition does not hold",
            ),
            Self::RangeNotSatisfiable => (
                "range-not-satisfiable",
                StatusCode::RANGE_NOT_SATISFIABLE,
                "The range cannot be answered",
            ),
            Self::TooLarge => ("too-large", StatusCode::PAYLOAD_TOO_LARGE, "The body is too large"),
            Self::Unavailable => {
                ("unavailable", StatusCode::SERVICE_UNAVAILABLE, "The sidecar cannot do this now")
            }
            Self::UnknownPath => ("unknown-path", StatusCode::NOT_FOUND, "There is no such path"),
            Self::UnsupportedMediaType => (
                "unsupported-media-type",
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "The body has another media type",
            ),
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

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let (name, status, title) = self.kind.parts();
        let details = Details {
            r#type: format!("{TYPES}{name}"),
            title,
            status: status.as_u16(),
            detail: &self.detail,
        };
        let body = serde_json::to_vec(&details).unwrap_or_default();
        let mut response = (status, body).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if let Some(length) = self.length {
            let value = HeaderValue::try_from(format!("bytes */{length}"));
            headers.extend(value.map(|value| (header::CONTENT_RANGE, value)));
        }
        if let Some(wait) = self.retry_after {
            // RFC 9110 §10.2.3: whole seconds; rounded up, so that nobody comes too early.
            let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

/// What the `type` of each problem begins with.
const TYPES: &str = "urn:callgate:problem:";
