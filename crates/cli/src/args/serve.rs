//! The flags of `callgate serve`.

use std::path::PathBuf;

use clap::Args;

use super::source::DescriptionArguments;

#[derive(Args, Debug)]
pub(crate) struct ServeArguments {
    /// A callgate configuration, or an OpenAPI description; `./callgate.yaml` unless one is named, else a demo that answers
    /// from recordings
    pub(crate) file: Option<PathBuf>,
    /// The addresses to listen on in place of the configuration's addresses: `127.0.0.1:8410`, `unix:PATH`; may be given several times
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) listen: Vec<String>,
    #[command(flatten)]
    pub(crate) description: DescriptionArguments,
}
