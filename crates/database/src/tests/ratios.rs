//! The time of a transaction of a tool, compared with that of the bare driver on the same server. The scheduler of a machine gives all
//! of them one of several speeds for a while, the plain query alone from 63 to 133 µs, so that medians of different moments say
//! nothing about each other. So the ways take turns in short groups, and the tenth percentile of each is compared, which is that
//! of its fast moments. A build without optimizations says nothing about times, so it only checks that all read the same rows.

use std::time::Duration;

use callgate_testkit::say;
use tokio::time::Instant;

use crate::transaction::Rows;

/// A way to read rows.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Way {
    /// The prepared query alone, with the bare driver.
    Plain,
    /// All statements of a transaction, sent together with the bare driver.
    Flight,
    /// The statements of a transaction with the bare driver, each after the answer to the one before.
    Steps,
    /// The transaction as tools run it.
    Tool,
}

/// The ways to read rows of a server.
pub(crate) trait Ways {
    /// Reads the rows of a number.
    async fn rows(&mut self, way: Way, no: &str) -> Rows;
}

/// What a transaction of a tool may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bars {
    pub(crate) plain: f64,
    pub(crate) flight: f64,
    pub(crate) steps: f64,
}

/// Compares the ways.
pub(crate) async fn check(name: &str, ways: &mut impl Ways, bars: Bars) {
    let (n_groups, n_calls) = if cfg!(debug_assertions) { (2, 10) } else { (80, 50) };
    let mut times = WAYS.map(|_| Vec::new());
    for group in 0..n_groups {
        let numbers = (0..n_calls).map(|call| (group * n_calls + call) * 7919 % 9900 + 1);
        let numbers: Vec<_> = numbers.map(|no: usize| no.to_string()).collect();
        let mut read = Vec::new();
        for (way, times) in WAYS.into_iter().zip(&mut times) {
            let mut rows = Vec::new();
            for no in &numbers {
                let begun = Instant::now();
                rows.push(ways.rows(way, no).await);
                times.push(begun.elapsed());
            }
            read.push(rows);
        }
        assert!(read.iter().all(|rows| *rows == read[0] && !rows[0].is_empty()), "{name}");
    }
    let [plain, flight, steps, tool] = times.map(tenth);
    say(&format!(
        "{name}, in the fastest tenth: {tool:?}, in one flight {flight:?}, step by step {steps:?}, plain {plain:?}"
    ));
    for (other, of, bar) in [
        (plain, "the plain query", bars.plain),
        (flight, "one flight", bars.flight),
        (steps, "the steps one after another", bars.steps),
    ] {
        let ratio = tool.as_secs_f64() / other.as_secs_f64();
        say(&format!("{name}: {ratio:.2} × {of}, of {bar} at most"));
        assert!(cfg!(debug_assertions) || ratio <= bar, "{name}: {ratio:.2} × {of}");
    }
}

/// The tenth percentile of times.
fn tenth(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 10]
}

/// All ways, in the order of their turns.
const WAYS: [Way; 4] = [Way::Plain, Way::Flight, Way::Steps, Way::Tool];
