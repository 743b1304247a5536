//! The exit code of a command: 0 for success, 1 for findings, a failed call or a mismatch, 2 for usage or input and output.

use std::{error::Error, process::ExitCode};

use callgate_tool::escape_invisible_in_line;

use crate::output;

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Verdict {
    /// There are findings, a failed call, or a mismatch.
    Findings,
    Fine,
}

/// A command that could not do its work: the message is for the user.
#[derive(Debug)]
pub(crate) struct Failure(pub(crate) String);

impl Failure {
    /// A failure with the next step, each in one line: names of others in them forge no further line.
    pub(crate) fn with_help(error: &str, help: &str) -> Self {
        Self(format!(
            "error: {}\nhelp: {}",
            escape_invisible_in_line(error),
            escape_invisible_in_line(help)
        ))
    }
}

pub(crate) fn error_with_cause(error: &dyn Error) -> String {
    match error.source() {
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    }
}

/// The exit code of a command; a failure is reported on standard error.
pub(crate) fn exit_code(ended: Result<Verdict, Failure>) -> ExitCode {
    match ended {
        Ok(Verdict::Fine) => ExitCode::SUCCESS,
        Ok(Verdict::Findings) => ExitCode::from(1),
        Err(Failure(message)) => {
            output::print_message(&format!("{}\n", message.trim_end()));
            ExitCode::from(2)
        }
    }
}

impl Verdict {
    pub(crate) fn findings_if(has_findings: bool) -> Self {
        if has_findings { Self::Findings } else { Self::Fine }
    }
}
