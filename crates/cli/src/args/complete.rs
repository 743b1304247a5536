//! The arguments of the hidden `callgate complete`, which the scripts of `callgate completions` call.

use std::ffi::OsString;

use clap::{Args, ValueEnum};

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
