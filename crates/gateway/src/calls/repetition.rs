//! The header `Idempotency-Key` of `POST /v1/calls`: a repeated request with an equal key, body and calls (by their
//! fingerprints) gets the first response, and no call is made again. Each call of the request gets its own key, derived from the request's, so that repeating an
//! interrupted request makes the missing calls.

use std::{sync::Arc, time::Duration};

use callgate_policy::{Begun, Guard, IdempotencyKey, Records};
use callgate_tool::{Next, Outcome, PendingKind, Principal, Reached, ToolResult};
use http::{HeaderMap, HeaderName};
use sha2::{Digest, Sha256};

use crate::problem::{Problem, ProblemKind};

#[derive(Debug)]
pub(crate) enum RepeatedRequest {
    Answered(String),
    /// The request is made; the guard takes its response.
    Made(Guard),
}

pub(crate) fn idempotency_key(headers: &HeaderMap) -> Result<Option<String>, Problem> {
    let mut values = headers.get_all(KEY).iter();
    let Some(value) = values.next() else { return Ok(None) };
    let is_key = |text: &&str| IdempotencyKey::of_text(text).is_some();
    let text = value.to_str().ok().filter(|text| is_key(text) && values.next().is_none());
    let text = text.ok_or_else(|| {
        let detail = "`Idempotency-Key`: expected one text of 1 to 255 printable ASCII characters";
        Problem::new(ProblemKind::MALFORMED_HEADER, detail)
    })?;
    Ok(Some(text.to_owned()))
}

pub(super) fn derived_call_key(key: &str, at: usize) -> String {
    format!("{key}\u{1f}{at}")
}

/// What becomes of a request whose end nobody knows, because it was given up.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum GivenUp {
    /// It is made again: the result of each of its calls is kept under the call's own key.
    MadeAgain,
    /// It is refused, because it has no such calls.
    Refused,
}

/// Looks up a request with a key in the records.
pub(crate) async fn claim_key_or_answer(
    answers: &Arc<Records>,
    key: &str,
    parts: &[&[u8]],
    principal: Option<&Principal>,
    given_up: GivenUp,
) -> Result<RepeatedRequest, Problem> {
    // Each part follows its length, so that no two lists of parts are alike.
    let mut digest = Sha256::new();
    for part in parts {
        digest.update((part.len() as u64).to_le_bytes());
        digest.update(part);
    }
    let digest = digest.finalize().into();
    // No call has a key that begins like this.
    let key = IdempotencyKey(format!("\u{1f}{key}"));
    let may_replace = |kept: Option<&[u8]>| kept.is_none() && given_up == GivenUp::MadeAgain;
    match answers.begin(principal, &key, digest, may_replace).await {
        Begun::Different => {
            let detail = "the key was given to another request, with another body, session or credential: choose another key";
            Err(Problem::new(ProblemKind::KEY_REUSED, detail))
        }
        Begun::Fresh(guard) => Ok(RepeatedRequest::Made(guard)),
        Begun::Full(wait) => {
            let detail = "no more idempotency keys can be kept now";
            Err(Problem::new(ProblemKind::UNAVAILABLE, detail).with_retry_after(wait))
        }
        Begun::Replay(answer) => {
            Ok(RepeatedRequest::Answered(String::from_utf8_lossy(&answer).into_owned()))
        }
        Begun::Running => {
            let detail = "a request with the same key is still running: repeat it later";
            Err(Problem::new(ProblemKind::KEY_RUNNING, detail).with_retry_after(SOON))
        }
        Begun::Unknown if given_up == GivenUp::Refused => {
            let detail = "a request with this key was begun, and its answer is not kept: it may have done all, some or nothing of its work; nothing was done now";
            Err(Problem::new(ProblemKind::KEY_UNKNOWN, detail))
        }
        Begun::Unavailable | Begun::Unknown => {
            let detail = "idempotency keys cannot be kept now";
            Err(Problem::new(ProblemKind::UNAVAILABLE, detail).with_retry_after(SOON))
        }
    }
}

/// Keeps a response for a repetition, unless a call was turned away and may be repeated, or waits for an approval: the call's own
/// key then leads to its result.
pub(super) async fn keep_unless_open(guard: Guard, text: &str, results: &[ToolResult]) {
    if results.iter().any(is_repeatable_or_pending) {
        guard.free_key().await;
    } else {
        guard.finish(text.as_bytes()).await;
    }
}

fn is_repeatable_or_pending(result: &ToolResult) -> bool {
    match &result.outcome {
        Outcome::Failed(fault) => fault.reached == Reached::No && fault.next == Next::TryLater,
        Outcome::Pending(pending) => pending.kind == PendingKind::Approval,
        _ => false,
    }
}

const KEY: HeaderName = HeaderName::from_static("idempotency-key");
/// The wait before a retry while the first request runs, or no key can be kept.
const SOON: Duration = Duration::from_secs(1);
