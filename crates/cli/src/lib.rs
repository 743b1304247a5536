//! The `callgate` command: checks descriptions, shows tools, calls them, runs fixtures. Parses arguments and picks a
//! command; results go to standard output, messages to standard error. A program with kinds of toolsets of its own runs it too.

#![cfg_attr(
    not(feature = "mcp"),
    expect(dead_code, reason = "code that only MCP needs is compiled and tested with it")
)]

mod advice;
mod args;
mod baseline;
mod cause;
mod codes;
mod commands;
mod effects;
mod exit;
mod file_argument;
mod folders;
mod grants;
mod guide;
mod levels;
mod listing;
mod log;
mod loss_counts;
mod masking;
mod media_type;
mod memory_protection;
mod needs;
mod new_folder;
mod number;
mod open;
mod output;
mod partial_file;
mod progress;
mod question;
mod remedy;
mod render;
mod report;
mod runtime;
mod sarif;
mod session;
mod sidecar;
mod table;
mod token_advice;
mod usage_error;
mod yaml;

use std::process::ExitCode;

use callgate_config::Kinds;

use crate::{
    args::{AuditCommand, Command},
    exit::{Failure, Verdict},
    log::LogReader,
};

/// Runs the command that the arguments of this process name, with these kinds of toolsets. It is the whole of a program:
///
/// ```no_run
/// use std::process::ExitCode;
///
/// fn main() -> ExitCode {
///     // Those of the features; `with` adds one of your own.
///     callgate_cli::run(&callgate::config::kinds())
/// }
/// ```
pub fn run(kinds: &Kinds) -> ExitCode {
    memory_protection::protect_memory();
    #[cfg(all(feature = "monty", unix))]
    commands::code_worker::register_as_code_worker();
    let kinds = &with_sources_and_models(kinds.clone());
    let command = match args::parse_arguments(std::env::args_os(), kinds) {
        Ok(arguments) => arguments.command,
        Err(error) => return usage_error::print_error_or_help(error),
    };
    let ended = log_reader(&command)
        .map_or(Ok(()), log::start_log)
        .and_then(|()| run_command(command, kinds));
    exit::exit_code(ended)
}

/// The kinds with what the features of this command register beside them.
fn with_sources_and_models(kinds: Kinds) -> Kinds {
    #[cfg(feature = "agents")]
    let kinds = kinds.with_text_models(callgate_agent::text_model);
    #[cfg(feature = "ces")]
    let kinds = kinds.with_source(callgate_ces::Exports);
    kinds
}

/// The reader of the log; `None` for a sidecar, which writes the log of its configuration, and for completion at a key press.
fn log_reader(command: &Command) -> Option<LogReader> {
    match command {
        Command::Complete(_) | Command::Serve(_) => None,
        Command::Call(arguments) if arguments.answer.verbose > 1 => Some(LogReader::Curious),
        #[cfg(feature = "mcp")]
        Command::Mcp(_) => Some(LogReader::Operator),
        _ => Some(LogReader::Person),
    }
}

fn run_command(command: Command, kinds: &Kinds) -> Result<Verdict, Failure> {
    match command {
        Command::Approvals(arguments) => commands::approvals::run(&arguments, kinds),
        Command::Approve(arguments) => commands::approve::run(&arguments, kinds),
        Command::Audit(AuditCommand::Verify(arguments)) => {
            commands::audit::verify_files(&arguments)
        }
        Command::Call(arguments) => commands::call::run(&arguments, kinds),
        #[cfg(feature = "agents")]
        Command::Chat(arguments) => commands::chat::run(&arguments, kinds),
        Command::Check(arguments) => commands::check::run(&arguments, kinds),
        #[cfg(all(feature = "monty", unix))]
        Command::CodeWorker => commands::code_worker::run(),
        Command::Complete(arguments) => Ok(commands::complete::run(&arguments, kinds)),
        Command::Completions(arguments) => Ok(commands::complete::print_script(&arguments)),
        Command::Diff(arguments) => commands::diff::run(&arguments, kinds),
        Command::Doctor(arguments) => commands::doctor::run(&arguments, kinds),
        Command::Draft(arguments) => commands::draft::run(&arguments, kinds),
        Command::Explain(arguments) => commands::explain::run(&arguments, kinds),
        #[cfg(all(feature = "pdf", unix))]
        Command::Extract => commands::extract::run(),
        Command::Health(arguments) => commands::health::run(&arguments, kinds),
        Command::Init(arguments) => commands::init::run(&arguments, kinds),
        #[cfg(feature = "ces")]
        Command::Import(arguments) => commands::import::run(&arguments, kinds),
        Command::Login(arguments) => commands::login::run(&arguments, kinds),
        Command::Logout(arguments) => commands::login::log_out(&arguments, kinds),
        Command::Man(arguments) => commands::man::run(&arguments),
        #[cfg(feature = "mcp")]
        Command::Mcp(arguments) => commands::mcp::run(&arguments, kinds),
        Command::Run(arguments) => commands::run::run(&arguments, kinds),
        Command::Schema => {
            output::print_result(&format!("{:#}\n", callgate_config::schema(kinds)));
            Ok(Verdict::Fine)
        }
        Command::Serve(arguments) => commands::serve::run(&arguments, kinds),
        Command::Test(arguments) => commands::test::run(&arguments, kinds),
        Command::Tools(arguments) => commands::tools::run(&arguments, kinds),
    }
}
