//! The flags of `callgate call`, and those that say what becomes of the answer.

use std::path::PathBuf;

use callgate::dialect::{Dialect, Form};
use clap::{ArgAction, Args, ValueEnum};

use super::{source::SourceArguments, tools::dialects};

// A flag that needs another one also conflicts with what that one conflicts with: clap then does not miss the other one.
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
    #[arg(long, overrides_with = "dry_run")]
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
    #[arg(long, value_name = "DIALECT", requires = "message", conflicts_with_all = WITHOUT_MESSAGE, help = format!("The wire format of the message: {}", dialects(|_| true)))]
    pub(crate) dialect: Option<Dialect>,
    /// The form in which the tools were declared to the model: `strict`, `schema`
    #[arg(long, value_name = "FORM", requires = "message", conflicts_with_all = WITHOUT_MESSAGE, default_value_t)]
    pub(crate) form: Form,
    /// A tool that the calls of the message may use; may be given several times, all may be used unless it is
    #[arg(long, value_name = "NAME", requires = "message", conflicts_with_all = WITHOUT_MESSAGE)]
    pub(crate) function: Vec<String>,
    /// The number of calls of a batch or a message that run at the same time
    #[arg(long, value_name = "N", default_value_t = 1, requires = "many", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(crate) jobs: u16,
}

#[derive(Args, Debug)]
pub(crate) struct AnswerArguments {
    /// Write the answer to a file as the service sends it, of any type and size; the file is there once it is whole
    #[arg(
        short,
        long,
        value_name = "FILE",
        conflicts_with_all = ["all_pages", "as_model", "dry_run", "format", "json", "jsonpath", "many", "select"]
    )]
    pub(crate) output: Option<PathBuf>,
    /// The format of the printed answer; without it, JSON and text are printed as they came
    #[arg(long, value_name = "FORMAT", value_enum, conflicts_with_all = ["dry_run", "json", "many"])]
    pub(crate) format: Option<AnswerFormat>,
    /// The members that are shown: `--select id,owner.email`; of each item, where the answer is a list
    #[arg(long, value_name = "FIELDS", value_delimiter = ',', conflicts_with_all = ["dry_run", "jsonpath", "message"])]
    pub(crate) select: Vec<String>,
    /// The values that are shown, as a list, by a JSON path (RFC 9535): `--jsonpath '$.items[*].id'`
    #[arg(long, value_name = "PATH", conflicts_with_all = ["dry_run", "message"])]
    pub(crate) jsonpath: Option<String>,
    /// Call on with what the answer says of the next page, until there is none, and show all pages as one
    #[arg(long, conflicts_with_all = ["dry_run", "many"])]
    pub(crate) all_pages: bool,
    /// The number of pages that are asked for at most
    #[arg(long, value_name = "N", default_value_t = 100, requires = "all_pages", conflicts_with_all = ["dry_run", "many"], value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) max_pages: u16,
    /// Show what a model would get: within its budget, as the configuration selects
    #[arg(long, conflicts_with_all = ["dry_run", "jsonpath", "select"])]
    pub(crate) as_model: bool,
    /// Show what happens: request, address, TLS, status, headers, times, decisions; `-vv` shows bodies, too, and what the
    /// parts of callgate tell (`CALLGATE_LOG=debug`)
    #[arg(short, long, action = ArgAction::Count)]
    pub(crate) verbose: u8,
}

/// The format of a printed answer.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub(crate) enum AnswerFormat {
    /// JSON, indented
    Json,
    /// The bytes as the service sends them, as they come
    Raw,
    /// A table of the items, or of the members
    Table,
    /// YAML
    Yaml,
}

/// The ways of a call without a model's message.
const WITHOUT_MESSAGE: [&str; 2] = ["batch", "tool"];
