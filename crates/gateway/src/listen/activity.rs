//! The load of one connection: the requests being handled, and the time without any.

use std::sync::{
    Arc, Mutex, PoisonError, Weak,
    atomic::{AtomicU64, AtomicUsize, Ordering},
};

use tokio::{
    sync::Notify,
    time::{Duration, Instant},
};

use crate::admission::Permit;

/// Shared by the reader of a connection, the handler of its requests, and the code that closes it.
#[derive(Debug)]
pub(super) struct Activity {
    opened: Instant,
    in_flight: AtomicUsize,
    /// Milliseconds from the opening to the last end of a request.
    last_end: AtomicU64,
    idle: Notify,
    /// The permits of responses that are being sent piece by piece.
    streams: Mutex<Vec<Weak<Permit>>>,
}

/// A request that is being handled, until it is dropped.
#[derive(Debug)]
pub(super) struct InFlight(Arc<Activity>);

impl Activity {
    pub(super) fn new() -> Self {
        let (in_flight, last_end) = (AtomicUsize::new(0), AtomicU64::new(0));
        let streams = Mutex::default();
        Self { opened: Instant::now(), in_flight, last_end, idle: Notify::new(), streams }
    }

    pub(super) fn begin_request(self: &Arc<Self>) -> InFlight {
        self.in_flight.fetch_add(1, Ordering::AcqRel);
        InFlight(Arc::clone(self))
    }

    /// The time since when there is no request; `None` while there is one.
    pub(super) fn idle_since(&self) -> Option<Instant> {
        let last_end = Duration::from_millis(self.last_end.load(Ordering::Acquire));
        (self.in_flight.load(Ordering::Acquire) == 0).then(|| self.opened + last_end)
    }

    /// Returns true if there was no request yet.
    pub(super) fn has_had_no_request(&self) -> bool {
        self.idle_since() == Some(self.opened)
    }

    pub(super) fn opened_at(&self) -> Instant {
        self.opened
    }

    pub(super) fn add_stream(&self, permit: &Arc<Permit>) {
        let mut streams = self.streams.lock().unwrap_or_else(PoisonError::into_inner);
        streams.retain(|permit| permit.strong_count() > 0);
        streams.push(Arc::downgrade(permit));
    }

    /// Ends the responses that were not read for this long.
    pub(super) fn end_unread_responses(&self, time: Duration) {
        let streams = self.streams.lock().unwrap_or_else(PoisonError::into_inner).clone();
        streams.iter().filter_map(Weak::upgrade).for_each(|permit| {
            permit.end_request_if_slower_than(time);
        });
    }

    /// Gives the connection up after too long without activity.
    pub(super) fn end_idle_connection(&self) {
        self.idle.notify_one();
    }

    pub(super) async fn wait_until_idle_end(&self) {
        self.idle.notified().await;
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        let activity = &self.0;
        let elapsed = activity.opened.elapsed().as_millis();
        activity.last_end.store(u64::try_from(elapsed).unwrap_or(u64::MAX), Ordering::Release);
        activity.in_flight.fetch_sub(1, Ordering::AcqRel);
    }
}
