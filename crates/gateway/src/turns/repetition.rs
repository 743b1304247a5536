//! The header `Idempotency-Key` of a turn: a request repeated with its key gets the first answer, and asks neither the model nor
//! a tool. The turn keeps its answer also if its caller has left.

use callgate_agent::{Error, ErrorKind};
use callgate_policy::Guard;
use callgate_tool::{Fingerprint, Value};

use super::TakenTurn;
use crate::{
    calls::{GivenUp, RepeatedRequest},
    problem::{Problem, ProblemKind},
    routes::RouteRequest,
};

pub(super) struct TurnKey {
    key: String,
    /// The digest of the agent, the body, the values that headers and claims bind, and the caller's rights.
    digest: Fingerprint,
}

impl TurnKey {
    /// Reads the key of a request; `None` without one.
    pub(super) fn read(
        request: &RouteRequest,
        agent: &str,
        body: &Value,
    ) -> Result<Option<Self>, Problem> {
        let Some((key, mut hasher)) = request.idempotency_key_and_hasher()? else {
            return Ok(None);
        };
        hasher.add_text("turn").add_text(agent).add_value(body);
        Ok(Some(Self { key, digest: hasher.finish() }))
    }

    pub(super) async fn claim_key_or_answer(
        &self,
        request: &RouteRequest,
    ) -> Result<RepeatedRequest, Problem> {
        request.claim_key_or_answer(&self.key, self.digest.as_bytes(), GivenUp::Refused).await
    }
}

/// Keeps the answer of a turn. A turn that left no trace frees its key, so that it can be taken again.
pub(super) async fn keep_answer_or_free(guard: Guard, taken: &Result<TakenTurn, Error>) {
    match taken {
        // The conversation is as it was.
        Ok(taken) if taken.kept.end.is_taken_back => guard.free_key().await,
        Ok(taken) => guard.finish(kept_answer_json(taken).as_bytes()).await,
        Err(error) if is_before_turn_start(error) => guard.free_key().await,
        // The store failed, before the turn or after it.
        Err(_) => drop(guard),
    }
}

/// The answer as it is kept: with the tools whose results the caller must be allowed to read.
fn kept_answer_json(taken: &TakenTurn) -> String {
    let mut answer = taken.answer();
    if let Some(members) = answer.as_object_mut() {
        let tools = taken.kept.tools.iter().map(|tool| Value::from(tool.as_str()));
        members.insert(TOOLS, Value::Array(tools.collect()));
    }
    answer.to_string()
}

/// The answer that was kept, if its caller may use the tools of its results now.
pub(super) fn answer_if_readable(
    text: String,
    may_use: impl Fn(&str) -> bool,
) -> Result<String, Problem> {
    let Ok(Value::Object(mut answer)) = Value::parse(&text) else { return Ok(text) };
    // An answer of an earlier release has no such member.
    let Some(Value::Array(tools)) = answer.remove(TOOLS) else { return Ok(text) };
    if tools.iter().all(|tool| tool.as_str().is_some_and(&may_use)) {
        return Ok(Value::Object(answer).to_string());
    }
    let detail = "the turn with this key was taken, and the conversation has results of tools that the caller may not use any more: nothing was done now";
    Err(Problem::new(ProblemKind::KEY_UNKNOWN, detail))
}

/// The member of a kept answer that no caller gets.
const TOOLS: &str = "tools";

/// True if the turn did not begin.
fn is_before_turn_start(error: &Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::Answer
            | ErrorKind::Busy
            | ErrorKind::Dialect
            | ErrorKind::Input
            | ErrorKind::Session
            | ErrorKind::Transcript
            | ErrorKind::UnknownAgent
    )
}
