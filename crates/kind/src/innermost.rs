//! An error in one sentence with the innermost of its causes, which says what to mend.

use std::error::Error as StdError;

/// The message of an error, with that of its innermost cause unless it has it.
pub fn message_with_root_cause(error: &(dyn StdError + 'static)) -> String {
    let mut innermost = error;
    while let Some(cause) = innermost.source() {
        innermost = cause;
    }
    let (message, cause) = (error.to_string(), innermost.to_string());
    if message.contains(&cause) { message } else { format!("{message}: {cause}") }
}
