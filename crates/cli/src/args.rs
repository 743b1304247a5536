//! The command line as clap reads it. What a flag means is written here once, for `--help`.

use std::path::PathBuf;

use callgate::{
    dialect::{Dialect, Projection},
    openapi,
};
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use crate::codes;

/// Turns OpenAPI descriptions into tools a language model can call, and executes the calls.
#[derive(Debug, Parser)]
#[command(name = "callgate", version, propagate_version = true, arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Check the files that calls are written down in
    #[command(subcommand)]
    Audit(AuditCommand),
    /// Call a tool, or show the request it would send
    Call(CallArguments),
    /// Check descriptions and configurations, and say what became of each operation
    Check(CheckArguments),
    /// Print a completion script for a shell
    Completions(CompletionsArguments),
    /// Say what a new description or configuration changes for agents: exit 1 where something breaks
    Diff(DiffArguments),
    /// Explain a code of a diagnostic
    Explain(ExplainArguments),
    /// Make a configuration and fixtures of an exported agent (Dialogflow CX) or app (Customer Engagement Suite)
    Import(ImportArguments),
    /// Serve tools over the Model Context Protocol on standard input and output, to the host that starts the command
    Mcp(McpArguments),
    /// Print the JSON Schema of configurations, for editors
    Schema,
    /// Serve tools over HTTP, beside an agent runtime
    Serve(ServeArguments),
    /// Run fixtures: each case's request and result against what is written there
    Test(TestArguments),
    /// Show the tools of a description or a configuration
    Tools(ToolsArguments),
}

#[derive(Debug, Subcommand)]
pub(crate) enum AuditCommand {
    /// Say whether each line is the one that was written there; name the first that is altered, missing or cut off
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

/// Where tools come from.
#[derive(Args, Debug)]
pub(crate) struct SourceArguments {
    /// An OpenAPI description or a callgate configuration
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) description: DescriptionArguments,
}

/// Flags for a description without a configuration.
#[derive(Args, Debug)]
pub(crate) struct DescriptionArguments {
    /// The server to call instead of the description's own (bare descriptions only)
    #[arg(long, value_name = "URL", value_parser = server)]
    pub(crate) server: Option<String>,
    /// An OpenAPI overlay that corrects the description; several are applied in their order (bare descriptions only)
    #[arg(long, value_name = "FILE")]
    pub(crate) overlay: Vec<PathBuf>,
    /// A bearer token: `env:NAME`, `file:PATH` or `$session.credentials.NAME` (bare descriptions only)
    #[arg(long, value_name = "REFERENCE")]
    pub(crate) bearer: Option<String>,
    #[command(flatten)]
    pub(crate) connection: ConnectionArguments,
}

/// How the services of bare descriptions are connected to.
#[derive(Args, Debug)]
pub(crate) struct ConnectionArguments {
    /// Certificates to trust instead of the machine's: a file of PEM or DER (bare descriptions only)
    #[arg(long, value_name = "FILE")]
    pub(crate) ca: Vec<String>,
    /// Addresses the service may be at although they are not public: `10.0.0.0/8` (bare descriptions only)
    #[arg(long, value_name = "CIDR")]
    pub(crate) egress_allow: Vec<String>,
}

#[derive(Args, Debug)]
pub(crate) struct CallArguments {
    #[command(flatten)]
    pub(crate) source: SourceArguments,
    /// The tool's name, or its `operationId`
    #[arg(required_unless_present = "many", conflicts_with = "many")]
    pub(crate) tool: Option<String>,
    /// Arguments; a name given twice makes a list
    #[arg(value_name = "NAME=VALUE", conflicts_with = "many")]
    pub(crate) arguments: Vec<String>,
    /// All arguments as one JSON object
    #[arg(long, value_name = "JSON", conflicts_with_all = ["arguments", "many"])]
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
    /// A tool that the calls of the message may use; may be given several times, all may be used unless it is
    #[arg(long, value_name = "NAME", requires = "message")]
    pub(crate) function: Vec<String>,
    /// The number of calls of a batch or a message that run at the same time
    #[arg(long, value_name = "N", default_value_t = 1, requires = "many", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(crate) jobs: u16,
}

#[derive(Args, Debug)]
pub(crate) struct CheckArguments {
    /// OpenAPI descriptions or callgate configurations
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// The server to call instead of the descriptions' own (bare descriptions only)
    #[arg(long, value_name = "URL", value_parser = server)]
    pub(crate) server: Option<String>,
    /// An OpenAPI overlay that corrects the descriptions; several are applied in their order (bare descriptions only)
    #[arg(long, value_name = "OVERLAY")]
    pub(crate) overlay: Vec<PathBuf>,
    /// The least severity that is reported; text counts notes unless they are asked for
    #[arg(long, value_name = "SEVERITY", value_enum)]
    pub(crate) severity: Option<Least>,
    /// Take findings of this code for errors: `--deny no-description`; `callgate explain` lists the codes
    #[arg(long, value_name = "CODE", value_parser = code)]
    pub(crate) deny: Vec<String>,
    /// Do not report findings of this code
    #[arg(long, value_name = "CODE", value_parser = code)]
    pub(crate) allow: Vec<String>,
    /// Report lint finding by finding: what would make tools better for a model or a provider
    #[arg(long)]
    pub(crate) lint: bool,
    /// Report only findings that this file does not hold
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,
    /// Write all errors and warnings to a file, for `--baseline`
    #[arg(long, value_name = "FILE", conflicts_with = "baseline")]
    pub(crate) write_baseline: Option<PathBuf>,
    /// How the findings are printed
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
    /// The same as `--format json`
    #[arg(long, conflicts_with = "format")]
    pub(crate) json: bool,
}

