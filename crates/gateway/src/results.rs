//! `GET /v1/results/{id}`: the whole of a result that was cut, or a file, or a range of either, for the principal and the
//! session that made the call. `upload` takes a file for later calls.

mod range;
mod upload;

use axum::{
    extract::State,
    response::{IntoResponse, Response},
};
use callgate_session::Owner;
use callgate_tool::{Handle, Session, StoredResult};
use http::{HeaderMap, HeaderValue, StatusCode, header};

use self::range::{RequestedRange, requested_range};
pub(crate) use self::upload::{__path_store, store};
use crate::{
    bodies,
    caller::Caller,
    gateway::Gateway,
    path_name::PathName,
    problem::{Problem, ProblemKind},
    query::Query,
    rights::call_rights,
};

/// Shows the whole of a result that was cut, or a file, or a range of it.
#[utoipa::path(
    get, path = "/v1/results/{id}",
    operation_id = "showResult", tag = "calls",
    params(
        ("id" = String, Path, description = "The `handle` of a result"),
        ("session" = Option<String>, Query, description = "The id of the session whose call made it"),
    ),
    responses(
        (status = 200, description = "The bytes as the service sent them, credentials masked", body = bodies::Bytes, content_type = "application/octet-stream"),
        (status = 206, description = "The range of them that `Range` asks for", body = bodies::Bytes, content_type = "application/octet-stream"),
        (status = 404, description = "No such result is kept for this caller and session"),
        (status = 416, description = "The range lies behind the end"),
    ),
)]
pub(crate) async fn show(
    State(gateway): State<Gateway>,
    caller: Caller,
    PathName(id): PathName,
    mut query: Query,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let session = query.take_parameter("session")?.map_or_else(Session::default, Session::new);
    query.refuse_remaining("`session`, the id of the session whose call made the result")?;
    let handle = Handle::new(&id).ok_or_else(absent_result)?;
    let built = gateway.current_build();
    let owner = Owner::new(caller.principal.as_ref(), &session);
    // A caller who may no longer use the tool does not learn that there is a result.
    let rights = call_rights(&gateway, &built, &caller);
    let result = built.executor.readable_result(&handle, owner, &rights).await?;
    let StoredResult { media_type, bytes, .. } = result.ok_or_else(absent_result)?;
    let range = headers.get(header::RANGE).and_then(|range| range.to_str().ok());
    let (status, body) = match requested_range(range, bytes.len()) {
        RequestedRange::Nothing => return Err(unsatisfiable_range_problem(bytes.len())),
        RequestedRange::Part(part) => {
            (StatusCode::PARTIAL_CONTENT, (bytes.slice(part.clone()), Some(part)))
        }
        RequestedRange::Whole => (StatusCode::OK, (bytes.clone(), None)),
    };
    let (body, part) = body;
    let mut response = (status, body).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, content_type_or_binary(&media_type));
    if let Some(part) = part {
        let (first, last, whole) = (part.start, part.end.saturating_sub(1), bytes.len());
        let text = format!("bytes {first}-{last}/{whole}");
        headers.extend(HeaderValue::try_from(text).map(|value| (header::CONTENT_RANGE, value)));
    }
    for (name, value) in SAFE {
        headers.insert(name, HeaderValue::from_static(value));
    }
    Ok(response)
}

/// The service's media type, if it is valid.
fn content_type_or_binary(media_type: &str) -> HeaderValue {
    let unknown = HeaderValue::from_static("application/octet-stream");
    let value = HeaderValue::try_from(media_type).ok();
    value.filter(|_| media_type.contains('/')).unwrap_or(unknown)
}

fn absent_result() -> Problem {
    let detail = "a result is kept for fifteen minutes, for the caller and the session whose call made it: name that as `?session=ID`";
    Problem::new(ProblemKind::ABSENT_RESOURCE, detail)
}

fn unsatisfiable_range_problem(length: usize) -> Problem {
    let detail = format!("expected a range within the {length} bytes of the result");
    Problem::new(ProblemKind::RANGE_NOT_SATISFIABLE, detail).with_content_range(length)
}

/// Headers that make browsers treat a service's bytes as data, not as a page, and prevent caching.
const SAFE: [(header::HeaderName, &str); 5] = [
    (header::ACCEPT_RANGES, "bytes"),
    (header::CACHE_CONTROL, "private, no-store"),
    (header::CONTENT_DISPOSITION, "attachment"),
    (header::CONTENT_SECURITY_POLICY, "sandbox; default-src 'none'"),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
];
