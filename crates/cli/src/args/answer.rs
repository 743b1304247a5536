//! The flags that say what becomes of the answer of a call.

use std::path::PathBuf;

use clap::{ArgAction, Args, ValueEnum};

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
    #[arg(long, value_name = "FIELDS", value_delimiter = ',', conflicts_with_all = ["dry_run", "jsonpath"])]
    pub(crate) select: Vec<String>,
    /// The values that are shown, as a list, by a JSON path (RFC 9535): `--jsonpath '$.items[*].id'`
    #[arg(long, value_name = "PATH", conflicts_with = "dry_run")]
    pub(crate) jsonpath: Option<String>,
    /// Call on with what the answer says of the next page, until there is none, and show all pages as one
    #[arg(long, conflicts_with_all = ["dry_run", "many"])]
    pub(crate) all_pages: bool,
    /// The number of pages that are asked for at most
    #[arg(long, value_name = "N", default_value_t = 100, requires = "all_pages", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) max_pages: u16,
    /// Show what a model would get: within its budget, as the configuration selects
    #[arg(long, conflicts_with_all = ["jsonpath", "select"])]
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
