//! Values that take time to get: asked for once however many want one, kept for their life, renewed ahead of its end. Who asks drives
//! its own future; where it leaves, the next of those who wait asks in its place. No lock but the baton is held while anybody is asked.

mod keyed;
mod state;
#[cfg(test)]
mod tests;

use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::{runtime::Handle, sync::OwnedMutexGuard, task::JoinSet, time::Instant};

pub use keyed::SingleFlights;
pub use state::{Asking, Held, Life};
use state::{Found, State};

/// A failure, of which all who wait are told.
pub trait Failure: Clone {
    /// True if the same question may be answered a moment later.
    fn is_transient(&self) -> bool;
}

/// The times of one kind of value.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::exhaustive_structs, reason = "whoever keeps a value names every bound")]
pub struct Pace {
    /// The time for which nobody is asked after a failure.
    pub pause: Duration,
    /// The time for which a value is given past its end, while failures that may pass keep a new one away.
    pub stale: Duration,
    /// The worth of a value whose life is not over when a failure that will not pass is told.
    pub lasting: Lasting,
}

/// The effect of a failure that will not pass on the value there is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "a value is good or it is not")]
pub enum Lasting {
    /// It is good to its end.
    Keeps,
    /// It is gone.
    Withdraws,
}

/// One value. `I` is what it is asked for with: with another, another value is to be had.
pub struct SingleFlight<V, E, I = ()> {
    state: Arc<Mutex<State<V, E, I>>>,
    /// Held by who asks; the others wait for it, or go on with the value there is.
    baton: Arc<tokio::sync::Mutex<()>>,
}

/// One round of asking, which is over when it is dropped or its end was told.
struct Round<V, E, I> {
    state: Arc<Mutex<State<V, E, I>>>,
    asking: Asking,
    number: u64,
    _baton: OwnedMutexGuard<()>,
}

impl<V: Clone, E: Failure, I: Clone + PartialEq> SingleFlight<V, E, I> {
    /// Nothing yet.
    pub fn new(pace: Pace) -> Self {
        let Pace { pause, stale, lasting } = pace;
        let pace =
            Pace { pause: pause.min(state::FOR_GOOD), stale: stale.min(state::FOR_GOOD), lasting };
        Self { state: Arc::new(Mutex::new(State::new(pace))), baton: Arc::default() }
    }

    /// The value, from `fetch` where there is none that is good, or its time to be renewed has come and nobody else renews it.
    /// Dropping the future ends the fetch; who waits for it then fetches in its place.
    ///
    /// # Errors
    /// The failure of a fetch, now or within the pause.
    pub async fn get<F>(&self, inputs: &I, fetch: impl FnOnce(Asking) -> F) -> Result<V, E>
    where
        F: Future<Output = Result<(V, Life), E>>,
    {
        let arrived = match self.found(inputs) {
            Found::Good(value) => return Ok(value),
            Found::Due(value) => {
                let Some(round) = self.free_round(inputs, Asking::Ahead) else { return Ok(value) };
                let fetched = fetch(Asking::Ahead).await;
                return Ok(round.end(inputs.clone(), fetched).unwrap_or(value));
            }
            Found::Failed(error) => return Err(error),
            Found::Nothing { n_ended } => n_ended,
        };
        let baton = Arc::clone(&self.baton).lock_owned().await;
        if let Some(result) = self.locked().since(arrived, inputs) {
            return result;
        }
        let round = self.round(baton, Asking::Needed);
        let fetched = fetch(Asking::Needed).await;
        round.end(inputs.clone(), fetched)
    }

    /// The same, where nobody waits for a renewal ahead of the end: it is one of `tasks`, and ends with them.
    ///
    /// # Errors
    /// Those of [`SingleFlight::get`].
    pub async fn get_at_once<F>(
        &self,
        inputs: &I,
        tasks: &Mutex<JoinSet<()>>,
        fetch: impl FnOnce(Asking) -> F,
    ) -> Result<V, E>
    where
        V: Send + 'static,
        E: Send + 'static,
        I: Send + 'static,
        F: Future<Output = Result<(V, Life), E>> + Send + 'static,
    {
        let Found::Due(value) = self.found(inputs) else { return self.get(inputs, fetch).await };
        self.begin(inputs, tasks, Asking::Ahead, fetch);
        Ok(value)
    }

