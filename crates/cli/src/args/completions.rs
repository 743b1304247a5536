//! The flags of `callgate completions`.

use clap::Args;
use clap_complete::Shell;

#[derive(Args, Debug)]
pub(crate) struct CompletionsArguments {
    /// The shell
    pub(crate) shell: Shell,
}
