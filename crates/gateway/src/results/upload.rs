//! `POST /v1/results`: takes a file and answers a handle, which a later call of the same principal in the same session may name
//! where an argument takes bytes.

use std::time::SystemTime;

use axum::{
    extract::{Request, State},
    response::{IntoResponse, Response},
};
use callgate_executor::KeptFile;
use callgate_session::{Error, ErrorKind};
use callgate_tool::{Session, StoredResult, rfc_3339};
use http::{HeaderMap, StatusCode, header};
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    answer::JsonText,
    bodies,
    caller::Caller,
    gateway::Gateway,
    json_body::{BodyLimit, collect_body},
    problem::{Problem, ProblemKind},
    query::Query,
};

/// A file that is kept for later calls
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct StoredFile<'f> {
    /// The name of the file in arguments: `{"handle": "result:…"}`
    handle: &'f str,
    media_type: &'f str,
    /// The number of bytes
    size: usize,
    /// The time when the file is forgotten
    #[schema(format = DateTime)]
    expires: String,
    /// Sentences that say what is not as always
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<&'static str>,
}

/// Keeps a file for later calls.
#[utoipa::path(
    post, path = "/v1/results",
    operation_id = "storeFile", tag = "calls",
    params(("session" = Option<String>, Query, description = "The id of the session whose calls may name the file")),
    request_body(content = bodies::Bytes, content_type = "application/octet-stream", description = "The bytes of the file, in its own media type"),
    responses(
        (status = 201, description = "The file is kept", body = StoredFile<'_>),
        (status = 400, description = "The request has an idempotency key"),
        (status = 413, description = "The file is larger than `limits.body_bytes`, or than the store"),
        (status = 415, description = "The body is a form, or has no media type"),
    ),
)]
pub(crate) async fn store(
    State(gateway): State<Gateway>,
    caller: Caller,
    mut query: Query,
    request: Request,
) -> Result<Response, Problem> {
    let session = query.take_parameter("session")?.map_or_else(Session::default, Session::new);
    query.refuse_remaining("`session`, the id of the session whose calls may name the file")?;
    if caller.toolsets.as_ref().is_some_and(|usable| usable.is_empty()) {
        let detail = "this caller makes no calls that a file could be for";
        return Err(Problem::new(ProblemKind::FORBIDDEN, detail));
    }
    refuse_idempotency_key(request.headers())?;
    let media_type = media_type(request.headers())?;
    let BodyLimit(most) = request.extensions().get().copied().unwrap_or_default();
    let bytes = collect_body(request.into_body(), most)
        .await
        .map_err(|problem| file_too_large_problem(problem, most))?;
    let size = bytes.len();
    let file = StoredResult::new(&*media_type, bytes);
    let executor = &gateway.current_build().executor;
    let kept = executor.keep_file(file, &session, caller.principal.as_ref()).await;
    let KeptFile { handle, is_local, .. } = kept.map_err(store_problem)?;
    let notes = if is_local { vec![LOCAL] } else { Vec::new() };
    let expires = rfc_3339(SystemTime::now() + KeptFile::TIME);
    let body =
        StoredFile { handle: handle.as_str(), media_type: &media_type, size, expires, notes };
    let mut response = (StatusCode::CREATED, JsonText::from_body(&body)).into_response();
    let location = format!("/v1/results/{handle}");
    response.headers_mut().extend(location.parse().map(|value| (header::LOCATION, value)));
    Ok(response)
}

/// Refuses an idempotency key: a file that is sent again is kept again.
fn refuse_idempotency_key(headers: &HeaderMap) -> Result<(), Problem> {
    if !headers.contains_key(IDEMPOTENCY_KEY) {
        return Ok(());
    }
    let detail = "`Idempotency-Key`: expected none, because a file that is sent again is kept again under another handle";
    Err(Problem::new(ProblemKind::MALFORMED_HEADER, detail))
}

/// The media type of the file. A form is not the file: what clients send by default would be kept with the wrong type.
fn media_type(headers: &HeaderMap) -> Result<String, Problem> {
    let named = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let essence = named.and_then(|named| named.split(';').next()).unwrap_or_default().trim();
    let is_form = ["multipart/form-data", "application/x-www-form-urlencoded"]
        .iter()
        .any(|form| form.eq_ignore_ascii_case(essence));
    let got = match named {
        Some(named) if !is_form && essence.contains('/') => return Ok(named.to_owned()),
        Some(named) => format!("`{named}`"),
        None => "none".to_owned(),
    };
    let detail = format!(
        "expected the bytes of the file as the body, with its media type such as `application/pdf` in `Content-Type`, got: {got}; send the file itself, not a form"
    );
    Err(Problem::new(ProblemKind::UNSUPPORTED_MEDIA_TYPE, detail))
}

fn file_too_large_problem(problem: Problem, most: usize) -> Problem {
    if !problem.is_too_large() {
        return problem;
    }
    let detail =
        format!("expected a file of at most {most} bytes; `limits.body_bytes` sets the bound");
    Problem::new(ProblemKind::TOO_LARGE, detail)
}

fn store_problem(error: Error) -> Problem {
    match error.kind() {
        ErrorKind::TooLarge => {
            let detail = format!("the store of results has no room for this file: {error}");
            Problem::new(ProblemKind::TOO_LARGE, detail)
        }
        _ => error.into(),
    }
}

const IDEMPOTENCY_KEY: &str = "idempotency-key";
const LOCAL: &str = "the store of results cannot be used now, so the file is kept by one process alone: its handle works there until that process ends";
