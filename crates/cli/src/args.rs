//! The command line as clap reads it, one file for each group of commands. What a flag means is written here once, for `--help`.

use clap::{Parser, Subcommand};

mod calls;
mod checks;
mod hints;
mod serving;
mod setup;
mod source;
mod tools;

pub(crate) use self::{
    calls::*, checks::*, hints::*, serving::*, setup::*, source::*, tools::ToolsArguments,
};

/// Turns OpenAPI descriptions into tools a language model can call, and executes the calls.
#[derive(Debug, Parser)]
#[command(name = "callgate", version, propagate_version = true, arg_required_else_help = true)]
#[command(
    after_help = "CALLGATE_LOG=LEVEL writes what callgate does to standard error, of single modules with CALLGATE_LOG=warn,callgate_auth=debug; \
                  levels are off, error, warn, info, debug, trace"
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Check the files that calls are written down in
    #[command(subcommand)]
    #[command(after_help = "Example:\n  callgate audit verify audit.jsonl --key env:AUDIT_KEY")]
    Audit(AuditCommand),
    /// Call a tool, or show the request it would send
    #[command(
        after_help = "Example:\n  callgate call config/demo.yaml pets-getPet petId=7 --dry-run"
    )]
    Call(Box<CallArguments>),
    /// Check descriptions and configurations, and say what became of each operation
    #[command(after_help = "Example:\n  callgate check fixtures/pets/spec.yaml --lint")]
    Check(CheckArguments),
    /// Say what may stand at the end of a command line
    #[command(hide = true, after_help = "Example:\n  callgate complete zsh callgate call")]
    Complete(CompleteArguments),
    /// Print a completion script for a shell
    #[command(after_help = "Example:\n  callgate completions bash")]
    Completions(CompletionsArguments),
    /// Say what a new description or configuration changes for agents: exit 1 where something breaks
    #[command(after_help = "Example:\n  callgate diff fixtures/pets/spec.yaml new.yaml")]
    Diff(DiffArguments),
    /// Try every secret, every token and every server of a configuration, and call no operation: exit 1 where one is at fault
    #[command(after_help = "Example:\n  callgate doctor config/demo.yaml")]
    Doctor(DoctorArguments),
    /// Explain the code of a finding or of a failed call
    #[command(
        after_help = "Example:\n  callgate explain no-server\n  callgate explain unreachable"
    )]
    Explain(ExplainArguments),
    /// Make a configuration and fixtures of an exported agent (Dialogflow CX) or app (Customer Engagement Suite)
    #[cfg(feature = "ces")]
    #[command(after_help = "Example:\n  callgate import fixtures/exports/pets_agent --out pets")]
    Import(ImportArguments),
    /// Make a profile of a description: `callgate call NAME TOOL` then calls your API
    #[command(after_help = "Example:\n  callgate init pets fixtures/pets/spec.yaml")]
    Init(InitArguments),
    /// Log in to a service in a browser: calls then have a token of yours
    Login(LoginArguments),
    /// Log out: give the tokens of a login back and forget it
    #[command(after_help = "Example:\n  callgate logout github")]
    Logout(LoginPlace),
    /// Print the manual page of a command, or write those of all commands
    #[command(after_help = "Example:\n  callgate man call")]
    Man(ManArguments),
    /// Serve tools over the Model Context Protocol on standard input and output, to the host that starts the command
    #[cfg(feature = "mcp")]
    #[command(after_help = "Example:\n  callgate mcp config/demo.yaml --print-config claude")]
    Mcp(McpArguments),
    /// Print the JSON Schema of configurations, for editors
    #[command(after_help = "Example:\n  callgate schema")]
    Schema,
    /// Serve tools over HTTP, beside an agent runtime
    #[command(after_help = "Example:\n  callgate serve config/demo.yaml --listen 127.0.0.1:8410")]
    Serve(ServeArguments),
    /// Run fixtures: each case's request and result against what is written there
    #[command(after_help = "Example:\n  callgate test fixtures/pets")]
    Test(TestArguments),
    /// Show the tools of a description or a configuration
    #[command(after_help = "Example:\n  callgate tools config/demo.yaml pets-getPet")]
    Tools(ToolsArguments),
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_example_in_the_help_of_every_command_is_accepted() {
        let all = Arguments::command();
        let nested = all.get_subcommands().flat_map(clap::Command::get_subcommands);
        for command in all.get_subcommands().chain(nested) {
            let name = command.get_name();
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            let lines =
                help.strip_prefix("Example:\n").unwrap_or_else(|| panic!("`{name}` has none"));
            assert!(lines.contains(name), "{name}: {lines}");
            for line in lines.lines() {
                let example = line.strip_prefix("  callgate ").unwrap_or_else(|| panic!("{line}"));
                let words = ["callgate"].into_iter().chain(example.split_whitespace());
                let taken = Arguments::try_parse_from(words).map_err(|error| error.to_string());
                assert!(taken.is_ok(), "{line}: {taken:?}");
            }
        }
    }
}
