//! The flags of `callgate check`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::codes;

use super::source::server;

#[derive(Args, Debug)]
pub(crate) struct CheckArguments {
    /// OpenAPI descriptions or callgate configurations: files, `-`, https addresses of descriptions, names of profiles
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// The server to call instead of the descriptions' own (bare descriptions only)
    #[arg(long, value_name = "URL", value_parser = server)]
    pub(crate) server: Option<String>,
    /// An OpenAPI overlay that corrects the descriptions; several are applied in their order (bare descriptions only)
    #[arg(long, value_name = "OVERLAY")]
    pub(crate) overlay: Vec<PathBuf>,
    /// Try every secret, token and server too, as `callgate doctor` does, and call no operation
    #[arg(long, conflicts_with_all = ["format", "json"])]
    pub(crate) connect: bool,
    /// Ask the crate openapiv3 too whether a description of OpenAPI 3.0 is written as its types have it
    #[arg(long, conflicts_with_all = ["format", "json"])]
    pub(crate) strict: bool,
    /// The least severity that is reported; text counts notes unless they are asked for
    #[arg(long, value_name = "SEVERITY", value_enum)]
    pub(crate) severity: Option<Least>,
    /// Take findings of this code for errors: `--deny no-description`; `callgate explain` lists the codes
    #[arg(long, value_name = "CODE", value_parser = code)]
    pub(crate) deny: Vec<String>,
    /// Do not report findings of this code
    #[arg(long, value_name = "CODE", value_parser = code)]
    pub(crate) allow: Vec<String>,
    /// Report lint finding by finding: what would make tools better for a model or a provider, and what tools lose there
    #[arg(long)]
    pub(crate) lint: bool,
    /// Report only findings that this file does not hold
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,
    /// Write all errors and warnings to a file, for `--baseline`
    #[arg(long, value_name = "FILE", conflicts_with = "baseline")]
    pub(crate) write_baseline: Option<PathBuf>,
    /// The format of the printed findings
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
    /// The same as `--format json`
    #[arg(long, conflicts_with = "format")]
    pub(crate) json: bool,
}

/// The format of printed findings.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub(crate) enum Format {
    /// One JSON document
    Json,
    /// SARIF 2.1.0, for code hosts
    Sarif,
    /// Snippets and a summary
    Text,
}

/// The least severity that is reported.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub(crate) enum Least {
    /// Findings about refused operations
    Error,
    /// Everything
    Note,
    /// Findings about what is refused, lost or guessed
    Warning,
}

/// A code that findings have.
fn code(text: &str) -> Result<String, String> {
    if codes::is_known(text) {
        return Ok(text.to_owned());
    }
    Err("expected the code of a finding, as `callgate explain` lists them".to_owned())
}
