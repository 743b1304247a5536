//! The flags of `callgate test`.

use std::path::PathBuf;

use clap::Args;

#[derive(Args, Debug)]
pub(crate) struct TestArguments {
    /// Folders of fixtures: one with a `toolset.yaml`, one of its cases, or any folder above
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Only the cases with this in the name of their folder; may be given several times
    #[arg(long, value_name = "TEXT")]
    pub(crate) case: Vec<String>,
    /// Write what is missing or differs instead of failing
    #[arg(long, conflicts_with = "record")]
    pub(crate) update: bool,
    /// Send the calls of new cases (without `response.http` and `result.json`) to their service, and write down what was sent
    /// and answered, credentials as `****`
    #[arg(long)]
    pub(crate) record: bool,
    /// With `--record`: send the calls of all cases, and write over what is there
    #[arg(long, requires = "record")]
    pub(crate) force: bool,
}
