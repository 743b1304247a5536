//! The flags of `callgate doctor`.

use std::path::PathBuf;

use clap::Args;

#[derive(Args, Debug)]
pub(crate) struct DoctorArguments {
    /// A callgate configuration, or the name of a profile; `./callgate.yaml` unless one is named
    pub(crate) file: Option<PathBuf>,
    /// Print what was found as JSON
    #[arg(long)]
    pub(crate) json: bool,
}
