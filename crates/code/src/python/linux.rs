//! The sandbox itself, of what Linux has: bubblewrap, a filter of system calls, limits of processes.

mod answer;
mod conversation;
mod filter;
mod folder;
mod media;
mod output;
mod sandbox;

use super::{PythonError, PythonOutcome, PythonSettings, request::Request};

/// Runs a program in a sandbox of its own.
pub(super) async fn run_here(
    settings: &PythonSettings,
    request: Request,
) -> Result<PythonOutcome, PythonError> {
    conversation::run_request(sandbox::Sandbox::start(settings)?, request, settings).await
}
