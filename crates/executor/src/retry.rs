//! The policy for requests that fail: which are sent again, how often and after which wait, and the budget of a toolset that
//! keeps retries from burdening a service that is down. `backend/repeat` follows it.

use std::{
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use tokio::time::Instant;

/// The policy for requests that fail.
///
/// ```
/// use callgate_executor::{CallSettings, Retry, RetryWhen};
///
/// let retry = Retry { when: RetryWhen::Safe, attempts: 5, ..Retry::default() };
/// let settings = CallSettings { retry, ..CallSettings::default() };
/// assert_eq!(settings.retry.wait.as_secs(), 10);
/// // Without a word of the operator, a failed request is not sent again.
/// assert_eq!(Retry::default().when, RetryWhen::None);
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Retry {
    /// The requests that are sent again.
    pub when: RetryWhen,
    /// The most attempts of one call, the first included.
    pub attempts: usize,
    /// The longest wait before a further attempt. A service that asks for a longer one ends the call.
    pub wait: Duration,
    /// The time limit of each attempt of a read but the last; without one, only the call's own limit holds.
    pub attempt_timeout: Option<Duration>,
}

/// No retry; with another choice, three attempts, and at most ten seconds before each.
impl Default for Retry {
    fn default() -> Self {
        let (when, wait) = (RetryWhen::None, Duration::from_secs(10));
        Self { when, attempts: 3, wait, attempt_timeout: None }
    }
}

/// The requests that are sent again after a failure.
///
/// Under either choice, a request goes again at once if nothing of it can have been executed: over a new connection if none of
/// it was written to the first or the service did not process it, and with a fresh credential if the service refused the
/// first. So does a read on a connection that was kept from an earlier request and is closed. A call that a person
/// approved is never sent again once a byte of it may have been read.
///
/// ```
/// use callgate_executor::{Retry, RetryWhen};
///
/// let retry = Retry { when: RetryWhen::Safe, ..Retry::default() };
/// assert_ne!(retry, Retry::default());
/// ```
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "a write that may have been executed is never repeated"
)]
pub enum RetryWhen {
    /// No request.
    #[default]
    None,
    /// Reads with a safe method (RFC 9110 §9.2.1) after status 429, 502, 503 or 504, or without a whole response; and any
    /// request for which no connection was made.
    Safe,
}

/// The retries that a toolset may still make. Calls earn them and time does, so that in an outage they add a tenth to the
/// requests, and a seldom called service still gets some.
#[derive(Debug)]
pub(crate) struct RetryBudget {
    n_calls: AtomicU64,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// The retries that are left, in thousandths.
    left: u64,
    /// The calls that have already earned their part.
    n_counted: u64,
    /// The moment up to which time has earned its part.
    counted_until: Option<Instant>,
}

impl Default for RetryBudget {
    fn default() -> Self {
        let state = State { left: MOST_SAVED, n_counted: 0, counted_until: None };
        Self { n_calls: AtomicU64::new(0), state: Mutex::new(state) }
    }
}

impl RetryBudget {
    pub(crate) fn count_call(&self) {
        self.n_calls.fetch_add(1, Ordering::Relaxed);
    }

    /// Takes one retry. Returns false if none is left.
    pub(crate) fn take_retry(&self) -> bool {
        let (n_calls, now) = (self.n_calls.load(Ordering::Relaxed), Instant::now());
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let n_new = n_calls.saturating_sub(state.n_counted);
        let elapsed = now.saturating_duration_since(state.counted_until.unwrap_or(now));
        let by_time = u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX) / MILLIS_FOR_A_PART;
        let earned = n_new.saturating_mul(OF_A_CALL).saturating_add(by_time);
        // What is left of a part counts next time.
        let spent = Duration::from_millis(by_time.saturating_mul(MILLIS_FOR_A_PART));
        state.counted_until = Some(state.counted_until.map_or(now, |until| until + spent));
        state.n_counted = n_calls;
        state.left = state.left.saturating_add(earned).min(MOST_SAVED);
        let rest = state.left.checked_sub(RETRY);
        state.left = rest.unwrap_or(state.left);
        rest.is_some()
    }
}

/// One retry, in the unit of the budget.
const RETRY: u64 = 1000;
/// Ten calls earn one retry.
const OF_A_CALL: u64 = RETRY / 10;
/// Ten seconds earn one retry.
const MILLIS_FOR_A_PART: u64 = 10_000 / RETRY;
/// The retries that are saved up for the beginning of an outage.
const MOST_SAVED: u64 = 10 * RETRY;

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(budget: &RetryBudget, asked: usize) -> usize {
        (0..asked).filter(|_| budget.take_retry()).count()
    }

    #[tokio::test(start_paused = true)]
    async fn a_budget_gives_ten_retries_and_then_one_for_ten_calls() {
        let budget = RetryBudget::default();
        assert_eq!(taken(&budget, 100), 10);
        let by_calls: usize = (0..1000)
            .map(|_| {
                budget.count_call();
                taken(&budget, 2)
            })
            .sum();
        assert_eq!(by_calls, 100);
    }

    #[tokio::test(start_paused = true)]
    async fn a_budget_earns_one_retry_in_ten_seconds_and_saves_ten() {
        let budget = RetryBudget::default();
        assert_eq!(taken(&budget, 20), 10);
        for _ in 0..10 {
            tokio::time::advance(Duration::from_millis(999)).await;
            assert_eq!(taken(&budget, 1), 0);
        }
        tokio::time::advance(Duration::from_millis(10)).await;
        assert_eq!(taken(&budget, 2), 1);
        tokio::time::advance(Duration::from_hours(9)).await;
        assert_eq!(taken(&budget, 20), 10);
    }
}
