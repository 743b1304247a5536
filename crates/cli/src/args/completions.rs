//! The flags of `callgate completions`.

use clap::Args;
use clap_complete::Shell;

#[derive(Args, Debug)]
pub(crate) struct CompletionsArguments {
    /// The shell; in bash, fish and zsh tools and arguments are completed, too, from the description (kept in
    /// `$XDG_CACHE_HOME/callgate/completions`)
    pub(crate) shell: Shell,
}
