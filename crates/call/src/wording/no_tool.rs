//! Words the faults of calls of tools that are not there: unknown ones, and those that a load refuses.

use callgate_tool::{Fault, FaultCode, Next};

use super::{clipped_text, fault, push_quoted_names, shortened_text};

/// There is no tool with the name `asked`.
pub fn unknown_tool(asked: &str, nearest: &[&str]) -> Box<Fault> {
    let message = unknown_tool_sentence(asked, nearest, "call one of the declared tools");
    fault(FaultCode::UnknownTool, message, Next::CorrectArguments)
}

/// The tool `asked` is not offered: the load of its description refused the operation for this reason.
pub fn refused_tool(asked: &str, reason: &str) -> Box<Fault> {
    fault(FaultCode::UnknownTool, refused_tool_sentence(asked, reason), Next::GiveUp)
}

/// The sentence about a tool whose operation is refused.
pub fn refused_tool_sentence(asked: &str, reason: &str) -> String {
    let (asked, reason) = (shortened_text(asked), clipped_text(reason, REASON));
    format!(
        "the tool `{asked}` is not offered, nothing was sent: its operation is refused, {reason}"
    )
}

/// The sentence about an unknown tool; `otherwise` is the advice if no tool has a similar name.
pub fn unknown_tool_sentence(asked: &str, nearest: &[&str], otherwise: &str) -> String {
    let mut message = format!("there is no tool `{}`; ", shortened_text(asked));
    match nearest {
        [] => message.push_str(otherwise),
        names => {
            message.push_str(if names.len() == 1 { "the nearest is " } else { "the nearest are " });
            push_quoted_names(&mut message, names.iter().copied().take(NEAREST));
        }
    }
    message
}

const NEAREST: usize = 3;

/// The most bytes of a reason.
const REASON: usize = 300;
