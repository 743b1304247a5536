//! Sentences about calls that clients run.

use std::time::Duration;

use callgate_tool::{Effect, Fault, FaultCode, Next, Problem, Reached, Value};

use super::{clipped, fault, listed, sent};

/// The client ran the call and reports that it failed.
pub fn failed(said: Value) -> Box<Fault> {
    let text = said.as_str().or_else(|| said.get("message").and_then(Value::as_str));
    let message = match text {
        Some(text) => format!("the client could not run the call: {}", clipped(text, 300)),
        None => "the client could not run the call; its own words follow".to_owned(),
    };
    let mut fault = sent(FaultCode::ServiceError, message, Next::AskUser, Reached::Yes);
    fault.body = Some(said);
    fault
}

/// The client did not report the result of the call in time.
pub fn unanswered(time: Duration, effect: Effect) -> Box<Fault> {
    let time = time.as_secs();
    let (advice, next) = match effect {
        Effect::Read => ("call again", Next::TryLater),
        _ => ("it may have run it: ask before you call again", Next::AskUser),
    };
    let message = format!("the client did not answer the call within {time} seconds; {advice}");
    sent(FaultCode::TimedOut, message, next, Reached::Maybe)
}

/// The caller left while calls of this turn were running.
pub fn left() -> Box<Fault> {
    let message =
        "the caller left while this call ran; it may have been executed: ask before you call again";
    sent(FaultCode::Stopped, message, Next::AskUser, Reached::Maybe)
}

/// The tool was removed while its call waited for the client.
pub fn tool_removed(name: &str) -> Box<Fault> {
    let message = format!(
        "the tool `{}` was taken away while its call waited for the client; call one of the declared tools",
        clipped(name, 100)
    );
    sent(FaultCode::ToolRemoved, message, Next::GiveUp, Reached::Maybe)
}

/// Another turn of the session has begun to wait for the client.
pub fn waits_already() -> Box<Fault> {
    let message = "another turn of this session waits for its client, which was not asked to run this call; call again when that is answered";
    fault(FaultCode::Overloaded, message, Next::TryLater)
}

/// The call cannot be kept until its client answers.
pub fn not_kept() -> Box<Fault> {
    let message = "the call cannot be kept until the client answers it, which was not asked to run it; call again later";
    fault(FaultCode::Overloaded, message, Next::TryLater)
}

/// No mock matches the call, and the real call is not allowed.
pub fn not_mocked() -> Box<Fault> {
    let message =
        "no mock fits this call, and the request lets no other call through; nothing was sent";
    fault(FaultCode::Refused, message, Next::GiveUp)
}

/// The client runs the tool, but this caller cannot wait for it.
pub fn nobody_runs() -> Box<Fault> {
    let message = "the client runs this tool; `:runSession` hands out its calls";
    fault(FaultCode::NotSupported, message, Next::GiveUp)
}

pub(crate) fn unexpected(problems: Vec<Problem>) -> Box<Fault> {
    let advice = "; answer what the schema of the output says";
    listed(FaultCode::UnreadableResponse, problems, advice, Next::GiveUp)
}
