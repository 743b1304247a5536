//! The command line as clap reads it, one file for each group of commands. What a flag means is written here once, for `--help`.

use clap::{
    Parser, Subcommand,
    builder::styling::{AnsiColor, Styles},
};

mod approvals;
mod calls;
#[cfg(feature = "agents")]
mod chat;
mod checks;
mod command_list;
mod draft;
mod hints;
mod programs;
mod serving;
mod setup;
mod source;
mod tools;

#[cfg(feature = "agents")]
pub(crate) use self::chat::ChatArguments;
pub(crate) use self::{
    approvals::*, calls::*, checks::*, command_list::*, draft::DraftArguments, hints::*,
    programs::RunArguments, serving::*, setup::*, source::*, tools::ToolsArguments,
};

/// Turns OpenAPI descriptions into tools a language model can call, and executes the calls.
#[derive(Debug, Parser)]
#[command(name = "callgate", version, propagate_version = true, arg_required_else_help = true)]
#[command(styles = STYLES)]
#[command(
    after_help = "`callgate COMMAND --help` shows the flags and an example of a command.\n\n\
                  CALLGATE_LOG=LEVEL writes what callgate does to standard error, of single modules with CALLGATE_LOG=warn,callgate_auth=debug; \
                  levels are off, error, warn, info, debug, trace"
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List the calls that wait for a person at a running sidecar
    ///
    /// Lists your own and those that you may decide about.
    #[command(
        after_help = "Example:\n  callgate approvals --url https://callgate.example.com --bearer env:CALLGATE_TOKEN"
    )]
    Approvals(ApprovalsArguments),
    /// Show a call that waits for a person, and approve or reject it
    ///
    /// Asks on a terminal. The call of somebody else is made when its caller makes it again, and one of your own now. Exits
    /// with 1 where the decision does not hold.
    #[command(
        after_help = "Example:\n  callgate approve approval_0123456789abcdef0123456789abcdef --bearer env:CALLGATE_TOKEN"
    )]
    Approve(ApproveArguments),
    /// Check the files in which calls are recorded
    #[command(subcommand)]
    #[command(after_help = "Example:\n  callgate audit verify audit.jsonl --key env:AUDIT_KEY")]
    Audit(AuditCommand),
    /// Call a tool, or show the request that it would send
    #[command(
        after_help = "Example:\n  callgate call config/demo.yaml pets-getPet petId=7 --dry-run"
    )]
    Call(Box<CallArguments>),
    /// Talk to an agent of a configuration: a model that calls the tools
    ///
    /// Shows its calls as they run, and asks about those that need an approval. With `--once` it takes one turn, and exits
    /// with 1 where that does not end with an answer. `--record` writes a conversation down, and `callgate test` replays it.
    #[cfg(feature = "agents")]
    #[command(after_help = "Example:\n  callgate chat config/agents.yaml pizza --once Hello")]
    Chat(ChatArguments),
    /// Check a description or configuration, operation by operation
    #[command(after_help = "Example:\n  callgate check fixtures/pets/spec.yaml --lint")]
    Check(CheckArguments),
    /// Say what may stand at the end of a command line
    #[command(hide = true, after_help = "Example:\n  callgate complete zsh callgate call")]
    Complete(CompleteArguments),
    /// Print a completion script for a shell
    #[command(after_help = "Example:\n  callgate completions bash")]
    Completions(CompletionsArguments),
    /// Say what a new description changes for agents
    ///
    /// Compares two descriptions or configurations; exits with 1 where something breaks.
    #[command(after_help = "Example:\n  callgate diff fixtures/pets/spec.yaml new.yaml")]
    Diff(DiffArguments),
    /// Try every secret, token, server and issuer, and call no operation
    ///
    /// Tries those of a configuration; exits with 1 where one is at fault.
    #[command(after_help = "Example:\n  callgate doctor config/demo.yaml")]
    Doctor(DoctorArguments),
    /// Draft a description of a service from examples of its requests
    ///
    /// Examples are one request with its response, or recordings of many: what differs between them becomes an input. Each
    /// guess is printed with its evidence. No request is sent, and credentials stand nowhere in what is written.
    #[command(
        after_help = "Example:\n  callgate draft --url https://api.pets.example/pets/7 --output pet.json -o spec.yaml"
    )]
    Draft(Box<DraftArguments>),
    /// Explain the code of a finding or of a failed call
    #[command(
        after_help = "Example:\n  callgate explain no-server\n  callgate explain unreachable"
    )]
    Explain(ExplainArguments),
    /// Extract the text of a PDF from standard input, as the process that reads documents does
    #[cfg(all(feature = "pdf", unix))]
    #[command(hide = true, after_help = "Example:\n  callgate extract")]
    Extract,
    /// Run programs from standard input, as the process that runs code does
    #[cfg(all(feature = "monty", unix))]
    #[command(hide = true, after_help = "Example:\n  callgate code-worker")]
    CodeWorker,
    /// Ask a sidecar on this machine if it lives, or is ready for calls
    ///
    /// Needs no token, and exits with 1 where it is not ready: for containers, which have no shell.
    #[command(after_help = "Example:\n  callgate health --ready")]
    Health(HealthArguments),
    /// Make a configuration of an exported agent or app
    ///
    /// Reads the export of an agent (Dialogflow CX) or of an app (Customer Engagement Suite), and makes fixtures of its examples.
    #[cfg(feature = "ces")]
    #[command(after_help = "Example:\n  callgate import fixtures/exports/pets_agent --out pets")]
    Import(ImportArguments),
    /// Give an API a name: `callgate call NAME TOOL` then calls it
    ///
    /// Makes a profile, which keeps the description, the server and the references to credentials.
    #[command(after_help = "Example:\n  callgate init pets fixtures/pets/spec.yaml")]
    Init(InitArguments),
    /// Log in to a service in a browser: calls then have your token
    Login(LoginArguments),
    /// Log out: give the tokens of a login back, and forget it
    #[command(after_help = "Example:\n  callgate logout github")]
    Logout(LoginPlace),
    /// Print the manual page of a command, or write all of them
    #[command(after_help = "Example:\n  callgate man call")]
    Man(ManArguments),
    /// Serve tools over MCP, to the host that starts the command
    ///
    /// Speaks the Model Context Protocol on standard input and output.
    #[cfg(feature = "mcp")]
    #[command(after_help = "Example:\n  callgate mcp config/demo.yaml --print-config claude")]
    Mcp(McpArguments),
    /// Run a program whose calls are calls of tools, as a model does
    ///
    /// Needs a toolset with `code_interpreter`. Prints what the program prints and its result; exits with 1 after an exception.
    #[command(
        after_help = "Example:\n  callgate run callgate.yaml -c 4+4\n  callgate run callgate.yaml prices.py --json"
    )]
    Run(Box<RunArguments>),
    /// Print the JSON Schema of configurations, for editors
    #[command(after_help = "Example:\n  callgate schema")]
    Schema,
    /// Serve tools over HTTP, beside an agent runtime
    #[command(after_help = "Example:\n  callgate serve config/demo.yaml --listen 127.0.0.1:8410")]
    Serve(ServeArguments),
    /// Run fixtures: recorded calls against what is written there
    #[command(after_help = "Example:\n  callgate test fixtures/pets")]
    Test(TestArguments),
    /// Show the tools of a description or configuration, or one tool
    #[command(after_help = "Example:\n  callgate tools config/demo.yaml pets-getPet")]
    Tools(ToolsArguments),
}

