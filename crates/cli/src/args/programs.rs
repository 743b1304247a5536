//! The flags of `callgate run`.

use std::path::PathBuf;

use clap::Args;

use super::source::SourceArguments;

#[derive(Args, Debug)]
pub(crate) struct RunArguments {
    #[command(flatten)]
    pub(crate) source: SourceArguments,
    /// The file with the program; `-` reads standard input
    #[arg(required_unless_present = "code", conflicts_with = "code")]
    pub(crate) program: Option<PathBuf>,
    /// The program itself
    #[arg(short, long, value_name = "CODE", allow_hyphen_values = true)]
    pub(crate) code: Option<String>,
    /// The tool that runs it, where the configuration has several
    #[arg(long, value_name = "NAME")]
    pub(crate) tool: Option<String>,
    /// A session as a JSON file: `{"id", "parameters", "payload", "context", "credentials"}`
    #[arg(long, value_name = "FILE")]
    pub(crate) session: Option<PathBuf>,
    /// Approve every call of the program that needs a person, without asking
    #[arg(short, long)]
    pub(crate) yes: bool,
    /// Send nothing: recorded cases answer the calls, each request is shown, and the first that nothing is recorded for fails
    #[arg(long, conflicts_with_all = ["json", "yes"])]
    pub(crate) dry_run: bool,
    /// The folder of fixtures whose cases answer the calls of a dry run
    #[arg(long, value_name = "FOLDER", requires = "dry_run", conflicts_with_all = ["json", "yes"])]
    pub(crate) fixtures: Option<PathBuf>,
    /// Print the whole result as JSON: `execution_result`, `execution_error`, `stdout`, `calls` and more
    #[arg(long)]
    pub(crate) json: bool,
}
