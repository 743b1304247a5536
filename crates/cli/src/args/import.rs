//! The flags of `callgate import`.

use std::path::PathBuf;

use clap::Args;

#[derive(Args, Debug)]
pub(crate) struct ImportArguments {
    /// The folder of the export, or a zip of it
    pub(crate) export: PathBuf,
    /// The folder that is made: `callgate.yaml`, and a folder with description and examples for each toolset. Nothing that
    /// is there is written over
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
}
