//! The known facts about one value, and what a caller should do. Fetches nothing.

use std::time::Duration;

use tokio::time::Instant;

use super::{FetchFailure, Lasting, Pace};

/// The times of one value, by the monotonic clock: the machine's time of day may be wrong and may be corrected.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Life {
    /// The time from which the value is due for renewal.
    pub renew_at: Instant,
    /// The time from which the value is no longer returned.
    pub end: Instant,
}

/// The state of the value that a fetch is to replace.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "there is one or there is none")]
pub enum FetchReason {
    /// A value that is still good: the fetch should take little time.
    Ahead,
    /// There is no good value.
    Needed,
}

/// A value that is kept.
#[derive(Clone)]
#[expect(missing_debug_implementations, reason = "it may be a secret")]
#[non_exhaustive]
pub struct CachedValue<V, I> {
    /// The value.
    pub value: V,
    /// The inputs with which the value was fetched.
    pub inputs: I,
    /// The times of the value.
    pub life: Life,
    /// The time when the value was fetched.
    pub fetched_at: Instant,
    /// The number of the fetch.
    pub number: u64,
    /// True if the value replaces one that was refused.
    pub is_replacement: bool,
    /// True if the value was refused and is returned only while no other can be fetched.
    pub is_distrusted: bool,
}

pub(super) struct State<V, E, I> {
    pace: Pace,
    pub(super) held: Option<CachedValue<V, I>>,
    failed: Option<FailedFetch<E, I>>,
    pub(super) n_begun: u64,
    /// The number of the last fetch that ended: they end one after the other.
    pub(super) n_ended: u64,
    pub(super) ended_at: Option<Instant>,
    /// True if a value was refused and none has been fetched since.
    pub(super) is_refused: bool,
}

struct FailedFetch<E, I> {
    error: E,
    inputs: I,
    at: Instant,
    number: u64,
    reason: FetchReason,
}

pub(super) enum Lookup<V, E> {
    Good(V),
    /// A good value that is due for renewal and that nobody renews yet.
    Due(V),
    Failed(E),
    /// There is no value, so it must be fetched; `n_ended` counts the fetches that ended.
    Nothing {
        n_ended: u64,
    },
}

impl Life {
    /// A life of `time` from now, without an earlier renewal.
    pub fn from_duration(time: Duration) -> Self {
        Self::with_early_renewal(time, time)
    }

    /// A life of `time` from now, with a renewal due after `renewed_after`.
    pub fn with_early_renewal(renewed_after: Duration, time: Duration) -> Self {
        let (now, time) = (Instant::now(), time.min(FOR_GOOD));
        Self { renew_at: now + renewed_after.min(time), end: now + time }
    }

    /// A life without an end.
    pub fn without_end() -> Self {
        Self::from_duration(FOR_GOOD)
    }
}

impl<V, E, I> State<V, E, I> {
    pub(super) fn new(pace: Pace) -> Self {
        let (held, failed, ended_at) = (None, None, None);
        Self { pace, held, failed, n_begun: 0, n_ended: 0, ended_at, is_refused: false }
    }
}

impl<E: FetchFailure, I> FailedFetch<E, I> {
    /// Returns true if the failure also counts for a caller without a value: after a transient failure of an early renewal,
    /// the source may be back.
    fn is_final(&self) -> bool {
        self.reason == FetchReason::Needed || !self.error.is_transient()
    }
}

impl<V: Clone, E: FetchFailure, I: PartialEq> State<V, E, I> {
    pub(super) fn lookup(&self, inputs: &I) -> Lookup<V, E> {
        let now = Instant::now();
        let failed = self.failed.as_ref().filter(|failed| failed.inputs == *inputs);
        let resting = failed.filter(|failed| now < failed.at + self.pace.pause);
        let is_away = failed.is_some_and(|failed| failed.error.is_transient());
        if let Some(held) = self.held.as_ref().filter(|held| !held.is_distrusted)
            && (now < held.life.end || is_away && now < held.life.end + self.pace.stale)
        {
            let value = held.value.clone();
            // Other inputs give another value; this one is good until that is fetched.
            let is_due = now >= held.life.renew_at || held.inputs != *inputs;
            return if is_due && resting.is_none() {
                Lookup::Due(value)
            } else {
                Lookup::Good(value)
            };
        }
        match resting.filter(|failed| failed.is_final()) {
            Some(failed) => match self.stale_value_or(failed.error.clone()) {
                Ok(value) => Lookup::Good(value),
                Err(error) => Lookup::Failed(error),
            },
            None => Lookup::Nothing { n_ended: self.n_ended },
        }
    }

    /// The result of a fetch that ended while the caller waited. Waiting callers receive even a value that ends at once.
    pub(super) fn result_since(&self, arrived: u64, inputs: &I) -> Option<Result<V, E>> {
        let held = self.held.as_ref().filter(|held| held.inputs == *inputs && !held.is_distrusted);
        let held = held.filter(|held| held.number > arrived || Instant::now() < held.life.renew_at);
        if let Some(held) = held {
            return Some(Ok(held.value.clone()));
        }
        let failed = self.failed.as_ref().filter(|failed| failed.inputs == *inputs)?;
        let is_told = failed.number > arrived && failed.is_final();
        is_told.then(|| self.stale_value_or(failed.error.clone()))
    }

    pub(super) fn settle_fetch(
        &mut self,
        inputs: I,
        number: u64,
        reason: FetchReason,
        fetched: Result<(V, Life), E>,
    ) -> Result<V, E> {
        let now = Instant::now();
        (self.n_ended, self.ended_at) = (number, Some(now));
        match fetched {
            Ok((value, life)) => {
                let is_replacement = std::mem::take(&mut self.is_refused);
                self.failed = None;
                self.held = Some(CachedValue {
                    value: value.clone(),
                    inputs,
                    life,
                    fetched_at: now,
                    number,
                    is_replacement,
                    is_distrusted: false,
                });
                Ok(value)
            }
            Err(error) => {
                if self.pace.lasting == Lasting::Withdraws && !error.is_transient() {
                    self.held = None;
                }
                self.record_failure(error.clone(), inputs, number, reason);
                self.stale_value_or(error)
            }
        }
    }

    pub(super) fn record_failure(&mut self, error: E, inputs: I, number: u64, reason: FetchReason) {
        self.failed = Some(FailedFetch { error, inputs, at: Instant::now(), number, reason });
    }

    /// The result if there is no new value: the current one, if it is not too old and the failure is transient.
    fn stale_value_or(&self, error: E) -> Result<V, E> {
        let now = Instant::now();
        let held = self.held.as_ref().filter(|held| now < held.life.end + self.pace.stale);
        match held.filter(|_| error.is_transient()) {
            Some(held) => Ok(held.value.clone()),
            None => Err(error),
        }
    }
}

/// Longer than any process runs, and too short to overflow a clock.
pub(super) const FOR_GOOD: Duration = Duration::from_hours(24 * 365 * 30);
