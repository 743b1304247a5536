//! Checks a client's answers against the waiting calls: equal id, tool and `displayName`, each once. One answer that
//! matches no call refuses the whole request, and no answer is accepted.

use callgate_gateway::{Problem, ProblemKind};
use callgate_tool::Value;

use super::{
    UNKNOWN_CALL,
    inputs::ToolResponse,
    turn::{CallState, PendingCall, Runs, WaitEnd, WaitingTurn},
};

/// The positions of the calls that the answers belong to, in order.
pub(super) fn call_positions(
    runs: &Runs,
    open: Option<&WaitingTurn>,
    responses: &[ToolResponse],
) -> Result<Vec<usize>, Problem> {
    let mut call_positions = Vec::new();
    let mut wrong: Vec<(ProblemKind, String)> = Vec::new();
    for response in responses {
        match call_position(runs, open, response) {
            Ok(position) => call_positions.push(position),
            Err(problem) => wrong.push(problem),
        }
    }
    let Some((kind, _)) = wrong.first() else { return Ok(call_positions) };
    let detail: Vec<_> = wrong.iter().map(|(_, detail)| detail.as_str()).collect();
    Err(with_waiting_calls(Problem::new(*kind, detail.join("; ")), open))
}

fn call_position(
    runs: &Runs,
    open: Option<&WaitingTurn>,
    response: &ToolResponse,
) -> Result<usize, (ProblemKind, String)> {
    let id = &response.id;
    let calls = open.map(|turn| turn.calls.as_slice()).unwrap_or_default();
    for (at, call) in calls.iter().enumerate() {
        match &call.state {
            CallState::Waits(waits, _) if waits == id => {
                return match tool_mismatch(call, response) {
                    None => Ok(at),
                    Some(detail) => Err((CALL_MISMATCH, detail)),
                };
            }
            CallState::Ended(_, Some(waited)) if waited == id => {
                return Err(ended_call_problem(id, WaitEnd::Answered));
            }
            _ => {}
        }
    }
    if let (true, Some(action)) = (id.is_empty(), response.named.get("action")) {
        let detail = format!("no call of this session waits for the action {action} of its tool");
        return Err((UNKNOWN_CALL, detail));
    }
    match runs.past.iter().rev().find(|(entry, _)| entry == id) {
        Some((_, past)) => Err(ended_call_problem(id, *past)),
        None => Err((UNKNOWN_CALL, format!("no call of this session has waited as `{id}`"))),
    }
}

fn ended_call_problem(id: &str, past: WaitEnd) -> (ProblemKind, String) {
    match past {
        WaitEnd::Answered => (CALL_ANSWERED, format!("`{id}` was answered before")),
        WaitEnd::Expired => {
            (CALL_EXPIRED, format!("`{id}` was given up, the answer came too late"))
        }
        WaitEnd::Removed => (CALL_EXPIRED, format!("`{id}` was given up, its tool was taken away")),
    }
}

/// The first member of an answer that names another tool than its call.
fn tool_mismatch(call: &PendingCall, response: &ToolResponse) -> Option<String> {
    let names = ["tool", "toolsetTool", "displayName"];
    let other = names.iter().find(|name| call.named.get(name) != response.named.get(name))?;
    let shown = |value: Option<&Value>| value.map_or_else(|| "none".to_owned(), Value::to_string);
    let (expected, got) = (shown(call.named.get(other)), shown(response.named.get(other)));
    Some(format!("`{}`: expected the `{other}` {expected}, got: {got}", response.id))
}

/// The refusal of other requests while a session waits.
pub(super) fn paused_session_problem(turn: &WaitingTurn) -> Problem {
    let detail =
        "the session waits for its client: answer the calls under `toolCalls` with `toolResponses`";
    with_waiting_calls(Problem::new(SESSION_PAUSED, detail), Some(turn))
}

/// Adds the waiting calls to a problem.
pub(super) fn with_waiting_calls(problem: Problem, open: Option<&WaitingTurn>) -> Problem {
    let calls = open.map(WaitingTurn::requested_calls).unwrap_or_default();
    problem.with_member("toolCalls", Value::Array(calls))
}

const CALL_ANSWERED: ProblemKind =
    ProblemKind::new("call-answered", 409, "The call was answered before");
const CALL_EXPIRED: ProblemKind = ProblemKind::new("call-expired", 409, "The call was given up");
const CALL_MISMATCH: ProblemKind =
    ProblemKind::new("call-mismatch", 409, "The answer names another tool");
const SESSION_PAUSED: ProblemKind =
    ProblemKind::new("session-paused", 409, "The session waits for its client");
