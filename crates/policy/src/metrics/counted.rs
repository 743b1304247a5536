//! The metrics of calls, for the facade `metrics`, which drops them unless the embedding program has a recorder. Labels are
//! words of the configuration and of callgate, never values that a caller made up.

use std::{
    collections::BTreeMap,
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};

use callgate_tool::{Event, Journal, Reached};
use metrics::{Counter, Gauge, Histogram, counter, gauge, histogram};

/// The series of every toolset. A recorder is asked for each series once, when its first call begins or ends.
#[derive(Debug, Default)]
pub(super) struct Series(RwLock<BTreeMap<String, Arc<OfToolset>>>);

#[derive(Debug)]
struct OfToolset {
    toolset: String,
    in_flight: Gauge,
    duration: Histogram,
    /// The ended calls by outcome and by how far they came.
    ended: RwLock<BTreeMap<(&'static str, &'static str), Counter>>,
}

#[derive(Debug)]
pub(super) struct Counted(Arc<OfToolset>);

impl Series {
    /// Counts the beginning of a toolset's call; the name is empty for an unknown tool.
    pub(super) fn begin(&self, toolset: &str) -> Counted {
        let series = self.of(toolset);
        series.in_flight.increment(1);
        Counted(series)
    }

    fn of(&self, toolset: &str) -> Arc<OfToolset> {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(series) = known.get(toolset) {
            return Arc::clone(series);
        }
        drop(known);
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let series = known.entry(toolset.to_owned());
        Arc::clone(series.or_insert_with(|| Arc::new(OfToolset::new(toolset))))
    }
}

impl OfToolset {
    fn new(toolset: &str) -> Self {
        let toolset = toolset.to_owned();
        let in_flight = gauge!("callgate_calls_in_flight", "toolset" => toolset.clone());
        let duration = histogram!("callgate_call_duration_seconds", "toolset" => toolset.clone());
        Self { toolset, in_flight, duration, ended: RwLock::default() }
    }

    fn ended(&self, outcome: &'static str, reached: &'static str) -> Counter {
        let known = self.ended.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(counter) = known.get(&(outcome, reached)) {
            return counter.clone();
        }
        drop(known);
        let mut known = self.ended.write().unwrap_or_else(PoisonError::into_inner);
        let labels = [
            ("toolset", self.toolset.clone()),
            ("outcome", outcome.to_owned()),
            ("reached", reached.to_owned()),
        ];
        let series = known.entry((outcome, reached));
        series.or_insert_with(|| counter!("callgate_calls_total", &labels)).clone()
    }
}

impl Counted {
    pub(super) fn end(
        &self,
        outcome: &'static str,
        reached: Reached,
        elapsed: Duration,
        journal: &Journal,
    ) {
        let Self(series) = self;
        series.in_flight.decrement(1);
        series.ended(outcome, reached.as_str()).increment(1);
        series.duration.record(elapsed);
        let count =
            |is: fn(&Event) -> bool| journal.events().iter().filter(|event| is(event)).count();
        let n_refreshed = count(|event| matches!(event, Event::CredentialRenewed)) as u64;
        let n_again = count(|event| matches!(event, Event::SentAgain)) as u64;
        let toolset = || series.toolset.clone();
        if n_refreshed > 0 {
            counter!("callgate_token_refreshes_total", "toolset" => toolset())
                .increment(n_refreshed);
        }
        if n_refreshed + n_again > 0 {
            counter!("callgate_retries_total", "toolset" => toolset())
                .increment(n_refreshed + n_again);
        }
    }
}

/// Describes each metric to the recorder. Call it once after installing one.
pub fn describe_metrics() {
    use metrics::{Unit, describe_counter, describe_gauge, describe_histogram};
    describe_counter!(
        "callgate_approvals_total",
        "Calls that a person was asked about, and what came of it"
    );
    describe_counter!(
        "callgate_audit_failures_total",
        "Lines that could not be written into the audit file"
    );
    describe_gauge!(
        "callgate_breaker_state",
        "Whether a service is left alone: 0 no, 1 one call looks for it, 2 yes"
    );
    describe_histogram!("callgate_call_duration_seconds", Unit::Seconds, "How long calls take");
    describe_gauge!("callgate_calls_in_flight", "Calls that are running or waiting");
    describe_counter!("callgate_calls_total", "Calls that have ended");
    describe_gauge!("callgate_queue_length", "Calls that wait at a bound");
    describe_counter!("callgate_retries_total", "Requests that were sent once more");
    describe_counter!(
        "callgate_token_refreshes_total",
        "Credentials that were refused and renewed"
    );
}
