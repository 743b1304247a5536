//! Checks a client's answers against the waiting calls: equal id, tool and `displayName`, each once. One answer that
//! matches no call refuses the whole request, and no answer is accepted.

use callgate_tool::{Value, json};

use super::{
    inputs::ToolResponse,
    turn::{Fate, Past, PendingCall, Runs, Turn},
};
use crate::problem::{Problem, ProblemKind};

/// The positions of the calls that the answers belong to, in order.
pub(super) fn places(
    runs: &Runs,
    open: Option<&Turn>,
    responses: &[ToolResponse],
) -> Result<Vec<usize>, Problem> {
    let mut found = Vec::new();
    let mut wrong: Vec<(ProblemKind, String)> = Vec::new();
    for response in responses {
        match place(runs, open, response) {
            Ok(place) => found.push(place),
            Err(problem) => wrong.push(problem),
        }
    }
    let Some((kind, _)) = wrong.first() else { return Ok(found) };
    let detail: Vec<_> = wrong.iter().map(|(_, detail)| detail.as_str()).collect();
    Err(with_pending(Problem::new(*kind, detail.join("; ")), open))
}

fn place(
    runs: &Runs,
    open: Option<&Turn>,
    response: &ToolResponse,
) -> Result<usize, (ProblemKind, String)> {
    let id = &response.id;
    let calls = open.map(|turn| turn.calls.as_slice()).unwrap_or_default();
    for (at, call) in calls.iter().enumerate() {
        match &call.fate {
            Fate::Waits(waits, _) if waits == id => {
                return match mismatch(call, response) {
                    None => Ok(at),
                    Some(detail) => Err((ProblemKind::CALL_MISMATCH, detail)),
                };
            }
            Fate::Ended(_, Some(waited)) if waited == id => {
                return Err(settled(id, Past::Answered));
            }
            _ => {}
        }
    }
    if let (true, Some(action)) = (id.is_empty(), response.named.get("action")) {
        let detail = format!("no call of this session waits for the action {action} of its tool");
        return Err((ProblemKind::UNKNOWN_CALL, detail));
    }
    match runs.past.iter().rev().find(|(known, _)| known == id) {
        Some((_, past)) => Err(settled(id, *past)),
        None => Err((
            ProblemKind::UNKNOWN_CALL,
            format!("no call of this session has waited as `{id}`"),
        )),
    }
}

fn settled(id: &str, past: Past) -> (ProblemKind, String) {
    match past {
        Past::Answered => (ProblemKind::CALL_ANSWERED, format!("`{id}` was answered before")),
        Past::Expired => {
            (ProblemKind::CALL_EXPIRED, format!("`{id}` was given up, the answer came too late"))
        }
        Past::Removed => {
            (ProblemKind::CALL_EXPIRED, format!("`{id}` was given up, its tool was taken away"))
        }
    }
}

/// The first member of an answer that names another tool than its call.
fn mismatch(call: &PendingCall, response: &ToolResponse) -> Option<String> {
    let names = ["tool", "toolsetTool", "displayName"];
    let other = names.iter().find(|name| call.named.get(name) != response.named.get(name))?;
    let shown = |value: Option<&Value>| value.map_or_else(|| "none".to_owned(), Value::to_string);
    let (expected, got) = (shown(call.named.get(other)), shown(response.named.get(other)));
    Some(format!("`{}`: expected the `{other}` {expected}, got: {got}", response.id))
}

/// The refusal of other requests while a session waits.
pub(super) fn paused(turn: &Turn) -> Problem {
    let detail =
        "the session waits for its client: answer the calls under `toolCalls` with `toolResponses`";
    with_pending(Problem::new(ProblemKind::SESSION_PAUSED, detail), Some(turn))
}

/// Adds the waiting calls to a problem.
pub(super) fn with_pending(problem: Problem, open: Option<&Turn>) -> Problem {
    let calls = open.map_or_else(|| json!([]), Turn::asked);
    problem.with_member("toolCalls", calls)
}
