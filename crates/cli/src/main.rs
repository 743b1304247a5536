//! The `callgate` command: checks descriptions, shows tools, calls them, runs fixtures. Parses arguments and picks a
//! command; results go to standard output, messages to standard error.

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
mod memory_protection;
mod needs;
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

use crate::{
    args::{AuditCommand, Command},
    exit::{Failure, Verdict},
    log::LogReader,
};

/// The system's allocator keeps what a storm of connections took, and needs a heap for each thread.
#[cfg(all(feature = "jemalloc", not(target_env = "msvc")))]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    memory_protection::close_memory();
    let command = match args::parse_arguments(std::env::args_os()) {
        Ok(arguments) => arguments.command,
        Err(error) => return usage_error::report_error(error),
    };
    let ended = reader(&command).map_or(Ok(()), log::start).and_then(|()| run(command));
    exit::exit_code(ended)
}

/// The reader of the log; `None` for a sidecar, which writes the log of its configuration, and for completion at a key press.
fn reader(command: &Command) -> Option<LogReader> {
    match command {
        Command::Complete(_) | Command::Serve(_) => None,
        Command::Call(arguments) if arguments.answer.verbose > 1 => Some(LogReader::Curious),
        #[cfg(feature = "mcp")]
        Command::Mcp(_) => Some(LogReader::Operator),
        _ => Some(LogReader::Person),
    }
}

fn run(command: Command) -> Result<Verdict, Failure> {
    match command {
        Command::Approvals(arguments) => commands::approvals::run(&arguments),
        Command::Approve(arguments) => commands::approve::run(&arguments),
        Command::Audit(AuditCommand::Verify(arguments)) => commands::audit::verify(&arguments),
        Command::Call(arguments) => commands::call::run(&arguments),
        #[cfg(feature = "agents")]
        Command::Chat(arguments) => commands::chat::run(&arguments),
        Command::Check(arguments) => commands::check::run(&arguments),
        Command::Complete(arguments) => Ok(commands::complete::run(&arguments)),
        Command::Completions(arguments) => Ok(commands::complete::print_script(&arguments)),
        Command::Diff(arguments) => commands::diff::run(&arguments),
        Command::Doctor(arguments) => commands::doctor::run(&arguments),
        Command::Explain(arguments) => commands::explain::run(&arguments),
        #[cfg(all(feature = "pdf", unix))]
        Command::Extract => commands::extract::run(),
        Command::Init(arguments) => commands::init::run(&arguments),
        #[cfg(feature = "ces")]
        Command::Import(arguments) => commands::import::run(&arguments),
        Command::Login(arguments) => commands::login::run(&arguments),
        Command::Logout(arguments) => commands::login::log_out(&arguments),
        Command::Man(arguments) => commands::man::run(&arguments),
        #[cfg(feature = "mcp")]
        Command::Mcp(arguments) => commands::mcp::run(&arguments),
        Command::Schema => {
            output::print_result(&format!("{:#}\n", callgate_config::schema()));
            Ok(Verdict::Fine)
        }
        Command::Serve(arguments) => commands::serve::run(&arguments),
        Command::Test(arguments) => commands::test::run(&arguments),
        Command::Tools(arguments) => commands::tools::run(&arguments),
    }
}
