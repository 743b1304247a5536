//! The flags of `callgate man`.

use std::path::PathBuf;

use clap::Args;

#[derive(Args, Debug)]
pub(crate) struct ManArguments {
    /// The command whose page is printed: `call`, `audit verify`; callgate itself unless one is named
    pub(crate) command: Vec<String>,
    /// Write the pages of all commands into a folder, which is made: `~/.local/share/man/man1`
    #[arg(long, value_name = "DIR", conflicts_with = "command")]
    pub(crate) out: Option<PathBuf>,
}
