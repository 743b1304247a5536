//! Sentences about calls that clients run.

use std::time::Duration;

use callgate_tool::{Effect, Fault, FaultCode, Next, Problem, Reached, Value};

use super::{clipped_text, fault_after_sending, fault_with_problems, faults};

/// The client ran the call and reports that it failed.
pub fn failed_call(said: Value) -> Box<Fault> {
    let text = said.as_str().or_else(|| said.get("message").and_then(Value::as_str));
    let message = match text {
        Some(text) => format!("the client could not run the call: {}", clipped_text(text, 300)),
        None => "the client could not run the call; its own words follow".to_owned(),
    };
    let mut fault =
        fault_after_sending(FaultCode::ServiceError, message, Next::AskUser, Reached::Yes);
    fault.body = Some(said);
    fault
}

/// The client did not report the result of the call in time.
pub fn unanswered_call(time: Duration, effect: Effect) -> Box<Fault> {
    let time = time.as_secs();
    let (advice, next) = match effect {
        Effect::Read => ("call again", Next::TryLater),
        _ => ("it may have run it: ask before you call again", Next::AskUser),
    };
    let message = format!("the client did not answer the call within {time} seconds; {advice}");
    fault_after_sending(FaultCode::TimedOut, message, next, Reached::Maybe)
}

faults! {
    /// A program made the call, which cannot wait for a client.
    pub fn not_from_code() = NotSupported, CorrectArguments:
        "the client runs this tool, and code cannot wait for it; nothing was sent; make the call by itself, outside of the code";

    /// The tool was removed while its call waited for the client.
    pub fn tool_removed(name: &str) = ToolRemoved, GiveUp, reached Maybe:
        "the tool `{name}` was taken away while its call waited for the client; call one of the declared tools",
        name = clipped_text(name, 100);

    /// Another turn of the session has begun to wait for the client.
    pub fn waits_already() = Overloaded, TryLater:
        "another turn of this session waits for its client, which was not asked to run this call; call again when that is answered";

    /// The call cannot be kept until its client answers.
    pub fn unkeepable_call() = Overloaded, TryLater:
        "the call cannot be kept until the client answers it, which was not asked to run it; call again later";

    /// No mock matches the call, and the real call is not allowed.
    pub fn not_mocked() = Refused, GiveUp:
        "no mock fits this call, and the request lets no other call through; nothing was sent";

    /// The client runs the tool, but this caller cannot wait for it.
    pub fn nobody_runs() = NotSupported, GiveUp:
        "the client runs this tool; `:runSession` hands out its calls";
}

pub(crate) fn unexpected_answer(problems: Vec<Problem>) -> Box<Fault> {
    let advice = "; answer what the schema of the output says";
    fault_with_problems(FaultCode::UnreadableResponse, problems, advice, Next::GiveUp)
}
