//! The flags of `callgate diff`.

use std::path::PathBuf;

use clap::Args;

#[derive(Args, Debug)]
pub(crate) struct DiffArguments {
    /// The description or configuration that agents know: a file, `-`, an https address or a profile
    pub(crate) old: PathBuf,
    /// The one that takes its place
    pub(crate) new: PathBuf,
    /// Print the changes as JSON
    #[arg(long)]
    pub(crate) json: bool,
}
