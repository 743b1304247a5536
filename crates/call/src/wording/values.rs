//! Sentences about tools that ask their caller for values.

use super::faults;

faults! {
    /// The values are being requested: the caller's protocol asks for them in its own form.
    pub fn requested_values() = NeedsValues, AskUser:
        "this tool needs values that the user has to give first; nothing was done yet";

    /// There is nobody to ask where the call was made.
    pub fn nobody_asked() = NeedsValues, AskUser:
        "this tool asks the user for values, and nobody can be asked here; tell the user what you wanted to do";
}
