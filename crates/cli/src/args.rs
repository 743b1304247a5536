//! The command line as clap reads it, one file a command. What a flag means is written here once, for `--help`.

use clap::{Parser, Subcommand};

mod answer;
mod audit;
mod call;
mod check;
mod completions;
mod diff;
mod doctor;
mod explain;
mod import;
mod init;
mod login;
#[cfg(feature = "mcp")]
mod mcp;
mod serve;
mod source;
mod test;
mod tools;

#[cfg(feature = "mcp")]
pub(crate) use self::mcp::{McpArguments, McpHost};
pub(crate) use self::{
    answer::{AnswerArguments, AnswerFormat},
    audit::{AuditCommand, VerifyArguments},
    call::CallArguments,
    check::{CheckArguments, Format, Least},
    completions::CompletionsArguments,
    diff::DiffArguments,
    doctor::DoctorArguments,
    explain::ExplainArguments,
    import::ImportArguments,
    init::InitArguments,
    login::{LoginArguments, LoginPlace, LogoutArguments},
    serve::ServeArguments,
    source::{DescriptionArguments, SourceArguments},
    test::TestArguments,
    tools::ToolsArguments,
};

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
    Call(Box<CallArguments>),
    /// Check descriptions and configurations, and say what became of each operation
    Check(CheckArguments),
    /// Print a completion script for a shell
    Completions(CompletionsArguments),
    /// Say what a new description or configuration changes for agents: exit 1 where something breaks
    Diff(DiffArguments),
    /// Try every secret, every token and every server of a configuration, and call no operation: exit 1 where one is at fault
    Doctor(DoctorArguments),
    /// Explain a code of a diagnostic
    Explain(ExplainArguments),
    /// Make a configuration and fixtures of an exported agent (Dialogflow CX) or app (Customer Engagement Suite)
    Import(ImportArguments),
    /// Make a profile of a description: `callgate call NAME TOOL` then calls your API
    Init(InitArguments),
    /// Log in to a service in a browser: calls then have a token of yours
    Login(LoginArguments),
    /// Log out: give the tokens of a login back and forget it
    Logout(LogoutArguments),
    /// Serve tools over the Model Context Protocol on standard input and output, to the host that starts the command
    #[cfg(feature = "mcp")]
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
