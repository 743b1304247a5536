//! `callgate completions SHELL`: prints the completion script. The scripts for bash, fish and zsh ask `callgate complete` at
//! each key press; those for other shells know only commands and flags.

use clap::CommandFactory;
use clap_complete::Shell;

use crate::{
    args::{Arguments, CompletionsArguments},
    exit::Verdict,
    output,
};

pub(crate) fn run(arguments: &CompletionsArguments) -> Verdict {
    match arguments.shell {
        Shell::Bash => output::result(include_str!("completions/callgate.bash")),
        Shell::Fish => output::result(include_str!("completions/callgate.fish")),
        Shell::Zsh => output::result(include_str!("completions/callgate.zsh")),
        shell => output::result(&of_commands(shell)),
    }
    Verdict::Fine
}

fn of_commands(shell: Shell) -> String {
    let mut script = Vec::new();
    let mut command = Arguments::command();
    clap_complete::generate(shell, &mut command, "callgate", &mut script);
    String::from_utf8_lossy(&script).into_owned()
}
