//! `callgate completions SHELL`: the completion script on standard output.

use clap::CommandFactory;

use crate::{
    args::{Arguments, CompletionsArguments},
    exit::Verdict,
    output,
};

/// Prints the script.
pub(crate) fn run(arguments: &CompletionsArguments) -> Verdict {
    let mut script = Vec::new();
    let mut command = Arguments::command();
    clap_complete::generate(arguments.shell, &mut command, "callgate", &mut script);
    output::result(&String::from_utf8_lossy(&script));
    Verdict::Fine
}
