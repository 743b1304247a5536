//! Sentences about calls that do not reach a tool: calls of a message that cannot be made as the message asks. `call` has
//! the sentences about calls that are made.

use callgate_tool::{Fault, FaultCode, Next, shortened_text};

/// The arguments of a call cannot be read: `why` says what stands in place of an object.
pub(crate) fn unreadable_arguments(tool: &str, why: &str) -> Box<Fault> {
    let (tool, why) = (shortened_text(tool, MAX_NAME), shortened_text(why, MAX_WHY));
    let message = format!(
        "the arguments of `{tool}` cannot be read, nothing was sent: expected one JSON object, {why}; write the \
         arguments as one JSON object and call again"
    );
    boxed_fault(FaultCode::InvalidArguments, message, Next::CorrectArguments)
}

pub(crate) fn unnamed_tool() -> Box<Fault> {
    let message =
        "the call names no tool, nothing was sent; call one of the declared tools by its name";
    boxed_fault(FaultCode::UnknownTool, message, Next::CorrectArguments)
}

pub(crate) fn tool_not_provided_fault(asked: &str, functions: &[String]) -> Box<Fault> {
    let asked = shortened_text(asked, MAX_NAME);
    let mut message = format!("`{asked}` is not one of the tools provided here, nothing was sent");
    let mut room = MAX_LISTED;
    let shown = functions.iter().take_while(|name| {
        let fits = name.len() + 4 <= room;
        room = room.saturating_sub(name.len() + 4);
        fits
    });
    let shown: Vec<_> = shown.map(|name| format!("`{name}`")).collect();
    match (functions, &*shown) {
        ([], _) => message.push_str("; no tool is provided now: answer without one"),
        (_, []) => message.push_str("; call one of those that are"),
        (all, shown) if shown.len() < all.len() => {
            message
                .push_str(&format!("; call one of those that are, such as {}", shown.join(", ")));
        }
        (_, shown) => message.push_str(&format!("; call one of {}", shown.join(", "))),
    }
    boxed_fault(FaultCode::UnknownTool, message, Next::CorrectArguments)
}

pub(crate) fn repeated_call(id: &str) -> Box<Fault> {
    let id = shortened_text(id, MAX_NAME);
    let message = format!(
        "the call `{id}` stands twice in the message, with the same arguments; it was made once and is answered above; \
         call again under another id if it is meant twice"
    );
    boxed_fault(FaultCode::InvalidArguments, message, Next::CorrectArguments)
}

/// The call is not a function call: `kind` is the format's word for its type.
pub(crate) fn unsupported_call_kind(kind: &str) -> Box<Fault> {
    let kind = shortened_text(kind, MAX_NAME);
    let message = format!(
        "calls of the type `{kind}` cannot be made here, nothing was sent; call a function"
    );
    boxed_fault(FaultCode::NotSupported, message, Next::GiveUp)
}

pub(crate) fn too_many_calls_fault(most: usize) -> Box<Fault> {
    let message = format!(
        "only the first {most} calls of a message are made, and this one was not; call again later"
    );
    boxed_fault(FaultCode::Overloaded, message, Next::TryLater)
}

pub(crate) fn call_not_made_fault() -> Box<Fault> {
    boxed_fault(FaultCode::NotSupported, "this call was not made, nothing was sent", Next::GiveUp)
}

pub(crate) const MEDIA_LEFT_OUT: &str =
    "the content is not shown: this format takes none of its type";

fn boxed_fault(code: FaultCode, message: impl Into<String>, next: Next) -> Box<Fault> {
    Box::new(Fault::new(code, message, next))
}

const MAX_NAME: usize = 80;
const MAX_WHY: usize = 200;
/// The longest list in a message, in bytes: a message has at most 600 bytes of our own words.
const MAX_LISTED: usize = 380;
