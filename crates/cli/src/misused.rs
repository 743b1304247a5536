//! The message for a command line that clap refuses, with a remedy if clap has none: the arguments of a tool are not flags,
//! and a command lists the tools.

use clap::{
    Error,
    error::{ContextKind, ContextValue, ErrorKind},
};

/// The error with a remedy.
pub(crate) fn told(mut error: Error) -> Error {
    let words: Vec<_> = std::env::args_os().skip(1).take(2).collect();
    let word = |at: usize| words.get(at).and_then(|word| word.to_str()).unwrap_or_default();
    if word(0) != "call" {
        return error;
    }
    let tip = match error.kind() {
        ErrorKind::UnknownArgument if error.get(ContextKind::SuggestedArg).is_none() => {
            let given = match error.get(ContextKind::InvalidArg) {
                Some(ContextValue::String(given)) => given.trim_start_matches('-'),
                _ => "petId",
            };
            format!("the arguments of a tool have no dashes: `{given}=…`")
        }
        ErrorKind::MissingRequiredArgument if !word(1).starts_with('-') && !word(1).is_empty() => {
            format!("`callgate tools {}` lists the tools", word(1))
        }
        _ => return error,
    };
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    error
}
