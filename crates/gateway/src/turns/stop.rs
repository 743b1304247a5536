//! The end of a turn before it ends by itself, and who brought it about: the caller, an operator, or events that nobody reads.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicUsize, Ordering},
};

use callgate_agent::{End, EndReason};
use callgate_executor::Stop;

use crate::observe::turn_report::StoppedBy;

/// Ends a turn. Clones share everything.
#[derive(Clone, Default)]
pub(super) struct TurnStop {
    pub(super) turn: Stop,
    /// The bytes of events that the caller has not read.
    n_unread: Arc<AtomicUsize>,
    is_unread: Arc<AtomicBool>,
}

impl TurnStop {
    /// Notes bytes for the caller. Ends the turn and returns false if it has left too many unread.
    pub(super) fn count_unread_or_stop(&self, n_bytes: usize) -> bool {
        let is_read = self.n_unread.fetch_add(n_bytes, Ordering::Relaxed) + n_bytes <= MOST_UNREAD;
        if !is_read {
            self.is_unread.store(true, Ordering::Relaxed);
            self.turn.stop();
        }
        is_read
    }

    /// Notes bytes that the caller has read.
    pub(super) fn note_read(&self, n_bytes: usize) {
        self.n_unread.fetch_sub(n_bytes, Ordering::Relaxed);
    }

    /// Who has stopped the turn. The end of a turn that was cancelled for unread events says so.
    pub(super) fn stopped_by(&self, end: &mut End) -> StoppedBy {
        match (self.is_unread.load(Ordering::Relaxed), self.turn.is_stopped()) {
            (true, _) => {
                if end.reason == EndReason::Cancelled {
                    let n_mib = MOST_UNREAD >> 20;
                    end.detail = Some(format!("the caller left {n_mib} MiB of events unread"));
                }
                StoppedBy::UnreadEvents
            }
            (false, true) => StoppedBy::Request,
            (false, false) => StoppedBy::Nobody,
        }
    }
}

/// The most bytes of events that a caller has not read: more than a turn makes while a caller is slow.
const MOST_UNREAD: usize = 8 * 1024 * 1024;
