//! `callgate code-worker`: the programs of a sidecar or a command, in a process that gave up files, memory and time.

use std::io::{stdin, stdout};

use crate::exit::{Failure, Verdict};

pub(crate) fn run() -> Result<Verdict, Failure> {
    let worked = callgate_code::work(&mut stdin(), &mut stdout());
    worked
        .map(|()| Verdict::Fine)
        .map_err(|error| Failure(format!("expected programs on standard input, got none: {error}")))
}

/// Names this program as the one that runs code.
pub(crate) fn name_own_program() {
    std::env::current_exe().into_iter().for_each(callgate_code::use_worker);
}
