//! Sentences about tools that ask their caller for values.

use callgate_tool::{Fault, FaultCode, Next};

/// The values are being requested: the caller's protocol asks for them in its own form.
pub fn requested_values() -> Box<Fault> {
    let message = "this tool needs values that the user has to give first; nothing was done yet";
    Box::new(Fault::new(FaultCode::NeedsValues, message, Next::AskUser))
}

/// There is nobody to ask where the call was made.
pub fn nobody_asked() -> Box<Fault> {
    let message = "this tool asks the user for values, and nobody can be asked here; tell the user what you wanted to do";
    Box::new(Fault::new(FaultCode::NeedsValues, message, Next::AskUser))
}
