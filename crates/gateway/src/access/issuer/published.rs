//! The facts that are known of an issuer's keys: kept, read ahead of its end, asked for once however many tokens need it, and at
//! most once in a while: no caller makes us ask more often by naming keys that do not exist. What is asked goes on when
//! whoever waited leaves, and ends with this.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use callgate_config::BuiltIssuer;
use jsonwebtoken::Algorithm;
use tokio::{
    sync::{Semaphore, watch},
    task::JoinSet,
    time::{Instant, sleep_until},
};

use super::{
    super::keys::{Key, Keys},
    Refusal, fetch,
};

/// The keys of an issuer, as far as they are known.
#[derive(Debug)]
pub(super) struct Published {
    issuer: BuiltIssuer,
    state: Arc<Mutex<State>>,
    /// The party that may wait for a key that is not known.
    waiting: Semaphore,
    asking: Mutex<JoinSet<()>>,
}

#[derive(Debug, Default)]
struct State {
    keys: Option<Known>,
    /// The time when it answered last, or did not.
    asked: Option<Instant>,
    /// The number of times it was asked, and how many of these times are over.
    n_begun: u64,
    n_ended: u64,
    /// Closed when what is being asked is there.
    flight: Option<watch::Receiver<()>>,
}

/// Keys that were published.
#[derive(Clone, Debug)]
struct Known {
    keys: Arc<Keys>,
    read: Instant,
    /// The time at which it was asked for them.
    number: u64,
}

/// The remedy for a token.
enum Step {
    Give(Vec<Arc<Key>>),
    Refuse(Refusal),
    /// Wait for what is being asked.
    Wait(watch::Receiver<()>),
    /// Wait until it may be asked again.
    WaitUntil(Instant),
}

impl Published {
    pub(super) fn new(issuer: &BuiltIssuer) -> Self {
        let (state, waiting) = (Arc::default(), Semaphore::new(MOST_WAITING));
        Self { issuer: issuer.clone(), state, waiting, asking: Mutex::default() }
    }

    /// The keys that a token may be signed with.
    pub(super) async fn keys(
        &self,
        id: Option<&str>,
        algorithm: Algorithm,
    ) -> Result<Vec<Arc<Key>>, Refusal> {
        // What was asked before this token came may be older than its key.
        let wanted = locked(&self.state).n_begun.saturating_add(1);
        loop {
            let step = self.step(id, algorithm, wanted);
            match step {
                Step::Give(keys) => return Ok(keys),
                Step::Refuse(refusal) => return Err(refusal),
                // An error is the end of the one who asks, which is what is waited for.
                Step::Wait(mut flight) => drop(flight.changed().await),
                Step::WaitUntil(next) => {
                    let _room = self.waiting.try_acquire().map_err(|_| UNKNOWN)?;
                    sleep_until(next).await;
                }
            }
        }
    }

    fn step(&self, id: Option<&str>, algorithm: Algorithm, wanted: u64) -> Step {
        let mut state = locked(&self.state);
        let now = Instant::now();
        let next = state.asked.map(|asked| asked + PAUSE).filter(|next| *next > now);
        let usable = state.keys.clone().filter(|known| known.read + STALE > now);
        if let Some(known) = &usable {
            let found = known.keys.of(id, algorithm);
            let is_due = known.read + FRESH < now && next.is_none() && state.flight.is_none();
            if is_due && !found.is_empty() {
                self.ask(&mut state);
            }
            if !found.is_empty() {
                return Step::Give(found);
            }
            if known.number >= wanted {
                return Step::Refuse(UNKNOWN);
            }
        }
        match (&state.flight, next) {
            (Some(flight), _) => Step::Wait(flight.clone()),
            (None, None) => Step::Wait(self.ask(&mut state)),
            // It was asked since this token came, or a moment before, and did not answer.
            (None, Some(next)) if state.n_ended >= wanted || usable.is_none() => {
                Step::Refuse(Refusal::Unreachable(next.saturating_duration_since(now)))
            }
            (None, Some(next)) => Step::WaitUntil(next),
        }
    }

    fn ask(&self, state: &mut State) -> watch::Receiver<()> {
        let (done, flight) = watch::channel(());
        state.flight = Some(flight.clone());
        state.n_begun = state.n_begun.saturating_add(1);
        let number = state.n_begun;
        let (issuer, state) = (self.issuer.clone(), Arc::clone(&self.state));
        let mut asking = locked(&self.asking);
        while asking.try_join_next().is_some() {}
        asking.spawn(async move {
            let read = fetch::keys(&issuer).await;
            let mut state = locked(&state);
            let now = Instant::now();
            (state.flight, state.asked, state.n_ended) = (None, Some(now), number);
            match read {
                Ok(keys) => {
                    state.keys = Some(Known { keys: Arc::new(keys), read: now, number });
                }
                Err(error) => {
                    let issuer = &*issuer.config.issuer;
                    tracing::warn!(issuer, error, "cannot read the keys of an issuer");
                }
            }
            drop((state, done));
        });
        flight
    }
}

/// Nothing panics while the state is half written.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The refusal of a token whose key is not published.
const UNKNOWN: Refusal = Refusal::Invalid("no key of the issuer signed this token");
/// Keys that are older are asked for again while they are used.
const FRESH: Duration = Duration::from_mins(5);
/// A key that was withdrawn is used no longer than this while its issuer is down.
const STALE: Duration = Duration::from_hours(1);
/// The time for which an issuer is left alone.
const PAUSE: Duration = Duration::from_secs(10);
/// The number of requests that may wait for a key that is not known.
const MOST_WAITING: usize = 64;
