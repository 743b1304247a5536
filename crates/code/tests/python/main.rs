//! Programs in the real sandbox: what they can do, and what they cannot. `tests/interop/python` runs these tests, as root and as a user
//! without rights; without it they say so and end. This program is also the one that is killed while a program runs.

#![cfg(target_os = "linux")]
#![expect(
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "the harness of these tests is their own"
)]

mod attempts;
mod calls;
mod endings;
mod files;
mod floods;
mod handles;
mod programs;
mod world;

use std::{env, io::Write as _, process::ExitCode};

use callgate_code::python::{PythonProgram, PythonSettings, run};

fn main() -> ExitCode {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    if env::args().nth(1).as_deref() == Some("killed") {
        runtime.block_on(run_until_killed());
    }
    if env::var_os("CALLGATE_SANDBOX").is_none() {
        println!("left out: tests/interop/python runs programs in the sandbox");
        return ExitCode::SUCCESS;
    }
    runtime.block_on(async {
        programs::test().await;
        handles::test().await;
        let mut world = world::World::new();
        let attempts = attempts::attempts().into_iter().chain(calls::attempts());
        for attempt in attempts.chain(files::attempts()).chain(floods::attempts()) {
            world.refuses(&attempt).await;
        }
        endings::test(&mut world).await;
        world.report();
    });
    ExitCode::SUCCESS
}

/// Runs a program that does all to stay, in a sandbox that shows the folder in the second argument.
async fn run_until_killed() {
    let folder = env::args().nth(2).unwrap().into();
    let settings = PythonSettings { folders: vec![folder], ..PythonSettings::default() };
    println!("started");
    std::io::stdout().flush().unwrap();
    let code = endings::STAYS.to_owned();
    run(&settings, PythonProgram { code, files: Vec::new() }).await.unwrap();
}
