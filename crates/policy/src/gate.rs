//! Admits a number of calls at once, and lets a few more wait for a moment. Callers take turns, so that the waiting calls of
//! one do not stand before those of another. `limits` decides whose calls share a gate.

use std::time::Duration;

use callgate_session::{FairQueue, QueueBounds, QueuePermit};
use callgate_tool::Principal;
use tokio::time::{Instant, timeout_at};

/// The number of calls of one caller that wait for a permit, and how long they wait.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Queue {
    pub(crate) length: usize,
    pub(crate) wait: Duration,
}

#[derive(Debug)]
pub(crate) struct Gate {
    permits: usize,
    queue: Queue,
    calls: FairQueue,
}

/// A waiting call; dropping it lowers the gauge.
struct WaitingCall;

impl Gate {
    pub(crate) fn new(permits: usize, queue: Queue) -> Self {
        // A lone caller has half of a queue.
        let waiting = queue.length.saturating_mul(2);
        let calls = FairQueue::new(QueueBounds { units: permits, each: permits, waiting });
        Self { permits, queue, calls }
    }

    pub(crate) fn has_settings(&self, permits: usize, queue: Queue) -> bool {
        self.permits == permits && self.queue == queue
    }

    pub(crate) fn is_idle(&self) -> bool {
        self.calls.is_idle()
    }

    /// Takes a permit, waiting until the queue's time after `started` is over. `None` if no permit becomes free, or too many
    /// calls wait.
    pub(crate) async fn take_permit(
        &self,
        principal: Option<&Principal>,
        started: Instant,
    ) -> Option<QueuePermit> {
        let principal = principal.map_or("", Principal::id);
        if let Some(permit) = self.calls.try_enter(principal, 1) {
            return Some(permit);
        }
        let _waiting = WaitingCall::new();
        timeout_at(started + self.queue.wait, self.calls.enter(principal, 1)).await.ok()?
    }
}

impl WaitingCall {
    fn new() -> Self {
        metrics::gauge!("callgate_queue_length").increment(1);
        Self
    }
}

impl Drop for WaitingCall {
    fn drop(&mut self) {
        metrics::gauge!("callgate_queue_length").decrement(1);
    }
}
