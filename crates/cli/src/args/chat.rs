//! The flags of `callgate chat`.

use std::path::PathBuf;

use clap::Args;

#[derive(Args, Debug)]
pub(crate) struct ChatArguments {
    /// A callgate configuration with `agents`, and the agent's name; `./callgate.yaml` if only the agent is named
    #[arg(value_name = "[CONFIG] AGENT", num_args = 1..=2, required = true)]
    pub(crate) named: Vec<String>,
    /// Say this, print the answer and end; calls that need an approval wait where nobody can be asked
    #[arg(long, value_name = "TEXT")]
    pub(crate) once: Option<String>,
    /// Give this image or document with what `--once` says; may be given several times
    #[arg(long = "file", value_name = "FILE", requires = "once")]
    pub(crate) files: Vec<PathBuf>,
    /// Keep the conversation in this file, and go on with what is there
    #[arg(long, value_name = "FILE")]
    pub(crate) transcript: Option<PathBuf>,
    /// A session as a JSON file, as for `callgate call`
    #[arg(long, value_name = "FILE")]
    pub(crate) session: Option<PathBuf>,
    /// Print the first request to the model, credentials as `****`, and the tools that are offered; send nothing
    #[arg(long, requires = "once", conflicts_with_all = ["json", "record"])]
    pub(crate) dry_run: bool,
    /// Write the conversation into this folder, credentials as `****`, for `callgate test` to replay without the model and the
    /// services
    #[arg(long, value_name = "FOLDER")]
    pub(crate) record: Option<PathBuf>,
    /// Print the end of the turn as JSON; with `--once`
    #[arg(long, requires = "once")]
    pub(crate) json: bool,
}
