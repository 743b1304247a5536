//! The body of a request as callgate's own JSON value, which keeps digits. Media type and size are checked before the body
//! is read; a duplicate key is refused.

use std::{error::Error, fmt, mem};

use axum::{
    body::Body,
    extract::{FromRequest, Request},
};
use bytes::Bytes;
use callgate_dialect::EnvelopeError;
use callgate_tool::{Value, from_value};
use http::{HeaderMap, header};
use http_body_util::{BodyExt, Collected, LengthLimitError, Limited};
use serde::de::DeserializeOwned;

use crate::problem::{self, Problem, ProblemKind};

#[derive(Debug)]
pub(crate) struct JsonBody {
    /// Those of the request: a second extractor would copy them.
    pub(crate) headers: HeaderMap,
    pub(crate) value: Value,
    pub(crate) bytes: Bytes,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct BodyLimit(pub(crate) usize);

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Unread {
    /// The body was slow, and others needed its place.
    Overloaded,
    Stopped,
    TooSlow,
}

impl fmt::Display for Unread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Overloaded => "the body was slow, and others needed its place",
            Self::Stopped => "the sidecar was stopped before the body had arrived",
            Self::TooSlow => "the body did not arrive in time",
        })
    }
}

impl Error for Unread {}

impl Default for BodyLimit {
    fn default() -> Self {
        Self(1 << 20)
    }
}

impl<S: Send + Sync> FromRequest<S> for JsonBody {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &S) -> Result<Self, Problem> {
        let (mut parts, body) = request.into_parts();
        let headers = mem::take(&mut parts.headers);
        let media_type = headers.get(header::CONTENT_TYPE);
        let media_type = media_type.and_then(|value| value.to_str().ok());
        if !media_type.is_some_and(is_json) {
            let detail = "expected `Content-Type: application/json`";
            return Err(Problem::new(ProblemKind::UNSUPPORTED_MEDIA_TYPE, detail));
        }
        let BodyLimit(most) = parts.extensions.get().copied().unwrap_or_default();
        drop(parts);
        let bytes = collect_body(body, most).await?;
        let text = str::from_utf8(&bytes)
            .map_err(|_| Problem::malformed_body("expected JSON in UTF-8"))?;
        let value = callgate_dialect::read_json(text)
            .map_err(|error| Problem::malformed_body(format!("expected a JSON object: {error}")))?;
        Ok(Self { headers, value, bytes })
    }
}

pub(crate) fn typed_body<T: DeserializeOwned>(body: Value) -> Result<T, Problem> {
    from_value(body)
        .map_err(|error| Problem::malformed_body(error.named_if_at_root("the body").to_string()))
}

impl From<EnvelopeError> for Problem {
    fn from(error: EnvelopeError) -> Self {
        Self::malformed_body(error.to_string())
    }
}

pub(crate) async fn collect_body(body: Body, most: usize) -> Result<Bytes, Problem> {
    let body = Limited::new(body, most).collect().await;
    body.map(Collected::to_bytes).map_err(|error| {
        if error.is::<LengthLimitError>() {
            let detail = format!("expected a body of at most {most} bytes");
            return Problem::new(ProblemKind::TOO_LARGE, detail);
        }
        match unread_reason(&*error) {
            Some(Unread::Overloaded) => problem::overloaded_problem(),
            Some(Unread::Stopped) => problem::draining_problem(),
            Some(Unread::TooSlow) => {
                let detail = "the body did not arrive in the time of `limits.body_time`";
                Problem::new(ProblemKind::TOO_SLOW, detail)
            }
            None => Problem::malformed_body("the body broke off"),
        }
    })
}

/// Finds the reason in an error: the server's layers wrap it.
fn unread_reason(error: &(dyn Error + 'static)) -> Option<Unread> {
    error.downcast_ref().copied().or_else(|| unread_reason(error.source()?))
}

/// RFC 9110 §8.3.1: parameters follow after `;`; case does not matter.
fn is_json(media_type: &str) -> bool {
    let essence = media_type.split(';').next().unwrap_or_default().trim();
    essence.eq_ignore_ascii_case("application/json")
}
