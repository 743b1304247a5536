//! The flags of `callgate call`.

use std::path::PathBuf;

use callgate::dialect::{Dialect, Form};
use clap::Args;

use super::{answer::AnswerArguments, source::SourceArguments};

#[derive(Args, Debug)]
pub(crate) struct CallArguments {
    #[command(flatten)]
    pub(crate) source: SourceArguments,
    /// The tool's name, or its `operationId`
    #[arg(required_unless_present = "many", conflicts_with = "many")]
    pub(crate) tool: Option<String>,
    /// Arguments: `petId=7`, `owner.email=x`; a name given twice makes a list; `photo=@cat.png` is what is in a file, `@-`
    /// standard input, `@@x` the text `@x`
    #[arg(value_name = "NAME=VALUE", conflicts_with = "many")]
    pub(crate) arguments: Vec<String>,
    /// All arguments as one JSON object: the text, `@FILE`, or `-` for standard input
    #[arg(long, value_name = "JSON|@FILE|-", conflicts_with_all = ["arguments", "many"])]
    pub(crate) args: Option<String>,
    /// A session as a JSON file: `{"id", "parameters", "payload", "context", "credentials"}`; the members of `credentials`
    /// are secret references: `{"pets": "env:TOKEN"}`
    #[arg(long, value_name = "FILE")]
    pub(crate) session: Option<PathBuf>,
    /// Show the request instead of sending it, with `****` for credentials
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Approve calls that a person has to approve (`confirm`); without, one call is asked about on a terminal
    #[arg(long, conflicts_with = "dry_run")]
    pub(crate) yes: bool,
    /// Print the result as JSON: `response` or `error`; where they are known `truncated` (what is not shown), `next` (arguments of the next page) and `handle` (the whole, kept by a running program)
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) answer: AnswerArguments,
    /// Calls as JSON lines, `{"id", "tool", "args"}`; one result a line, in order; `-` reads standard input
    #[arg(long, value_name = "FILE", group = "many")]
    pub(crate) batch: Option<PathBuf>,
    /// The message of a model, as its provider's interface gave it: makes its calls, and prints the messages to append to the
    /// conversation; `-` reads standard input
    #[arg(long, value_name = "FILE", group = "many", requires = "dialect")]
    pub(crate) message: Option<PathBuf>,
    /// The wire format of the message: `anthropic`, `bedrock`, `ces`, `dialogflow`,
    /// `gemini`, `json`, `mcp`, `openai`, `responses`, `semantic_kernel`
    #[arg(long, value_name = "DIALECT", requires = "message")]
    pub(crate) dialect: Option<Dialect>,
    /// The form in which the tools were declared to the model: `strict`, `schema`
    #[arg(long, value_name = "FORM", requires = "message", default_value_t)]
    pub(crate) form: Form,
    /// A tool that the calls of the message may use; may be given several times, all may be used unless it is
    #[arg(long, value_name = "NAME", requires = "message")]
    pub(crate) function: Vec<String>,
    /// The number of calls of a batch or a message that run at the same time
    #[arg(long, value_name = "N", default_value_t = 1, requires = "many", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(crate) jobs: u16,
}
