//! The metrics of calls, for the facade `metrics`, which drops them unless the embedding program has a recorder. Labels are
//! words of the configuration and of callgate, never values that a caller made up.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, PoisonError, RwLock,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use callgate_executor::Backend;
use callgate_tool::{Effect, Event, Journal, Reached};
use metrics::{Counter, Gauge, Histogram, counter, gauge, histogram};

/// The series of every toolset. A recorder is asked for each series once, when its first call begins or ends.
#[derive(Debug, Default)]
pub(super) struct Series {
    toolsets: RwLock<BTreeMap<String, Arc<OfToolset>>>,
    n_tools: AtomicUsize,
}

/// Counters that are made when they are first needed.
#[derive(Debug)]
struct Counters<K>(RwLock<BTreeMap<K, Counter>>);

#[derive(Debug)]
struct OfToolset {
    toolset: String,
    in_flight: Gauge,
    duration: Histogram,
    /// The ended calls by outcome and by how far they came.
    ended: Counters<(&'static str, &'static str)>,
    responses: Counters<u16>,
    tools: RwLock<BTreeMap<String, Arc<OfTool>>>,
}

#[derive(Debug)]
struct OfTool {
    name: String,
    ended: Counters<(&'static str, &'static str)>,
}

#[derive(Debug)]
pub(super) struct CountedCall {
    toolset: Arc<OfToolset>,
    /// The tool and its effect; `None` for an unknown tool.
    tool: Option<(Arc<OfTool>, Effect)>,
}

impl<K: Ord + Copy> Counters<K> {
    fn counter_or_new(&self, key: K, make: impl FnOnce() -> Counter) -> Counter {
        let counters = self.0.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(counter) = counters.get(&key) {
            return counter.clone();
        }
        drop(counters);
        let mut counters = self.0.write().unwrap_or_else(PoisonError::into_inner);
        counters.entry(key).or_insert_with(make).clone()
    }
}

impl<K> Default for Counters<K> {
    fn default() -> Self {
        Self(RwLock::default())
    }
}

/// The value of this name, made if it is not there.
fn get_or_insert<T>(
    shared_values: &RwLock<BTreeMap<String, Arc<T>>>,
    name: &str,
    make: impl FnOnce() -> T,
) -> Arc<T> {
    let values = shared_values.read().unwrap_or_else(PoisonError::into_inner);
    if let Some(value) = values.get(name) {
        return Arc::clone(value);
    }
    drop(values);
    let mut values = shared_values.write().unwrap_or_else(PoisonError::into_inner);
    Arc::clone(values.entry(name.to_owned()).or_insert_with(|| Arc::new(make())))
}

impl Series {
    /// Counts the beginning of a toolset's call; the name is empty for an unknown tool.
    pub(super) fn count_beginning(
        &self,
        toolset: &str,
        backend: Option<&dyn Backend>,
    ) -> CountedCall {
        let toolset = get_or_insert(&self.toolsets, toolset, || OfToolset::new(toolset));
        toolset.in_flight.increment(1);
        let tool = backend.map(|backend| {
            let name = backend.name().as_str();
            let tool = get_or_insert(&toolset.tools, name, || self.new_tool_series(name));
            (tool, backend.effect())
        });
        CountedCall { toolset, tool }
    }

    /// A further tool. Beyond the limit, tools share one name.
    fn new_tool_series(&self, name: &str) -> OfTool {
        let is_own = self.n_tools.fetch_add(1, Ordering::Relaxed) < MOST_TOOLS;
        let name = if is_own { name } else { OTHER_TOOLS };
        OfTool { name: name.to_owned(), ended: Counters::default() }
    }
}

impl OfToolset {
    fn new(toolset: &str) -> Self {
        let toolset = toolset.to_owned();
        let in_flight = gauge!("callgate_calls_in_flight", "toolset" => toolset.clone());
        let duration = histogram!("callgate_call_duration_seconds", "toolset" => toolset.clone());
        let (ended, responses) = (Counters::default(), Counters::default());
        Self { toolset, in_flight, duration, ended, responses, tools: RwLock::default() }
    }

    fn ended_calls_counter(&self, outcome: &'static str, reached: &'static str) -> Counter {
        let toolset = || self.toolset.clone();
        self.ended.counter_or_new((outcome, reached), || {
            counter!("callgate_calls_total", "toolset" => toolset(), "outcome" => outcome, "reached" => reached)
        })
    }

    fn response_counter(&self, status: u16) -> Counter {
        let toolset = || self.toolset.clone();
        self.responses.counter_or_new(status, || {
            counter!("callgate_service_responses_total", "toolset" => toolset(), "status" => status.to_string())
        })
    }
}

impl OfTool {
    fn ended_calls_counter(&self, toolset: &str, effect: Effect, outcome: &'static str) -> Counter {
        let effect = effect.as_str();
        self.ended.counter_or_new((effect, outcome), || {
            let (toolset, tool) = (toolset.to_owned(), self.name.clone());
            counter!("callgate_tool_calls_total", "toolset" => toolset, "tool" => tool, "effect" => effect, "outcome" => outcome)
        })
    }
}

impl CountedCall {
    pub(super) fn has_tool(&self) -> bool {
        self.tool.is_some()
    }

    /// The name of the toolset; empty for an unknown tool.
    pub(super) fn toolset(&self) -> &str {
        &self.toolset.toolset
    }

    pub(super) fn count_end(
        &self,
        outcome: &'static str,
        reached: Reached,
        elapsed: Duration,
        journal: &Journal,
    ) {
        let Self { toolset: series, tool } = self;
        series.in_flight.decrement(1);
        series.ended_calls_counter(outcome, reached.as_str()).increment(1);
        if let Some((tool, effect)) = tool {
            tool.ended_calls_counter(&series.toolset, *effect, outcome).increment(1);
        }
        series.duration.record(elapsed);
        let (mut n_refreshed, mut n_again) = (0, 0);
        for event in journal.events() {
            match event {
                Event::Attempt { status: Some(status), .. } => {
                    series.response_counter(*status).increment(1);
                }
                Event::CredentialRenewed => n_refreshed += 1,
                Event::Retried { .. } | Event::SentAgain => n_again += 1,
                _ => {}
            }
        }
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

/// The number of tools that have series of their own; with their outcomes they are some thousand series at most.
const MOST_TOOLS: usize = 200;
pub(super) const OTHER_TOOLS: &str = "other";
