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
}

/// Why a request is refused; each has a status of its own or shares it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum ProblemKind {
    /// No tool, result or session has this name, for this caller.
    AbsentResource,
    /// The body is not the JSON that the path takes.
    MalformedBody,
    /// A parameter of the query is not what the path takes.
    MalformedQuery,
    /// The path takes no such method.
    MethodNotAllowed,
    /// No answer is in a type that the request accepts.
    NotAcceptable,
    /// The body is larger than the bound.
    TooLarge,
    /// There is no such path.
    UnknownPath,
    /// The body is not JSON.
    UnsupportedMediaType,
}

impl Problem {
    /// A problem with what is wrong, what was expected and what to do.
    pub(crate) fn new(kind: ProblemKind, detail: impl Into<Cow<'static, str>>) -> Self {
        Self { kind, detail: detail.into(), retry_after: None }
    }

    /// The same problem, which may be over after a while.
    #[must_use]
    pub(crate) fn with_retry_after(self, wait: Duration) -> Self {
        Self { retry_after: Some(wait), ..self }
    }
}

impl ProblemKind {
    /// Every kind.
    pub(crate) const ALL: [Self; 8] = [
        Self::AbsentResource,
        Self::MalformedBody,
        Self::MalformedQuery,
        Self::MethodNotAllowed,
        Self::NotAcceptable,
        Self::TooLarge,
        Self::UnknownPath,
        Self::UnsupportedMediaType,
    ];

    /// The last part of its `type`.
    pub(crate) fn name(self) -> &'static str {
        self.parts().0
    }

    /// The status of its response.
    pub(crate) fn status(self) -> StatusCode {
        self.parts().1
    }

    /// A few words that are always the same.
    pub(crate) fn title(self) -> &'static str {
        self.parts().2
    }

    fn parts(self) -> (&'static str, StatusCode, &'static str) {
        match self {
            Self::AbsentResource => ("absent", StatusCode::NOT_FOUND, "There is none of this name"),
            Self::MalformedBody => {
                ("malformed-body", StatusCode::BAD_REQUEST, "The body is malformed")
            }
            Self::MalformedQuery => {
                ("malformed-query", StatusCode::BAD_REQUEST, "The query is malformed")
            }
            Self::MethodNotAllowed => (
                "method-not-allowed",
                StatusCode::METHOD_NOT_ALLOWED,
                "The path takes no such method",
            ),
            Self::NotAcceptable => (
                "not-acceptable",
                StatusCode::NOT_ACCEPTABLE,
                "No accepted media type can be answered",
            ),
            Self::TooLarge => ("too-large", StatusCode::PAYLOAD_TOO_LARGE, "The body is too large"),
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
        let status = self.kind.status();
        let details = Details {
            r#type: format!("{TYPES}{}", self.kind.name()),
            title: self.kind.title(),
            status: status.as_u16(),
            detail: &self.detail,
        };
        let body = serde_json::to_vec(&details).unwrap_or_default();
        let mut response = (status, body).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
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
