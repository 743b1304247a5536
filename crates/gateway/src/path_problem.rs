//! Responses to requests whose path or method nobody takes.

use axum::response::{IntoResponse as _, Response};
use http::{HeaderValue, header};

use crate::problem::{Problem, ProblemKind};

pub(crate) fn unknown_path() -> Problem {
    let detail = "`GET /openapi.json` lists the paths there are";
    Problem::new(ProblemKind::UNKNOWN_PATH, detail)
}

/// Responds to a method that a path does not take (RFC 9110 §15.5.6), with the methods of its own description.
pub(crate) fn method_not_allowed(path: &str, has_verb: bool) -> Response {
    let detail = "the header `Allow` lists the methods of this path";
    let mut response = Problem::new(ProblemKind::METHOD_NOT_ALLOWED, detail).into_response();
    if allows_verbs(path) {
        let allowed = if has_verb { "POST" } else { "GET,HEAD,PUT,PATCH,DELETE" };
        response.headers_mut().insert(header::ALLOW, HeaderValue::from_static(allowed));
    }
    response
}

/// True for a path below which verbs may follow.
pub(crate) fn allows_verbs(path: &str) -> bool {
    path.starts_with(SESSIONS)
}

/// The beginning of the sidecar's own paths that verbs may follow.
const SESSIONS: &str = "/v1/sessions/";
