//! The flags of `callgate test`.

use std::path::PathBuf;

use clap::Args;

#[derive(Args, Debug)]
pub(crate) struct TestArguments {
    /// Folders of fixtures: one with a `toolset.yaml`, one of its cases, or any folder above
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Write what is missing or differs instead of failing
    #[arg(long)]
    pub(crate) update: bool,
}
