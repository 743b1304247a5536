//! The flags of the commands that find faults: `check`, `doctor`, `diff`, `test`, `audit`.

use std::path::PathBuf;

use callgate_config::Kinds;
use clap::{Args, Subcommand, ValueEnum, builder::TypedValueParser};

use super::source::parse_server;
use crate::codes;

#[derive(Args, Debug)]
pub(crate) struct CheckArguments {
    /// OpenAPI descriptions or callgate configurations: files, `-`, https addresses of descriptions, names of profiles
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// The server to call instead of the descriptions' own (bare descriptions only)
    #[arg(long, value_name = "URL", value_parser = parse_server)]
    pub(crate) server: Option<String>,
    /// An OpenAPI overlay that corrects the descriptions; several are applied in their order (bare descriptions only)
    #[arg(long, value_name = "OVERLAY")]
    pub(crate) overlay: Vec<PathBuf>,
    /// Try every secret, token, server, issuer and collector too, as `callgate doctor` does, and call no operation
    #[arg(long, conflicts_with_all = ["format", "json"])]
    pub(crate) connect: bool,
    /// Ask the crate openapiv3 too whether a description of OpenAPI 3.0 is written as its types have it
    #[arg(long, conflicts_with_all = ["format", "json"])]
    pub(crate) strict: bool,
    /// The least severity that is reported; text counts notes unless they are asked for
    #[arg(long, value_name = "SEVERITY", value_enum)]
    pub(crate) severity: Option<Least>,
    /// Take findings of this code for errors: `--deny no-description`; `callgate explain` lists the codes
    #[arg(long, value_name = "CODE")]
    pub(crate) deny: Vec<String>,
    /// Do not report findings of this code
    #[arg(long, value_name = "CODE")]
    pub(crate) allow: Vec<String>,
    /// Report lint finding by finding: what would make tools better for a model or a provider, and what tools lose there
    #[arg(long)]
    pub(crate) lint: bool,
    /// Report only findings that this file does not hold
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,
    /// Write all errors and warnings to a file, for `--baseline`
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["baseline", "connect", "format", "json", "lint", "severity", "strict"]
    )]
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

/// The parser of a code that findings have.
pub(crate) fn code_parser(kinds: &Kinds) -> impl TypedValueParser<Value = String> {
    let kinds = kinds.clone();
    move |text: &str| {
        if codes::is_finding_code(text, &kinds) {
            return Ok(text.to_owned());
        }
        Err("expected the code of a finding, as `callgate explain` lists them")
    }
}

#[derive(Args, Debug)]
pub(crate) struct DoctorArguments {
    /// A callgate configuration, or the name of a profile; `./callgate.yaml` unless one is named
    pub(crate) file: Option<PathBuf>,
    /// Print what was found as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct DiffArguments {
    /// The description or configuration that agents know: a file, `-`, an https address or a profile
    pub(crate) old: PathBuf,
    /// The one that takes its place
    pub(crate) new: PathBuf,
    /// Print the changes as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct TestArguments {
    /// Folders of fixtures: one with a `toolset.yaml`, one of its cases, one with a `turn.json`, or any folder above
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Only the cases and conversations with this in the name of their folder; may be given several times
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

#[derive(Debug, Subcommand)]
pub(crate) enum AuditCommand {
    /// Say whether each line is the one that was written there; name the first that is altered, missing or cut off
    #[command(after_help = "Example:\n  callgate audit verify audit.jsonl --key env:AUDIT_KEY")]
    Verify(VerifyArguments),
}

#[derive(Args, Debug)]
pub(crate) struct VerifyArguments {
    /// Audit files of one chain, the oldest first
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// The key of the chain: `env:NAME`, `file:PATH`
    #[arg(long, value_name = "REFERENCE")]
    pub(crate) key: String,
    /// The code of a line that must be there, as an earlier check printed it: finds an end that was cut off
    #[arg(long, value_name = "HASH")]
    pub(crate) head: Option<String>,
    /// Print what was found as JSON
    #[arg(long)]
    pub(crate) json: bool,
}
