//! One use of a connection: its deadline, its cancellation, and whether its changes are being committed. The thread that works
//! and the task that waits share it.

use std::sync::{
    OnceLock,
    atomic::{AtomicU8, AtomicU64, Ordering},
};

use rusqlite::InterruptHandle;
use tokio::time::Instant;

/// A use of a connection.
pub(super) struct Call {
    deadline: Instant,
    state: AtomicU8,
    interrupt: OnceLock<InterruptHandle>,
    /// The steps of the engine that are left.
    steps: Option<AtomicU64>,
}

impl Call {
    pub(super) fn new(deadline: Instant) -> Self {
        Self { deadline, state: AtomicU8::new(RUNNING), interrupt: OnceLock::new(), steps: None }
    }

    /// Ends statements after so many steps of the engine.
    pub(super) fn with_most_steps(mut self, steps: Option<u64>) -> Self {
        self.steps = steps.map(AtomicU64::new);
        self
    }

    /// Counts steps of a statement. True if it must end.
    pub(super) fn count_steps_and_must_end(&self, n_steps: u64) -> bool {
        let spend = |left: u64| left.checked_sub(n_steps);
        let is_spent = self.steps.as_ref().is_some_and(|steps| {
            let spent = steps.fetch_update(Ordering::Relaxed, Ordering::Relaxed, spend);
            spent.inspect_err(|_| steps.store(0, Ordering::Relaxed)).is_err()
        });
        self.has_to_end() || (is_spent && self.state.load(Ordering::Acquire) == RUNNING)
    }

    /// True if no steps are left.
    pub(super) fn has_no_steps_left(&self) -> bool {
        self.steps.as_ref().is_some_and(|steps| steps.load(Ordering::Relaxed) == 0)
    }

    pub(super) fn deadline(&self) -> Instant {
        self.deadline
    }

    /// The connection that a cancellation interrupts.
    pub(super) fn set_interrupt(&self, interrupt: InterruptHandle) {
        // Set once: a call uses one connection.
        self.interrupt.set(interrupt).ok();
    }

    /// Ends the call before it commits. False if its commit has begun, or if it is done: an interruption would meet the next
    /// call on the connection.
    pub(super) fn cancel_before_commit(&self) -> bool {
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
    pub(super) fn finish_and_is_reusable(&self) -> bool {
        let is_in_time = Instant::now() < self.deadline;
        let is_done = self.change(RUNNING, DONE).is_ok() || self.change(COMMITTING, DONE).is_ok();
        is_in_time && is_done
    }

    /// Begins the commit, after which nothing cancels. False if the call was cancelled or its time is over.
    pub(super) fn begin_commit(&self) -> bool {
        Instant::now() < self.deadline && self.change(RUNNING, COMMITTING).is_ok()
    }

    /// True if statements must end.
    pub(super) fn has_to_end(&self) -> bool {
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
