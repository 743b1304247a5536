//! `callgate code-worker`: the programs of a sidecar or a command, in a process that gave up files, memory and time.

use std::io::{stdin, stdout};

use crate::exit::{Failure, Verdict};

pub(crate) fn run() -> Result<Verdict, Failure> {
    let worked = callgate_code::run_worker(&mut stdin(), &mut stdout());
    worked
        .map(|()| Verdict::Fine)
        .map_err(|error| Failure(format!("expected programs on standard input, got none: {error}")))
}

/// Names this program as the one that runs code.
pub(crate) fn register_as_code_worker() {
    std::env::current_exe().into_iter().for_each(callgate_code::set_worker_program);
}
