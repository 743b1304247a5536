//! Refuses programs where there is no such sandbox.

use std::env::consts::{ARCH, OS};

use super::{PythonError, PythonOutcome, PythonSettings, error, request::Request};

/// Refuses a program.
pub(super) async fn run_here(_: &PythonSettings, _: Request) -> Result<PythonOutcome, PythonError> {
    Err(error::unsupported_error(&format!("{OS} on {ARCH}")))
}
