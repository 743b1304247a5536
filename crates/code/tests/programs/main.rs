//! Programs in their workers: what they compute, what they call, and what they cannot do. This program is its own worker: the tests
//! start it again, as a program that embeds callgate starts itself.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "the harness of these tests is their own"
)]

mod calls;
mod clients;
mod escapes;
mod generate;
mod keys;
mod kills;
mod language;
mod lies;
mod pauses;
mod per_approval;
mod shop;
mod sign_ins;
mod users;

use std::{
    env,
    panic::{AssertUnwindSafe, catch_unwind},
    process::ExitCode,
};

use callgate_code::{WORKER_ARGUMENT, set_worker_program};

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == WORKER_ARGUMENT) {
        let worked = lies::work_or_lie();
        return if worked.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    }
    set_worker_program(env::current_exe().unwrap());
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    if let [word, folder] = arguments.as_slice()
        && word == kills::DESK
    {
        runtime.block_on(kills::serve(folder.into()));
        return ExitCode::SUCCESS;
    }
    let wanted = arguments.iter().find(|argument| !argument.starts_with('-'));
    let (mut n_passed, mut n_failed) = (0_usize, 0_usize);
    for (name, test) in language::tests()
        .into_iter()
        .chain(calls::tests())
        .chain(escapes::tests())
        .chain(lies::tests())
        .chain(pauses::tests())
        .chain(per_approval::tests())
        .chain(keys::tests())
        .chain(clients::tests())
        .chain(sign_ins::tests())
        .chain(users::tests())
        .chain(generate::tests())
        .chain(kills::tests())
    {
        if wanted.is_none_or(|wanted| name.contains(wanted.as_str())) {
            let passed = catch_unwind(AssertUnwindSafe(|| runtime.block_on(test))).is_ok();
            println!("test {name} ... {}", if passed { "ok" } else { "FAILED" });
            n_passed += usize::from(passed);
            n_failed += usize::from(!passed);
        }
    }
    println!("{n_passed} tests passed, {n_failed} failed");
    if n_failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
