//! The header `Idempotency-Key` of `POST /v1/calls`: the same key and body answer what was answered first, and make no call
//! again. Each call of such a request has a key of its own that follows from the request's, so that a repetition makes up for
//! what a first request that was given up did not come to.

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

/// The way in which a request with a key goes on.
#[derive(Debug)]
pub(crate) enum Repeated {
    /// It was answered.
    Answered(Arc<String>),
    /// It is made, with the one who is told of its answer.
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

/// The key of the call at a place of a request with a key.
pub(super) fn of_call(key: &str, at: usize) -> String {
    format!("{key}\u{1f}{at}")
}

/// Looks a request with a key up in the records.
pub(crate) fn begun(
    answers: &Arc<Records<String>>,
    key: &str,
    parts: &[&[u8]],
    principal: Option<&Principal>,
) -> Result<Repeated, Problem> {
    // The first part is the body or holds no zero.
    let digest = Sha256::digest(parts.join(&0)).into();
    match answers.begin(principal, &IdempotencyKey(key.to_owned()), digest) {
        Begun::Different => {
            let detail = "the key was given to a request with another body: choose another key";
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
        // What became of each call is known by its own key.
        Begun::Unknown => Ok(Repeated::Made(None)),
    }
}

/// Answers, and keeps the answer for a repetition, unless a call was turned away that a repetition may make, or waits for an
/// approval: what comes of that is known by the call's own key.
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
