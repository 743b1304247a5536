//! Sentences about tools that a program adds.

use callgate_tool::{Effect, Fault, FaultCode, Next, Problem, Reached, Value};

use super::listed;

pub(crate) fn unexpected(problems: Vec<Problem>, output: Value, effect: Effect) -> Box<Fault> {
    let advice = match effect {
        Effect::Read => "; the tool has a fault of its own: tell the user",
        _ => {
            "; the tool has run, and has a fault of its own: tell the user, and do not call it again"
        }
    };
    let mut fault = listed(FaultCode::UnreadableResponse, problems, advice, Next::AskUser);
    fault.message = format!("the result is not what the tool declares: {}", fault.message);
    fault.reached = Reached::Yes;
    fault.body = Some(output);
    fault
}
