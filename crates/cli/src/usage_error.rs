//! The message for a command line that clap refuses, with a remedy if clap has none: the arguments of a tool are not flags,
//! and a command lists the tools. A line break in a word is an escape there, so that no word forges a line of the message.

use std::process::ExitCode;

use callgate_tool::escape_invisible_in_line;
use clap::{
    Error,
    error::{ContextKind, ContextValue, ErrorKind},
};

use crate::output;

/// Writes the message, or the help that was asked for.
pub(crate) fn print_error_or_help(error: Error) -> ExitCode {
    if !error.use_stderr() {
        error.exit();
    }
    let error = words_in_one_line(with_call_tip(error));
    output::print_message(&output::with_trusted_escapes(&error.render().ansi().to_string()));
    ExitCode::from(2)
}

/// The error with each word of the command line in one line.
fn words_in_one_line(mut error: Error) -> Error {
    let line = |text: &String| escape_invisible_in_line(text).into_owned();
    let shown: Vec<_> = error
        .context()
        .filter_map(|(kind, value)| match value {
            ContextValue::String(text) => Some((kind, ContextValue::String(line(text)))),
            ContextValue::Strings(texts) => {
                Some((kind, ContextValue::Strings(texts.iter().map(line).collect())))
            }
            _ => None,
        })
        .collect();
    for (kind, value) in shown {
        error.insert(kind, value);
    }
    error
}

fn with_call_tip(mut error: Error) -> Error {
    let words: Vec<_> = std::env::args_os().skip(1).take(2).collect();
    let word = |at: usize| words.get(at).and_then(|word| word.to_str()).unwrap_or_default();
    if word(0) != "call" {
        return error;
    }
    let tip = match error.kind() {
        ErrorKind::UnknownArgument => {
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
