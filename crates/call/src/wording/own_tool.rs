//! Sentences about tools that no description has.

use callgate_tool::{Effect, Fault, FaultCode, Next, Problem, Reached, Value};

use super::{fault_with_problems, faults};

faults! {
    /// The service that describes the tool was not asked: the load had no leave to.
    pub fn unasked_service() = NotSupported, GiveUp:
        "the service that describes this tool was not asked, as in every dry run and every test, and nothing was sent; a real call asks it";

    /// An export names the connection of the tool, and the operator did not write that it may be asked.
    pub fn named_by_export() = NotSupported, GiveUp:
        "an export names the connection of this tool, and nothing was sent: the operator has written neither its name (`connection`) nor a `server`";
}

pub(crate) fn unexpected_result(
    problems: Vec<Problem>,
    output: Value,
    effect: Effect,
) -> Box<Fault> {
    let advice = match effect {
        Effect::Read => "; the tool has a fault of its own: tell the user",
        _ => {
            "; the tool has run, and has a fault of its own: tell the user, and do not call it again"
        }
    };
    let mut fault =
        fault_with_problems(FaultCode::UnreadableResponse, problems, advice, Next::AskUser);
    fault.message = format!("the result is not what the tool declares: {}", fault.message);
    fault.reached = Reached::Yes;
    fault.body = Some(output);
    fault
}
