//! The `callgate` command, with the kinds of toolsets of its features.

use std::process::ExitCode;

/// The system's allocator keeps what a storm of connections took, and needs a heap for each thread.
#[cfg(all(feature = "jemalloc", not(target_env = "msvc")))]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    callgate_cli::run(&callgate::config::kinds())
}
