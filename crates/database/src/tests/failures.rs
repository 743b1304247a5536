//! The ends of transactions on servers that break the protocol.

use crate::transaction::Failure;

pub(crate) fn timed_out() -> Result<usize, Failure> {
    Err(Failure::TimedOut { is_rolled_back: true })
}

pub(crate) fn lost() -> Result<usize, Failure> {
    Err(Failure::Lost { may_be_committed: false })
}

pub(crate) fn too_large() -> Result<usize, Failure> {
    Err(Failure::TooLarge)
}
