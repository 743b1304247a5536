//! A store each of whose requests ends in time. It reports when the store behind it is away and when it is back; the users of
//! a store decide what they do without it.

use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant as Clock},
};

use async_trait::async_trait;
use callgate_session::{
    Error, ErrorKind, Expected, Group, Key, Pace, Record, Sealer, Store, Stored, Version,
};
use metrics::{counter, gauge};
use tokio::{
    runtime::Handle,
    time::{Instant, timeout},
};

/// A store whose requests end after 900 ms, whatever the store behind it does.
///
/// Once a request has not been answered in that time, one request a second tries the store, and the others are refused at
/// once: a call that needs the store several times waits for it once. The facade `metrics` gets `callgate_state_up` and
/// `callgate_state_failures_total`, and the log a line when the store is away and one when it is back.
pub struct TimedStore {
    store: Arc<dyn Store>,
    health: Mutex<Health>,
}

#[derive(Debug, Default)]
struct Health {
    /// The time of the first request that failed since the last one that was answered.
    away_since: Option<Instant>,
    /// The time at which the next request may try a store that does not answer.
    next_trial: Option<Instant>,
}

impl TimedStore {
    /// Bounds the requests to a store.
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self { store, health: Mutex::default() }
    }

    async fn bounded<T>(
        &self,
        request: impl Future<Output = Result<T, Error>> + Send,
    ) -> Result<T, Error> {
        self.admit()?;
        // A record that is dropped after the end of the runtime has no clock to be timed by.
        let answer = match Handle::try_current() {
            Ok(_) => timeout(LONGEST, request).await,
            Err(_) => Ok(request.await),
        };
        let Ok(answer) = answer else {
            return Err(self.failed(unanswered(), "unanswered", Some(Instant::now() + PAUSE)));
        };
        match answer.as_ref().map_err(Error::kind) {
            Err(ErrorKind::Unavailable) => {
                return answer.map_err(|error| self.failed(error, "unavailable", None));
            }
            Err(ErrorKind::Full) => count("full"),
            _ => {}
        }
        self.answered();
        answer
    }

    /// Refuses a request while the store does not answer, except for one that tries it.
    fn admit(&self) -> Result<(), Error> {
        let mut health = self.health();
        let Some(trial) = health.next_trial else { return Ok(()) };
        let now = Instant::now();
        if now < trial {
            drop(health);
            count("refused");
            return Err(unanswered().with_retry_after(PAUSE));
        }
        health.next_trial = Some(now + PAUSE);
        Ok(())
    }

    fn failed(&self, error: Error, outcome: &'static str, next_trial: Option<Instant>) -> Error {
        count(outcome);
        let mut health = self.health();
        health.next_trial = next_trial;
        let is_first = health.away_since.is_none();
        health.away_since.get_or_insert_with(Instant::now);
        drop(health);
        gauge!("callgate_state_up").set(0.0);
        if is_first {
            let cause = std::error::Error::source(&error).map(ToString::to_string);
            tracing::warn!(%error, cause, "the store of `state` is away");
        }
        let wait = error.retry_after().unwrap_or(PAUSE);
        error.with_retry_after(wait)
    }

    fn answered(&self) {
        let mut health = self.health();
        health.next_trial = None;
        let Some(since) = health.away_since.take() else { return };
        drop(health);
        gauge!("callgate_state_up").set(1.0);
        let seconds = since.elapsed().as_secs();
        tracing::info!(seconds, "the store of `state` is back");
    }

    fn health(&self) -> MutexGuard<'_, Health> {
        self.health.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Store for TimedStore {
    fn is_shared(&self) -> bool {
        self.store.is_shared()
    }

    fn sealer(&self, purpose: &str) -> Option<Sealer> {
        self.store.sealer(purpose)
    }

    async fn get(&self, key: &Key, now: Clock) -> Result<Option<Stored>, Error> {
        self.bounded(self.store.get(key, now)).await
    }

    async fn list(
        &self,
        group: &Group,
        after: Option<&Key>,
        most: usize,
        now: Clock,
    ) -> Result<Vec<(Key, Stored)>, Error> {
        self.bounded(self.store.list(group, after, most, now)).await
    }

    async fn put(
        &self,
        key: &Key,
        record: Record,
        expected: Expected,
        now: Clock,
    ) -> Result<Version, Error> {
        self.bounded(self.store.put(key, record, expected, now)).await
    }

    async fn remove(&self, key: &Key, expected: Expected, now: Clock) -> Result<bool, Error> {
        self.bounded(self.store.remove(key, expected, now)).await
    }

    async fn take(&self, key: &Key, pace: Pace, now: Clock) -> Result<Option<Duration>, Error> {
        self.bounded(self.store.take(key, pace, now)).await
    }
}

impl fmt::Debug for TimedStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TimedStore").field("store", &self.store).finish_non_exhaustive()
    }
}

fn count(failure: &'static str) {
    counter!("callgate_state_failures_total", "failure" => failure).increment(1);
}

fn unanswered() -> Error {
    Error::new(ErrorKind::Unavailable, "the store of `state` does not answer in time")
}

/// The longest time of a request to the store. An answer may come a second after the deadline of its call; the rest of that
/// second is for the other work of the call.
const LONGEST: Duration = Duration::from_millis(900);
/// The time between two requests that try a store which does not answer.
const PAUSE: Duration = Duration::from_secs(1);

#[cfg(test)]
mod tests;
