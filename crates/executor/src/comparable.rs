//! A result as it can be compared with a file: without random values and moments.

use callgate_tool::{Content, Handle, Outcome, ToolResult};

/// A result without random values and moments.
#[doc(hidden)]
pub fn result_without_random_values(mut result: ToolResult) -> ToolResult {
    for handle in result_handles(&mut result) {
        *handle = handle.take().map(|_| Handle::from_random(0));
    }
    if let Outcome::Pending(pending) = &mut result.outcome {
        "call_0".clone_into(&mut pending.id);
        pending.expires = None;
    }
    result
}

/// The handles of a result, where it may have some.
#[doc(hidden)]
pub fn result_handles(result: &mut ToolResult) -> Vec<&mut Option<Handle>> {
    let Outcome::Answered(answer) = &mut result.outcome else { return Vec::new() };
    let mut handles: Vec<_> = match &mut answer.content {
        Content::Parts(parts) => parts.iter_mut().map(|part| &mut part.handle).collect(),
        _ => Vec::new(),
    };
    handles.push(&mut answer.handle);
    handles
}