/// The colours of findings (`render`), for what is wrong on the command line, too.
const STYLES: Styles = Styles::styled().error(AnsiColor::BrightRed.on_default().bold());

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_in_the_help_of_every_command_is_accepted() {
        let all = command();
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

    /// The ways of commands, each with the words that make it.
    const WAYS: [(&str, &[(&str, &str)]); 5] = [
        (
            "call",
            &[
                ("one", "f t"),
                ("pages", "f t --all-pages"),
                ("dry-run", "f t --dry-run"),
                ("json", "f t --json"),
                ("batch", "f --batch b"),
                ("message", "f --message m --dialect openai"),
            ],
        ),
        (
            "chat",
            &[("talk", "c a"), ("once", "c a --once x"), ("dry-run", "c a --once x --dry-run")],
        ),
        (
            "check",
            &[
                ("text", "f"),
                ("json", "f --json"),
                ("baseline", "f --baseline b"),
                ("write", "f --write-baseline b"),
            ],
        ),
        (
            "run",
            &[
                ("program", "f p"),
                ("code", "f --code x"),
                ("dry-run", "f p --dry-run"),
                ("json", "f p --json"),
            ],
        ),
        (
            "tools",
            &[
                ("list", "f"),
                ("tool", "f t"),
                ("dialect", "f --dialect openai"),
                ("projection", "f --projection gemini_schema"),
                ("losses", "f --losses"),
                ("search", "f --search x"),
                ("json", "f --json"),
            ],
        ),
    ];

    /// Values of which each flag takes one.
    const VALUES: [&str; 9] = [
        "x",
        "1",
        "openai",
        "usual",
        "read",
        "json",
        "gemini_schema",
        "error",
        "https://a.example",
    ];

    /// True if a way of a command takes the flag, or is made by it.
    fn takes(command: &str, way: &str, flag: &clap::Arg) -> bool {
        let long = format!("--{}", flag.get_long().unwrap_or_default());
        let parses = |value: &str| {
            let words = ["callgate", command].into_iter().chain(way.split(' '));
            let value = Some(value).filter(|value| !value.is_empty());
            Arguments::try_parse_from(words.chain([&*long]).chain(value)).is_ok()
        };
        let values: &[&str] = if flag.get_action().takes_values() { &VALUES } else { &[""] };
        way.split(' ').any(|word| word == long) || values.iter().any(|value| parses(value))
    }

    /// A flag that a way accepts is obeyed there: a new one without a line fails.
    #[test]
    fn each_way_of_a_command_accepts_the_flags_that_the_table_lists() {
        let all = command();
        let mut lines = Vec::new();
        for (name, ways) in WAYS {
            let Some(command) = all.find_subcommand(name) else { continue };
            for flag in command.get_arguments() {
                let long = flag.get_long().unwrap_or("help");
                let takers = ways.iter().filter(|(_, words)| takes(name, words, flag));
                let takers = takers.map(|(way, _)| *way).collect::<Vec<_>>().join(" ");
                let is_of_all = ["help", "version"].contains(&long);
                assert!(is_of_all || !takers.is_empty(), "no way of `{name}` takes `--{long}`");
                let line = format!("{name} {:<17}{takers}", format!("--{long}"));
                lines.extend((!is_of_all).then_some(line));
            }
        }
        lines.sort();
        let is_built = |line: &&str| {
            let name = line.split(' ').next().unwrap_or_default();
            all.find_subcommand(name).is_some()
        };
        let table: Vec<&str> = include_str!("args/flags.txt").lines().filter(is_built).collect();
        assert!(lines == table, "the table is:\n{}", lines.join("\n"));
    }

    #[test]
    fn a_flag_without_the_one_that_it_needs_is_refused_beside_what_that_one_conflicts_with() {
        for line in [
            "call f t --dialect openai",
            "call f --batch b --function x",
            "call f t --dry-run --max-pages 2",
            "draft --har h --json --force",
            "run f p --yes --fixtures x",
            "tools f --projection gemini_schema --strict",
            "tools f t --limit 2",
        ] {
            let words = ["callgate"].into_iter().chain(line.split(' '));
            assert!(Arguments::try_parse_from(words).is_err(), "{line}");
        }
    }
}