/// How findings are printed.
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
    /// What is refused
    Error,
    /// Everything
    Note,
    /// What is refused, lost or guessed
    Warning,
}

#[derive(Args, Debug)]
pub(crate) struct CompletionsArguments {
    /// The shell
    pub(crate) shell: Shell,
}

#[derive(Args, Debug)]
pub(crate) struct DiffArguments {
    /// The description or configuration that agents know
    pub(crate) old: PathBuf,
    /// The one that takes its place
    pub(crate) new: PathBuf,
    /// Print the changes as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct ExplainArguments {
    /// The code, as a diagnostic shows it in brackets; all of them when there is none
    pub(crate) code: Option<String>,
}

#[derive(Args, Debug)]
pub(crate) struct ImportArguments {
    /// The folder of the export, or a zip of it
    pub(crate) export: PathBuf,
    /// The folder that is made: `callgate.yaml`, and a folder with description and examples for each toolset. Nothing that
    /// is there is written over
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
}

#[derive(Args, Debug)]
pub(crate) struct McpArguments {
    #[command(flatten)]
    pub(crate) source: SourceArguments,
    /// A session as a JSON file, as for `callgate call`; `_meta` of a request (`callgate/session`) completes it
    #[arg(long, value_name = "FILE")]
    pub(crate) session: Option<PathBuf>,
    /// Print the lines that the file of a host needs to start this command, and serve nothing
    #[arg(long, value_name = "HOST")]
    pub(crate) print_config: Option<McpHost>,
}

/// A program that starts MCP servers.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub(crate) enum McpHost {
    /// Claude Desktop (`claude_desktop_config.json`) and Claude Code (`.mcp.json`)
    Claude,
    /// Codex (`~/.codex/config.toml`)
    Codex,
    /// Cursor (`.cursor/mcp.json`)
    Cursor,
    /// Gemini CLI (`.gemini/settings.json`)
    Gemini,
    /// Visual Studio Code (`.vscode/mcp.json`)
    Vscode,
    /// Windsurf (`mcp_config.json`)
    Windsurf,
}

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

#[derive(Args, Debug)]
pub(crate) struct TestArguments {
    /// Folders of fixtures: one with a `toolset.yaml`, one of its cases, or any folder above
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Write what is missing or differs instead of failing
    #[arg(long)]
    pub(crate) update: bool,
}

#[derive(Args, Debug)]
pub(crate) struct ToolsArguments {
    #[command(flatten)]
    pub(crate) source: SourceArguments,
    /// Print the declarations in a wire format: `anthropic`, `bedrock`, `ces`, `dialogflow`,
    /// `gemini`, `json`, `mcp`, `openai`, `responses`, `semantic_kernel`
    #[arg(long, value_name = "DIALECT")]
    pub(crate) dialect: Option<Dialect>,
    /// Declare tools that a model sees once it has searched for them, and the tool of the provider that searches: `anthropic`,
    /// `responses`
    #[arg(long, requires = "dialect")]
    pub(crate) deferred: bool,
    #[arg(
        long,
        value_name = "PROJECTION",
        conflicts_with = "dialect",
        help = "Print names, descriptions and schemas as a provider accepts them: anthropic, bedrock, ces, gemini_json, gemini_schema, \
                llamacpp, openai, openai_strict, portable"
    )]
    pub(crate) projection: Option<Projection>,
    /// Show what each tool loses there
    #[arg(long)]
    pub(crate) losses: bool,
    /// Show the tools that fit these words best, and the tools that answer what they need
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["dialect", "losses", "projection"])]
    pub(crate) search: Option<String>,
    /// The number of tools that a search shows
    #[arg(long, value_name = "N", default_value_t = 10, requires = "search", value_parser = clap::value_parser!(u16).range(1..=100))]
    pub(crate) limit: u16,
    /// Print everything known of each tool as JSON; with --losses, the losses; with --search, what is found
    #[arg(long)]
    pub(crate) json: bool,
}

/// A code that findings have.
fn code(text: &str) -> Result<String, String> {
    if codes::is_known(text) {
        return Ok(text.to_owned());
    }
    Err("expected the code of a finding, as `callgate explain` lists them".to_owned())
}

/// A server that requests can be sent to.
fn server(text: &str) -> Result<String, openapi::InvalidServer> {
    openapi::check_server(text).map(|()| text.to_owned())
}
