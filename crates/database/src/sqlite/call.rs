//! One use of a connection: its deadline, its cancellation, and whether its changes are being committed. The thread that works
//! and the task that waits share it.

use std::sync::{
    OnceLock,
    atomic::{AtomicU8, Ordering},
};

use rusqlite::InterruptHandle;
use tokio::time::Instant;

/// A use of a connection.
pub(super) struct Call {
    deadline: Instant,
    state: AtomicU8,
    interrupt: OnceLock<InterruptHandle>,
}

impl Call {
    pub(super) fn new(deadline: Instant) -> Self {
        Self { deadline, state: AtomicU8::new(RUNNING), interrupt: OnceLock::new() }
    }

    pub(super) fn deadline(&self) -> Instant {
        self.deadline
    }

    /// The connection that a cancellation interrupts.
    pub(super) fn interrupts(&self, interrupt: InterruptHandle) {
        // Set once: a call uses one connection.
        self.interrupt.set(interrupt).ok();
    }

    /// Ends the call before it commits. False if its commit has begun, or if it is done: an interruption would meet the next
    /// call on the connection.
    pub(super) fn cancel(&self) -> bool {
        match self.change(RUNNING, CANCELLED) {
            Ok(()) => {
                if let Some(interrupt) = self.interrupt.get() {
                    interrupt.interrupt();
                }
                true
            }
            Err(state) => state == CANCELLED,
        }
    }

    /// Ends the use of the connection. False if another call must not have it: it was cancelled, or time was over.
    pub(super) fn finish(&self) -> bool {
        let is_in_time = Instant::now() < self.deadline;
        let is_done = self.change(RUNNING, DONE).is_ok() || self.change(COMMITTING, DONE).is_ok();
        is_in_time && is_done
    }

    /// Begins the commit, after which nothing cancels. False if the call was cancelled or its time is over.
    pub(super) fn commits(&self) -> bool {
        Instant::now() < self.deadline && self.change(RUNNING, COMMITTING).is_ok()
    }

    /// True if statements must end.
    pub(super) fn is_over(&self) -> bool {
        match self.state.load(Ordering::Acquire) {
            CANCELLED => true,
            COMMITTING => false,
            _ => Instant::now() >= self.deadline,
        }
    }

    fn change(&self, from: u8, to: u8) -> Result<(), u8> {
        self.state.compare_exchange(from, to, Ordering::AcqRel, Ordering::Acquire).map(drop)
    }
}

const RUNNING: u8 = 0;
const COMMITTING: u8 = 1;
const CANCELLED: u8 = 2;
const DONE: u8 = 3;
