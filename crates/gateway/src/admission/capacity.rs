//! Permits for requests. When no permit is free, callers that keep the sidecar waiting, by a body that does not arrive or a
//! response that they do not read, lose theirs.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError, Weak},
};

use callgate_session::QueuePermit;
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::{Duration, Instant},
};

/// The permits for requests that are handled at once. Clones share them.
#[derive(Clone, Debug)]
pub(crate) struct Capacity(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    permits: Arc<Semaphore>,
    most: usize,
    /// Requests whose callers may keep the sidecar waiting, in the order in which they began to.
    waiting: Mutex<VecDeque<Weak<Permit>>>,
}

pub(crate) struct Permit {
    capacity: Capacity,
    state: Mutex<State>,
}

struct State {
    semaphore_permit: Option<OwnedSemaphorePermit>,
    /// The part of its principal's share that the permit uses.
    share: Option<QueuePermit>,
    /// The time since when the caller keeps the sidecar waiting.
    waits_since: Option<Instant>,
    /// The time that the caller may do so while others have no permit.
    patience: Duration,
    /// Ends the request when another one takes its permit.
    end: Option<EndRequest>,
}

type EndRequest = Box<dyn FnOnce() + Send>;

impl Capacity {
    pub(super) fn new(most: usize) -> Self {
        let most = most.min(Semaphore::MAX_PERMITS);
        let (permits, waiting) = (Arc::new(Semaphore::new(most)), Mutex::default());
        Self(Arc::new(Shared { permits, most, waiting }))
    }

    pub(super) fn acquire_or_take_over_permit(&self) -> Option<Arc<Permit>> {
        let semaphore_permit = self
            .try_acquire()
            .or_else(|| self.end_stalling_request().then(|| self.try_acquire()).flatten())?;
        let (semaphore_permit, patience) = (Some(semaphore_permit), Duration::ZERO);
        let state = State { semaphore_permit, share: None, waits_since: None, patience, end: None };
        Some(Arc::new(Permit { capacity: self.clone(), state: Mutex::new(state) }))
    }

    fn try_acquire(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.0.permits).try_acquire_owned().ok()
    }

    /// Ends one request whose caller keeps the sidecar waiting. True if there was one.
    fn end_stalling_request(&self) -> bool {
        let waiting = self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner).clone();
        waiting.iter().filter_map(Weak::upgrade).any(|permit| permit.end_request_if_slow(None))
    }

    fn add_waiting(&self, permit: Weak<Permit>) {
        let mut waiting = self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        // Ended requests are removed only when the list is twice as long as the number of permits.
        if waiting.len() > self.0.most.saturating_mul(2) {
            waiting.retain(|permit| permit.strong_count() > 0);
        }
        waiting.push_back(permit);
    }
}

impl Permit {
    /// Takes a part of the principal's share, for as long as the request has its permit.
    pub(super) fn hold_share(&self, share: QueuePermit) {
        self.state().share = Some(share);
    }

    /// Marks that the caller may keep the sidecar waiting from now on; `end` ends the request if others need its permit.
    pub(crate) fn mark_client_may_stall(self: &Arc<Self>, end: impl FnOnce() + Send + 'static) {
        let mut state = self.state();
        state.waits_since = Some(Instant::now());
        state.end = Some(Box::new(end));
        drop(state);
        self.capacity.add_waiting(Arc::downgrade(self));
    }

    /// Marks that the caller keeps the sidecar waiting again.
    pub(crate) fn mark_client_stalls(&self) {
        let mut state = self.state();
        state.waits_since.get_or_insert_with(Instant::now);
        state.patience = PATIENCE;
    }

    /// Marks that the caller waits for the sidecar. Returns true if the request still has its permit.
    pub(crate) fn clear_waiting_and_has_permit(&self) -> bool {
        let mut state = self.state();
        state.waits_since = None;
        state.semaphore_permit.is_some()
    }

    /// Ends the request if its caller has kept the sidecar waiting for this long.
    pub(crate) fn end_request_if_slower_than(&self, time: Duration) {
        self.end_request_if_slow(Some(time));
    }

    /// Ends the request if its caller has kept the sidecar waiting too long. Returns true if it did.
    fn end_request_if_slow(&self, time: Option<Duration>) -> bool {
        let mut state = self.state();
        let time = time.unwrap_or(state.patience);
        if state.waits_since.is_none_or(|since| since.elapsed() < time)
            || state.semaphore_permit.is_none()
        {
            return false;
        }
        state.semaphore_permit = None;
        let (end, share) = (state.end.take(), state.share.take());
        // Dropped first, because `end` may access the permit itself.
        drop((state, share));
        if let Some(end) = end {
            end();
        }
        true
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

callgate_secret::opaque!(Permit {});

/// The time that a caller may pause after it has read a part of its response.
const PATIENCE: Duration = Duration::from_millis(500);

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use tokio::time::advance;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_request_that_waits_for_its_caller_gives_its_permit_to_others() {
        let capacity = Capacity::new(2);
        let (busy, slow) = (
            capacity.acquire_or_take_over_permit().unwrap(),
            capacity.acquire_or_take_over_permit().unwrap(),
        );
        let n_ended = Arc::new(AtomicUsize::new(0));
        let counts = |n_ended: &Arc<AtomicUsize>| {
            let n_ended = Arc::clone(n_ended);
            move || n_ended.store(n_ended.load(Ordering::SeqCst) + 1, Ordering::SeqCst)
        };
        busy.mark_client_may_stall(counts(&n_ended));
        slow.mark_client_may_stall(counts(&n_ended));
        assert!(busy.clear_waiting_and_has_permit() && slow.clear_waiting_and_has_permit());
        assert!(capacity.acquire_or_take_over_permit().is_none(), "nobody waits");
        slow.mark_client_stalls();
        assert!(capacity.acquire_or_take_over_permit().is_none(), "nobody has waited for long");
        advance(PATIENCE).await;
        let third = capacity.acquire_or_take_over_permit().unwrap();
        assert_eq!(n_ended.load(Ordering::SeqCst), 1);
        assert!(
            busy.clear_waiting_and_has_permit()
                && third.clear_waiting_and_has_permit()
                && !slow.clear_waiting_and_has_permit()
        );
        assert!(capacity.acquire_or_take_over_permit().is_none(), "one leaves for each that comes");
        third.mark_client_may_stall(|| {});
        assert!(
            capacity.acquire_or_take_over_permit().is_some(),
            "a body that is not there yet can come again"
        );
        assert!(!third.clear_waiting_and_has_permit());
        drop(slow);
        drop((busy, third));
        assert!(capacity.acquire_or_take_over_permit().is_some());
    }
}
