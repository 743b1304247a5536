//! A store each of whose requests ends in time. It reports when the store behind it is away and when it is back; the users of
//! a store decide what they do without it. That it is away is learned from small requests of its own: what callers store and
//! read may be large, and slow for them alone.

use std::{
    mem,
    pin::pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant as Clock},
};

use async_trait::async_trait;
use callgate_session::{
    Error, ErrorKind, Expected, Group, Key, Owner, Pace, Record, Sealer, Space, Store, Stored,
    Version,
};
use callgate_tool::{Principal, Session};
use metrics::{counter, gauge};
use tokio::{
    runtime::Handle,
    time::{Instant, timeout},
};

/// A store whose requests end after 900 ms, whatever the store behind it does.
///
/// A request that is slow or fails makes the store be tried by a small request of its own. While that is not answered, one
/// request a second tries the store again, and the others are refused at once: a call that needs the store several times waits
/// for it once. The facade `metrics` gets `callgate_state_up` and `callgate_state_failures_total`, and the log a line when the
/// store is away and one when it is back.
pub struct TimedStore {
    store: Arc<dyn Store>,
    /// The key of the store's own requests. No caller has its principal.
    own: Key,
    health: Mutex<Health>,
}

#[derive(Debug, Default)]
struct Health {
    /// The time of the first trial that failed since the last one that was answered.
    away_since: Option<Instant>,
    /// The time at which the next trial of a store may begin that does not answer.
    next_trial: Option<Instant>,
    is_on_trial: bool,
}

/// A trial that runs. Dropping it lets another one begin.
struct Trial<'s>(&'s TimedStore);

impl TimedStore {
    /// Bounds the requests to a store.
    pub fn new(store: Arc<dyn Store>) -> Self {
        let owner = Principal::new("callgate");
        let own = Key::new(Space::Replica, Owner::new(Some(&owner), &Session::default()), "health");
        Self { store, own, health: Mutex::default() }
    }

    async fn run_timed_or_refuse<T>(
        &self,
        request: impl Future<Output = Result<T, Error>> + Send,
    ) -> Result<T, Error> {
        // A record that is dropped after the end of the runtime has no clock to be timed by.
        if Handle::try_current().is_err() {
            return request.await;
        }
        self.refuse_while_silent().await?;
        let Some(answer) = self.answer_in_time(request).await else {
            count_failure("unanswered");
            return Err(timeout_error().with_retry_after(PAUSE));
        };
        match &answer {
            Err(error) if error.kind() == ErrorKind::Unavailable => {
                count_failure("unavailable");
                if self.lock_health().away_since.is_none() {
                    self.try_store().await;
                }
                let wait = error.retry_after().unwrap_or(PAUSE);
                return answer.map_err(|error| error.with_retry_after(wait));
            }
            Err(error) if error.kind() == ErrorKind::Full => count_failure("full"),
            _ => {}
        }
        self.record_answer();
        answer
    }

    /// The answer to a request, in whose time a slow store is tried; `None` if there is none in time.
    async fn answer_in_time<T>(
        &self,
        request: impl Future<Output = Result<T, Error>> + Send,
    ) -> Option<Result<T, Error>> {
        let mut request = pin!(request);
        if let Ok(answer) = timeout(SLOW, &mut request).await {
            return Some(answer);
        }
        let mut trial = pin!(self.try_store());
        let mut rest = pin!(timeout(LONGEST.saturating_sub(SLOW), request));
        tokio::select! {
            biased;
            answer = &mut rest => answer.ok(),
            () = &mut trial => rest.await.ok(),
        }
    }

    /// Refuses a request while the store does not answer. One request a second tries the store first.
    async fn refuse_while_silent(&self) -> Result<(), Error> {
        let Some(trial) = self.lock_health().next_trial else { return Ok(()) };
        if Instant::now() >= trial {
            self.try_store().await;
        }
        if self.lock_health().next_trial.is_none() {
            return Ok(());
        }
        count_failure("refused");
        Err(timeout_error().with_retry_after(PAUSE))
    }

    /// Tries the store by a small request, unless another trial runs.
    async fn try_store(&self) {
        if mem::replace(&mut self.lock_health().is_on_trial, true) {
            return;
        }
        let _trial = Trial(self);
        let now = Instant::now().into_std();
        match timeout(TRIAL, self.store.get(&self.own, now)).await {
            Err(_) => self.record_failure(&timeout_error(), Some(Instant::now() + PAUSE)),
            Ok(Err(error)) if error.kind() == ErrorKind::Unavailable => {
                self.record_failure(&error, None);
            }
            Ok(_) => self.record_answer(),
        }
    }

    fn record_failure(&self, error: &Error, next_trial: Option<Instant>) {
        let mut health = self.lock_health();
        health.next_trial = next_trial;
        let is_first = health.away_since.is_none();
        health.away_since.get_or_insert_with(Instant::now);
        drop(health);
        gauge!("callgate_state_up").set(0.0);
        if is_first {
            let cause = std::error::Error::source(error).map(ToString::to_string);
            tracing::warn!(%error, cause, "the store of `state` is away");
        }
    }

    fn record_answer(&self) {
        let mut health = self.lock_health();
        health.next_trial = None;
        let Some(since) = health.away_since.take() else { return };
        drop(health);
        gauge!("callgate_state_up").set(1.0);
        let seconds = since.elapsed().as_secs();
        tracing::info!(seconds, "the store of `state` is back");
    }

    fn lock_health(&self) -> MutexGuard<'_, Health> {
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
        self.run_timed_or_refuse(self.store.get(key, now)).await
    }

    async fn list(
        &self,
        group: &Group,
        after: Option<&Key>,
        most: usize,
        now: Clock,
    ) -> Result<Vec<(Key, Stored)>, Error> {
        self.run_timed_or_refuse(self.store.list(group, after, most, now)).await
    }

    async fn put(
        &self,
        key: &Key,
        record: Record,
        expected: Expected,
        now: Clock,
    ) -> Result<Version, Error> {
        self.run_timed_or_refuse(self.store.put(key, record, expected, now)).await
    }

    async fn remove(&self, key: &Key, expected: Expected, now: Clock) -> Result<bool, Error> {
        self.run_timed_or_refuse(self.store.remove(key, expected, now)).await
    }

    async fn count(&self, space: Space, now: Clock) -> Result<Option<usize>, Error> {
        self.run_timed_or_refuse(self.store.count(space, now)).await
    }

    async fn take_paced_request(
        &self,
        key: &Key,
        pace: Pace,
        now: Clock,
    ) -> Result<Option<Duration>, Error> {
        self.run_timed_or_refuse(self.store.take_paced_request(key, pace, now)).await
    }
}

impl Drop for Trial<'_> {
    fn drop(&mut self) {
        self.0.lock_health().is_on_trial = false;
    }
}

callgate_secret::opaque!(TimedStore { store });

fn count_failure(failure: &'static str) {
    counter!("callgate_state_failures_total", "failure" => failure).increment(1);
}

fn timeout_error() -> Error {
    Error::new(ErrorKind::Unavailable, "the store of `state` does not answer in time")
}

/// The longest time of a request to the store. An answer may come a second after the deadline of its call; the rest of that
/// second is for the other work of the call.
const LONGEST: Duration = Duration::from_millis(900);
/// The time after which a request makes the store be tried.
const SLOW: Duration = Duration::from_millis(300);
/// The time of a trial, which ends before the request that it began with.
const TRIAL: Duration = Duration::from_millis(500);
/// The time between two trials of a store which does not answer.
const PAUSE: Duration = Duration::from_secs(1);

#[cfg(test)]
mod tests;
