//! The limits of one transaction, as the server takes them. Those of equal calls are equal, as a rule, so that a connection has them
//! already.

use std::time::Duration;

use tokio::time::Instant;

use super::client::BoundValue;
use crate::transaction::{Access, Expects, Step, Transaction};

/// The limits of one transaction.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Limits {
    /// The time of each statement.
    time: Duration,
    /// The seconds after which the server gives up a transaction whose connection is silent.
    idle: u64,
    /// The seconds that a statement waits for a lock.
    lock: u64,
    /// The rows of a result.
    rows: u64,
}

impl Limits {
    pub(super) fn for_transaction(transaction: &Transaction, deadline: Instant) -> Self {
        let left = deadline.saturating_duration_since(Instant::now());
        // The server makes no more rows than are read, where there is one statement.
        let rows = match (&*transaction.steps, transaction.access) {
            ([Step { expects: Expects::Rows { most }, .. }], Access::Read) => u64::from(*most),
            _ => u64::MAX,
        };
        // The server is a little earlier, so that its answer comes in time.
        let time = round_down_to_step(left.saturating_sub(MARGIN.min(left / 10)));
        Self {
            time: time.clamp(LEAST_TIME, Duration::from_secs(MOST_SECONDS)),
            idle: seconds_rounded_up(left.saturating_add(IDLE)),
            lock: seconds_rounded_up(transaction.lock_time),
            rows,
        }
    }

    /// The limits of what is read outside calls.
    pub(super) fn of_catalog(time: Duration) -> Self {
        let seconds = seconds_rounded_up(time);
        Self { time, idle: seconds, lock: seconds, rows: u64::MAX }
    }

    /// The values of [`MARIADB_LIMITS`] or [`MYSQL_LIMITS`].
    pub(super) fn values(self, is_mariadb: bool) -> Vec<BoundValue<'static>> {
        let (lock, rows) = (BoundValue::Whole(self.lock), BoundValue::Whole(self.rows));
        if is_mariadb {
            let time = BoundValue::Float(self.time.as_secs_f64());
            return vec![time, lock, lock, rows, BoundValue::Whole(self.idle)];
        }
        let time = BoundValue::Whole(u64::try_from(self.time.as_millis()).unwrap_or(u64::MAX));
        vec![time, lock, lock, rows]
    }
}

/// Cuts a time to the step below it: it is never longer.
fn round_down_to_step(time: Duration) -> Duration {
    if time <= LEAST_IN_STEPS {
        return time;
    }
    let n_steps = time.as_millis() / STEP.as_millis();
    STEP.saturating_mul(u32::try_from(n_steps).unwrap_or(u32::MAX))
}

/// A time as the servers take it: in whole seconds, of which there is at least one.
fn seconds_rounded_up(time: Duration) -> u64 {
    let is_part = u64::from(time.subsec_nanos() > 0);
    time.as_secs().saturating_add(is_part).clamp(1, MOST_SECONDS)
}

pub(super) const MARIADB_LIMITS: &str = "SET SESSION max_statement_time = ?, innodb_lock_wait_timeout = ?, lock_wait_timeout = ?, \
    sql_select_limit = ?, idle_transaction_timeout = ?";

/// Its time limit is that of readings: a change ends by `KILL` at the deadline.
pub(super) const MYSQL_LIMITS: &str = "SET SESSION max_execution_time = ?, innodb_lock_wait_timeout = ?, lock_wait_timeout = ?, \
    sql_select_limit = ?";

/// The steps that the time limit of statements is cut to: calls that begin at other moments have one in common.
const STEP: Duration = Duration::from_millis(50);

/// The time up to which a step would be too much of it.
const LEAST_IN_STEPS: Duration = Duration::from_millis(100);

/// The time that an answer of the server takes at most, as a rule.
const MARGIN: Duration = Duration::from_millis(50);

/// The time after the deadline in which the server gives up a transaction whose connection is silent.
const IDLE: Duration = Duration::from_secs(1);

/// The most that the servers take for a time.
const MOST_SECONDS: u64 = 31_536_000;

/// No time at all would be none that ends.
const LEAST_TIME: Duration = Duration::from_millis(1);

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(time: Duration, expected: u64) {
        assert_eq!(round_down_to_step(time), Duration::from_millis(expected));
    }

    #[test]
    fn a_time_limit_above_a_tenth_of_a_second_is_cut_to_a_step_and_never_longer() {
        let milliseconds = Duration::from_millis;
        check(milliseconds(7), 7);
        check(milliseconds(100), 100);
        check(milliseconds(101), 100);
        check(milliseconds(149), 100);
        check(milliseconds(150), 150);
        check(milliseconds(29_949), 29_900);
        check(Duration::from_nanos(29_999_999_999), 29_950);
        assert!(round_down_to_step(Duration::MAX) < Duration::MAX);
    }

    #[test]
    fn a_time_in_seconds_is_no_shorter_than_the_time() {
        for (milliseconds, expected) in [(0, 1), (1, 1), (1000, 1), (1001, 2)] {
            assert_eq!(seconds_rounded_up(Duration::from_millis(milliseconds)), expected);
        }
    }
}
