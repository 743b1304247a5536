//! The flags of the commands that help at a terminal: `completions`, `complete`, `explain`, `man`.

use std::{ffi::OsString, path::PathBuf};

use clap::{Args, ValueEnum};
use clap_complete::Shell;

#[derive(Args, Debug)]
pub(crate) struct CompletionsArguments {
    /// The shell; in bash, fish and zsh tools and arguments are completed, too, from the description (kept in
    /// `$XDG_CACHE_HOME/callgate/completions`)
    pub(crate) shell: Shell,
}

#[derive(Args, Debug)]
pub(crate) struct CompleteArguments {
    /// The shell that asks
    pub(crate) shell: CompletedShell,
    /// The words of the command line, the last up to the cursor; of bash the line itself, and the characters that end words
    #[arg(allow_hyphen_values = true, trailing_var_arg = true)]
    pub(crate) words: Vec<OsString>,
}

/// A shell that has tools and arguments completed.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub(crate) enum CompletedShell {
    Bash,
    Fish,
    Zsh,
}

#[derive(Args, Debug)]
pub(crate) struct ExplainArguments {
    /// The code, as a finding or a failed call shows it in brackets; all of them when there is none
    pub(crate) code: Option<String>,
}

#[derive(Args, Debug)]
pub(crate) struct ManArguments {
    /// The command whose page is printed: `call`, `audit verify`; callgate itself unless one is named
    pub(crate) command: Vec<String>,
    /// Write the pages of all commands into a folder, which is made: `~/.local/share/man/man1`
    #[arg(long, value_name = "DIR", conflicts_with = "command")]
    pub(crate) out: Option<PathBuf>,
}
