//! The ends of transactions on servers that break the protocol.

use std::time::Duration;

use crate::transaction::Failure;

/// The time for a call with this end: short where the time ends it, and otherwise enough for a busy machine.
pub(crate) fn time_of(expected: &Result<usize, Failure>) -> Duration {
    let is_late = *expected == timed_out();
    if is_late { Duration::from_millis(600) } else { Duration::from_secs(10) }
}

pub(crate) fn timed_out() -> Result<usize, Failure> {
    Err(Failure::TimedOut { is_rolled_back: true })
}

pub(crate) fn lost() -> Result<usize, Failure> {
    Err(Failure::Lost { may_be_committed: false })
}

pub(crate) fn too_large() -> Result<usize, Failure> {
    Err(Failure::TooLarge)
}
