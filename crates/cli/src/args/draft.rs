//! The flags of `draft`: examples of requests.

use std::path::PathBuf;

use clap::Args;

#[derive(Args, Debug)]
pub(crate) struct DraftArguments {
    /// The address of an example request; `{petId}` may stand for a part of the path
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,
    /// The method of the example
    #[arg(long, value_name = "METHOD", default_value = "GET", requires = "url")]
    pub(crate) method: String,
    /// A header of the example: `Name: value`
    #[arg(long, value_name = "NAME: VALUE", requires = "url")]
    pub(crate) header: Vec<String>,
    /// The input of the example: a body, or the values of path and query where the method has no body
    #[arg(long, value_name = "FILE", requires = "url")]
    pub(crate) input: Option<PathBuf>,
    /// The body of the example's response
    #[arg(long, value_name = "FILE", requires = "url")]
    pub(crate) output: Option<PathBuf>,
    /// The status of the example's response
    #[arg(long, value_name = "STATUS", default_value_t = 200, requires = "url")]
    pub(crate) status: u16,
    /// What the tool is for, in your words
    #[arg(long, value_name = "TEXT")]
    pub(crate) prompt: Option<String>,
    /// A recording of a browser or a proxy (HTTP Archive)
    #[arg(long, value_name = "FILE")]
    pub(crate) har: Vec<PathBuf>,
    /// A command `curl …`, or a file of them; no file that it names is read
    #[arg(long, value_name = "COMMAND")]
    pub(crate) curl: Vec<String>,
    /// A collection of Postman (2.0 or 2.1)
    #[arg(long, value_name = "FILE")]
    pub(crate) postman: Vec<PathBuf>,
    /// A folder of fixtures: cases with `request.http` and `response.http`
    #[arg(long, value_name = "DIR")]
    pub(crate) fixtures: Vec<PathBuf>,
    /// A description to which the draft is added; what stands there stays
    #[arg(long, value_name = "FILE")]
    pub(crate) merge: Option<PathBuf>,
    /// A model below `models` of a configuration, which names and describes the operations; it gets the draft and examples, in
    /// which secrets are masked, and the difference is printed
    #[cfg(feature = "agents")]
    #[arg(long, value_name = "MODEL")]
    pub(crate) describe: Option<String>,
    /// The configuration of the model, of which nothing else is opened
    #[cfg(feature = "agents")]
    #[arg(long, value_name = "FILE", default_value = crate::file_argument::USUAL_FILE, requires = "describe")]
    pub(crate) config: PathBuf,
    /// The file that is written, instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// A folder that is made: the draft with each example as a case, which `callgate test` replays
    #[arg(long, value_name = "DIR")]
    pub(crate) cases: Option<PathBuf>,
    /// Print the description and the guesses as JSON
    #[arg(long, conflicts_with = "out")]
    pub(crate) json: bool,
    /// Write over a file that is there
    #[arg(long, requires = "out", conflicts_with = "json")]
    pub(crate) force: bool,
}