    /// Has a task ask, unless somebody does already; whoever asked for it may leave. Outside of a runtime nothing is begun.
    pub fn begin<F>(
        &self,
        inputs: &I,
        tasks: &Mutex<JoinSet<()>>,
        asking: Asking,
        fetch: impl FnOnce(Asking) -> F,
    ) where
        V: Send + 'static,
        E: Send + 'static,
        I: Send + 'static,
        F: Future<Output = Result<(V, Life), E>> + Send + 'static,
    {
        if Handle::try_current().is_err() {
            return;
        }
        let Some(round) = self.free_round(inputs, asking) else { return };
        let (inputs, fetch) = (inputs.clone(), fetch(asking));
        let mut tasks = tasks.lock().unwrap_or_else(PoisonError::into_inner);
        while tasks.try_join_next().is_some() {}
        tasks.spawn(async move {
            let fetched = fetch.await;
            round.end(inputs, fetched).ok();
        });
    }

    /// Waits until nobody asks.
    pub async fn over(&self) {
        drop(self.baton.lock().await);
    }

    /// Returns true if somebody asks.
    pub fn is_flying(&self) -> bool {
        self.baton.try_lock().is_err()
    }

    /// Looks at the value there is, whatever its age.
    pub fn held<R>(&self, look: impl FnOnce(&mut Held<V, I>) -> R) -> Option<R> {
        self.locked().held.as_mut().map(look)
    }

    /// Drops the value there is where `is_it` says so, since it was refused: the next one replaces it.
    pub fn forget_if(&self, is_it: impl FnOnce(&Held<V, I>) -> bool) {
        let mut state = self.locked();
        if state.held.take_if(|held| is_it(held)).is_some() {
            state.is_refused = true;
        }
    }

    /// The value there is was refused, where `is_it` says so: it is given only while there is no other to be had.
    pub fn distrust_if(&self, is_it: impl FnOnce(&Held<V, I>) -> bool) {
        if let Some(held) = self.locked().held.as_mut().filter(|held| is_it(held)) {
            held.is_distrusted = true;
        }
    }

    /// Takes the value there is for one that failed, where `is_it` says so; answers whether it did.
    pub fn fail_if(&self, error: E, is_it: impl FnOnce(&Held<V, I>) -> bool) -> bool {
        let mut state = self.locked();
        let Some(held) = state.held.take_if(|held| is_it(held)) else { return false };
        let number = state.n_ended;
        state.fail(error, held.inputs, number, Asking::Needed);
        true
    }

    /// The number of rounds that were begun.
    pub fn n_begun(&self) -> u64 {
        self.locked().n_begun
    }

    /// The number of the last round that ended, and when that was.
    pub fn last_end(&self) -> Option<(u64, Instant)> {
        let state = self.locked();
        state.ended_at.map(|at| (state.n_ended, at))
    }

    fn found(&self, inputs: &I) -> Found<V, E> {
        self.locked().found(inputs)
    }

    /// A round, where nobody asks and nobody has since this one looked.
    fn free_round(&self, inputs: &I, asking: Asking) -> Option<Round<V, E, I>> {
        let baton = Arc::clone(&self.baton).try_lock_owned().ok()?;
        let is_renewed = asking == Asking::Ahead && !matches!(self.found(inputs), Found::Due(_));
        (!is_renewed).then(|| self.round(baton, asking))
    }

    fn round(&self, baton: OwnedMutexGuard<()>, asking: Asking) -> Round<V, E, I> {
        let mut state = self.locked();
        state.n_begun = state.n_begun.saturating_add(1);
        let number = state.n_begun;
        Round { state: Arc::clone(&self.state), asking, number, _baton: baton }
    }

    fn locked(&self) -> MutexGuard<'_, State<V, E, I>> {
        locked(&self.state)
    }
}

impl<V: Clone, E: Failure, I: Clone + PartialEq> Round<V, E, I> {
    /// Writes down how it ended; what those who waited for it are given.
    fn end(self, inputs: I, fetched: Result<(V, Life), E>) -> Result<V, E> {
        let mut state = locked(&self.state);
        state.settle(inputs, self.number, self.asking, fetched)
    }
}

impl<V, E, I> fmt::Debug for SingleFlight<V, E, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SingleFlight").finish_non_exhaustive()
    }
}

/// Nothing panics while the state is half written.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
