//! The header `Idempotency-Key` of `POST /v1/calls`: a repeated request with an equal key, body and calls (by their
//! fingerprints) gets the first response, and no call is made again. Each call of the request gets its own key, derived from the request's, so that repeating an
//! interrupted request makes the missing calls.

use std::{sync::Arc, time::Duration};

use axum::response::{IntoResponse, Response};
use callgate_policy::{Begun, Guard, IdempotencyKey, Records};
use callgate_tool::{Next, Outcome, PendingKind, Principal, Reached, ToolResult};
use http::HeaderMap;
use sha2::{Digest, Sha256};

use super::envelope::is_key;
use crate::{
    answer::JsonText,
    problem::{Problem, ProblemKind},
};

/// The way to continue with a request that has a key.
#[derive(Debug)]
pub(crate) enum Repeated {
    /// The request was answered.
    Answered(Arc<String>),
    /// The request is made; the guard takes its response.
    Made(Option<Guard<String>>),
}

/// The key of a request.
pub(crate) fn key(headers: &HeaderMap) -> Result<Option<String>, Problem> {
    let mut values = headers.get_all("idempotency-key").iter();
    let Some(value) = values.next() else { return Ok(None) };
    let text = value.to_str().ok().filter(|text| is_key(text) && values.next().is_none());
    let text = text.ok_or_else(|| {
        let detail = "`Idempotency-Key`: expected one text of 1 to 255 printable ASCII characters";
        Problem::new(ProblemKind::MalformedHeader, detail)
    })?;
    Ok(Some(text.to_owned()))
}

/// The key of the call at a position in a request with a key.
pub(super) fn of_call(key: &str, at: usize) -> String {
    format!("{key}\u{1f}{at}")
}

/// Looks up a request with a key in the records.
pub(crate) fn begun(
    answers: &Arc<Records<String>>,
    key: &str,
    parts: &[&[u8]],
    principal: Option<&Principal>,
) -> Result<Repeated, Problem> {
    // Each part follows its length, so that no two lists of parts are alike.
    let mut digest = Sha256::new();
    for part in parts {
        digest.update((part.len() as u64).to_le_bytes());
        digest.update(part);
    }
    let digest = digest.finalize().into();
    match answers.begin(principal, &IdempotencyKey(key.to_owned()), digest) {
        Begun::Different => {
            let detail = "the key was given to another request, with another body, session or credential: choose another key";
            Err(Problem::new(ProblemKind::KeyReused, detail))
        }
        Begun::Fresh(guard) => Ok(Repeated::Made(Some(guard))),
        Begun::Full => {
            let detail = "no more idempotency keys can be kept now";
            Err(Problem::new(ProblemKind::Unavailable, detail).with_retry_after(answers.wait()))
        }
        Begun::Replay(answer) => Ok(Repeated::Answered(answer)),
        Begun::Running => {
            let detail = "a request with the same key is still running: repeat it later";
            let problem = Problem::new(ProblemKind::KeyRunning, detail);
            Err(problem.with_retry_after(Duration::from_secs(1)))
        }
        // The result of each call is kept under the call's own key.
        Begun::Unknown => Ok(Repeated::Made(None)),
    }
}

/// Responds, and keeps the response for a repetition. The response is not kept if a call was turned away and may be
/// repeated, or waits for an approval: the call's own key then leads to its result.
pub(super) fn answer(
    guard: Option<Guard<String>>,
    text: String,
    results: &[ToolResult],
) -> Response {
    let Some(guard) = guard else { return JsonText(text).into_response() };
    if results.iter().any(is_open) {
        guard.free();
        return JsonText(text).into_response();
    }
    let size = text.len();
    JsonText(String::clone(&guard.finish(text, size))).into_response()
}

fn is_open(result: &ToolResult) -> bool {
    match &result.outcome {
        Outcome::Failed(fault) => fault.reached == Reached::No && fault.next == Next::TryLater,
        Outcome::Pending(pending) => pending.kind == PendingKind::Approval,
        _ => false,
    }
}
