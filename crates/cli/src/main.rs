//! The `callgate` command: checks descriptions, shows tools, calls them, runs fixtures. Parses arguments and picks a
//! command; results go to standard output, talk to standard error.

#![cfg_attr(
    not(feature = "mcp"),
    expect(dead_code, reason = "code that only MCP needs is compiled and tested with it")
)]

mod advice;
mod args;
mod baseline;
mod cause;
mod closed;
mod codes;
mod colour;
mod commands;
mod exit;
mod folders;
mod grants;
mod guide;
mod levels;
mod log;
mod loss_counts;
mod masked;
mod needs;
mod number;
mod open;
mod output;
mod progress;
mod render;
mod report;
mod sarif;
mod session;
mod source;
mod table;
mod terminal;
mod yaml;

use std::process::ExitCode;

use clap::Parser;

use crate::args::{Arguments, AuditCommand, Command};

fn main() -> ExitCode {
    closed::close_memory();
    let command = Arguments::parse().command;
    // A sidecar writes the log that its configuration asks for.
    if !matches!(command, Command::Serve(_)) {
        log::start();
    }
    let ended = match command {
        Command::Audit(AuditCommand::Verify(arguments)) => commands::audit::verify(&arguments),
        Command::Call(arguments) => commands::call::run(&arguments),
        Command::Check(arguments) => commands::check::run(&arguments),
        Command::Completions(arguments) => Ok(commands::completions::run(&arguments)),
        Command::Diff(arguments) => commands::diff::run(&arguments),
        Command::Doctor(arguments) => commands::doctor::run(&arguments),
        Command::Explain(arguments) => commands::explain::run(&arguments),
        Command::Init(arguments) => commands::init::run(&arguments),
        Command::Import(arguments) => commands::import::run(&arguments),
        Command::Login(arguments) => commands::login::run(&arguments),
        Command::Logout(arguments) => commands::logout::run(&arguments),
        #[cfg(feature = "mcp")]
        Command::Mcp(arguments) => commands::mcp::run(&arguments),
        Command::Schema => Ok(commands::schema::run()),
        Command::Serve(arguments) => commands::serve::run(&arguments),
        Command::Test(arguments) => commands::test::run(&arguments),
        Command::Tools(arguments) => commands::tools::run(&arguments),
    };
    exit::code(ended)
}
