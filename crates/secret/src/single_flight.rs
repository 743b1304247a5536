//! Values that take time to get: fetched once for all waiting callers, kept for their life, and renewed before its end. A
//! caller drives the fetch in its own future; if it leaves, a waiting caller fetches instead. Only the baton is held during
//! a fetch.

mod flights;
mod state;
#[cfg(test)]
mod tests;

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::{runtime::Handle, sync::OwnedMutexGuard, task::JoinSet, time::Instant};

pub use flights::SingleFlights;
pub use state::{CachedValue, FetchReason, Life};
use state::{Lookup, State};

/// A failure, which all waiting callers receive.
pub trait FetchFailure: Clone {
    /// True if a retry may succeed a moment later.
    fn is_transient(&self) -> bool;
}

/// The times for one kind of value.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// The time after a failure during which nothing is fetched.
    pub pause: Duration,
    /// The time for which a value is returned past its end, while transient failures prevent a new one.
    pub stale: Duration,
    /// The effect of a permanent failure on a value whose life has not ended.
    pub lasting: Lasting,
}

/// The effect of a permanent failure on the current value.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "a value is good or it is not")]
pub enum Lasting {
    /// The value stays good until its end.
    Keeps,
    /// The value is dropped.
    Withdraws,
}

/// One value, fetched with inputs of type `I`; other inputs give another value.
pub struct SingleFlight<V, E, I = ()> {
    state: Arc<Mutex<State<V, E, I>>>,
    /// The caller that fetches holds it; the others wait for it, or go on with the current value.
    baton: Arc<tokio::sync::Mutex<()>>,
}

struct Round<V, E, I> {
    state: Arc<Mutex<State<V, E, I>>>,
    reason: FetchReason,
    number: u64,
    _baton: OwnedMutexGuard<()>,
}

impl<V: Clone, E: FetchFailure, I: Clone + PartialEq> SingleFlight<V, E, I> {
    /// A value that is not fetched yet.
    pub fn new(pace: Pace) -> Self {
        let Pace { pause, stale, lasting } = pace;
        let pace =
            Pace { pause: pause.min(state::FOR_GOOD), stale: stale.min(state::FOR_GOOD), lasting };
        Self { state: Arc::new(Mutex::new(State::new(pace))), baton: Arc::default() }
    }

    /// Returns the value. Calls `fetch` if there is no good value, or if a renewal is due and nobody else renews. Dropping
    /// the future ends the fetch; a waiting caller then fetches instead.
    ///
    /// # Errors
    /// The failure of a fetch, now or within the pause.
    pub async fn get<F>(&self, inputs: &I, fetch: impl FnOnce(FetchReason) -> F) -> Result<V, E>
    where
        F: Future<Output = Result<(V, Life), E>>,
    {
        let arrived = match self.lookup(inputs) {
            Lookup::Good(value) => return Ok(value),
            Lookup::Due(value) => {
                let Some(round) = self.begin_round_if_free(inputs, FetchReason::Ahead) else {
                    return Ok(value);
                };
                let fetched = fetch(FetchReason::Ahead).await;
                return Ok(round.record_result(inputs.clone(), fetched).unwrap_or(value));
            }
            Lookup::Failed(error) => return Err(error),
            Lookup::Nothing { n_ended } => n_ended,
        };
        let baton = Arc::clone(&self.baton).lock_owned().await;
        if let Some(result) = self.lock_state().result_since(arrived, inputs) {
            return result;
        }
        let round = self.begin_round(baton, FetchReason::Needed);
        let fetched = fetch(FetchReason::Needed).await;
        round.record_result(inputs.clone(), fetched)
    }

    /// Returns the value like [`SingleFlight::get`], but nobody waits for a renewal: it runs as one of `tasks` and ends
    /// with them.
    ///
    /// # Errors
    /// The errors of [`SingleFlight::get`].
    pub async fn get_renewing_in_task<F>(
        &self,
        inputs: &I,
        tasks: &Mutex<JoinSet<()>>,
        fetch: impl FnOnce(FetchReason) -> F,
    ) -> Result<V, E>
    where
        V: Send + 'static,
        E: Send + 'static,
        I: Send + 'static,
        F: Future<Output = Result<(V, Life), E>> + Send + 'static,
    {
        let Lookup::Due(value) = self.lookup(inputs) else { return self.get(inputs, fetch).await };
        self.fetch_in_task(inputs, tasks, FetchReason::Ahead, fetch);
        Ok(value)
    }

