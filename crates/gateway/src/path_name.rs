//! The name in a path: percent-decoded, in UTF-8.

use axum::extract::{FromRequestParts, Path};
use http::request::Parts;

use crate::problem::{Problem, ProblemKind};

/// The only variable of a path.
#[derive(Debug)]
pub(crate) struct PathName(pub(crate) String);

impl<S: Send + Sync> FromRequestParts<S> for PathName {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let path = Path::from_request_parts(parts, state).await;
        path.map(|Path(name)| Self(name)).map_err(|_| {
            Problem::new(ProblemKind::MALFORMED_PATH, "expected a name in percent-encoded UTF-8")
        })
    }
}
