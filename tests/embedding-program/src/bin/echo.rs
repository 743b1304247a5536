//! The command `callgate` with a kind of toolset of one's own.

use std::process::ExitCode;

use callgate_embed::echo::Echo;

fn main() -> ExitCode {
    callgate_cli::run(&callgate::config::kinds().with(Echo))
}