    /// Fetches in a task, unless a fetch already runs; the caller may leave. Does nothing outside of a runtime.
    pub fn fetch_in_task<F>(
        &self,
        inputs: &I,
        tasks: &Mutex<JoinSet<()>>,
        reason: FetchReason,
        fetch: impl FnOnce(FetchReason) -> F,
    ) where
        V: Send + 'static,
        E: Send + 'static,
        I: Send + 'static,
        F: Future<Output = Result<(V, Life), E>> + Send + 'static,
    {
        if Handle::try_current().is_err() {
            return;
        }
        let Some(round) = self.begin_round_if_free(inputs, reason) else { return };
        let (inputs, fetch) = (inputs.clone(), fetch(reason));
        let mut tasks = tasks.lock().unwrap_or_else(PoisonError::into_inner);
        while tasks.try_join_next().is_some() {}
        tasks.spawn(async move {
            let fetched = fetch.await;
            round.record_result(inputs, fetched).ok();
        });
    }

    /// Waits until no fetch runs.
    pub async fn wait_until_idle(&self) {
        drop(self.baton.lock().await);
    }

    /// Returns true if a fetch runs.
    pub fn is_fetch_running(&self) -> bool {
        self.baton.try_lock().is_err()
    }

    /// Calls `look` with the current value, whatever its age.
    pub fn inspect_value<R>(&self, look: impl FnOnce(&mut CachedValue<V, I>) -> R) -> Option<R> {
        self.lock_state().held.as_mut().map(look)
    }

    /// Drops the current value if `is_it` returns true, because it was refused; the next value replaces it.
    pub fn forget_if(&self, is_it: impl FnOnce(&CachedValue<V, I>) -> bool) {
        let mut state = self.lock_state();
        if state.held.take_if(|held| is_it(held)).is_some() {
            state.is_refused = true;
        }
    }

    /// Marks the current value as refused if `is_it` returns true: it is returned only while no other can be fetched.
    pub fn distrust_if(&self, is_it: impl FnOnce(&CachedValue<V, I>) -> bool) {
        if let Some(held) = self.lock_state().held.as_mut().filter(|held| is_it(held)) {
            held.is_distrusted = true;
        }
    }

    /// Replaces the current value by a failure if `is_it` returns true; returns whether it did.
    pub fn replace_by_failure_if(
        &self,
        error: E,
        is_it: impl FnOnce(&CachedValue<V, I>) -> bool,
    ) -> bool {
        let mut state = self.lock_state();
        let Some(held) = state.held.take_if(|held| is_it(held)) else { return false };
        let number = state.n_ended;
        state.record_failure(error, held.inputs, number, FetchReason::Needed);
        true
    }

    /// The number of fetches that were started.
    pub fn n_fetches_begun(&self) -> u64 {
        self.lock_state().n_begun
    }

    /// The number and the time of the last fetch that ended.
    pub fn last_fetch_end(&self) -> Option<(u64, Instant)> {
        let state = self.lock_state();
        state.ended_at.map(|at| (state.n_ended, at))
    }

    fn lookup(&self, inputs: &I) -> Lookup<V, E> {
        self.lock_state().lookup(inputs)
    }

    /// A round, if no fetch runs and none has renewed the value since the caller looked.
    fn begin_round_if_free(&self, inputs: &I, reason: FetchReason) -> Option<Round<V, E, I>> {
        let baton = Arc::clone(&self.baton).try_lock_owned().ok()?;
        let is_renewed =
            reason == FetchReason::Ahead && !matches!(self.lookup(inputs), Lookup::Due(_));
        (!is_renewed).then(|| self.begin_round(baton, reason))
    }

    fn begin_round(&self, baton: OwnedMutexGuard<()>, reason: FetchReason) -> Round<V, E, I> {
        let mut state = self.lock_state();
        state.n_begun = state.n_begun.saturating_add(1);
        let number = state.n_begun;
        Round { state: Arc::clone(&self.state), reason, number, _baton: baton }
    }

    fn lock_state(&self) -> MutexGuard<'_, State<V, E, I>> {
        lock_mutex(&self.state)
    }
}

impl<V: Clone, E: FetchFailure, I: Clone + PartialEq> Round<V, E, I> {
    /// Records the result of the fetch; returns the result for the waiting callers.
    fn record_result(self, inputs: I, fetched: Result<(V, Life), E>) -> Result<V, E> {
        let mut state = lock_mutex(&self.state);
        state.settle_fetch(inputs, self.number, self.reason, fetched)
    }
}

crate::opaque!([V, E, I] SingleFlight<V, E, I> as "SingleFlight", {});

/// A poisoned lock is safe to use: nothing panics while the state is half written.
fn lock_mutex<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
