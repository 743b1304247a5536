//! Admits a number of calls at once, and lets a few more wait for a moment. `limits` decides whose calls share a gate.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::{Instant, timeout_at},
};

/// The number of calls that wait for a permit, and how long they wait.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Queue {
    pub(crate) length: usize,
    pub(crate) wait: Duration,
}

#[derive(Debug)]
pub(crate) struct Gate {
    permits: usize,
    queue: Queue,
    free: Arc<Semaphore>,
    n_waiting: AtomicUsize,
}

/// A waiting call; dropping it lowers the count.
struct WaitingCount<'a>(&'a AtomicUsize);

impl Gate {
    pub(crate) fn new(permits: usize, queue: Queue) -> Self {
        let permits = permits.min(Semaphore::MAX_PERMITS);
        let free = Arc::new(Semaphore::new(permits));
        Self { permits, queue, free, n_waiting: AtomicUsize::new(0) }
    }

    pub(crate) fn is(&self, permits: usize, queue: Queue) -> bool {
        self.permits == permits && self.queue == queue
    }

    pub(crate) fn is_idle(&self) -> bool {
        self.free.available_permits() == self.permits
    }

    /// Takes a permit, waiting until the queue's time after `started` is over. `None` if no permit becomes free, or too many
    /// calls wait.
    pub(crate) async fn enter(&self, started: Instant) -> Option<OwnedSemaphorePermit> {
        if let Ok(permit) = Arc::clone(&self.free).try_acquire_owned() {
            return Some(permit);
        }
        let _waiting = self.wait()?;
        let permit = Arc::clone(&self.free).acquire_owned();
        timeout_at(started + self.queue.wait, permit).await.ok()?.ok()
    }

    fn wait(&self) -> Option<WaitingCount<'_>> {
        let before = self.n_waiting.fetch_add(1, Ordering::AcqRel);
        metrics::gauge!("callgate_queue_length").increment(1);
        let waiting = WaitingCount(&self.n_waiting);
        (before < self.queue.length).then_some(waiting)
    }
}

impl Drop for WaitingCount<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
        metrics::gauge!("callgate_queue_length").decrement(1);
    }
}
