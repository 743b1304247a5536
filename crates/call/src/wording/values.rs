//! Sentences about tools that ask whoever calls them for values.

use callgate_tool::{Fault, FaultCode, Next};

/// The values are asked for: whoever asked for the call is told so in the words of its protocol.
pub fn asked() -> Box<Fault> {
    let message = "this tool needs values that the user has to give first; nothing was done yet";
    Box::new(Fault::new(FaultCode::NeedsValues, message, Next::AskUser))
}

/// Nobody can be asked where the call was made.
pub fn nobody_asked() -> Box<Fault> {
    let message = "this tool asks the user for values, and nobody can be asked here; tell the user what you wanted to do";
    Box::new(Fault::new(FaultCode::NeedsValues, message, Next::AskUser))
}
