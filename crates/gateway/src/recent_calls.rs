//! The last calls of a sidecar, for `/v1/admin/calls`: who asked for which tool, and how it ended. They are in memory alone, within
//! bounds, and only where somebody may read them. Arguments and results are kept where the operator says so.

use std::{
    collections::VecDeque,
    fmt::{self, Write as _},
    ops::ControlFlow,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, SystemTime},
};

use async_trait::async_trait;
use callgate_dialect::json_result;
use callgate_executor::{Backend, Call, Ended, Ending, Middleware, Stage};
use callgate_policy::masked_arguments;
use callgate_tool::{Event, Journal, Outcome, Principal, Reached, ToolResult};
use tokio::sync::watch;

/// The last calls. Clones share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct RecentCalls(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    is_on: AtomicBool,
    has_values: AtomicBool,
    ring: Mutex<Ring>,
    /// The number of the last call.
    latest: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct Ring {
    /// The oldest first.
    calls: VecDeque<Arc<RecentCall>>,
    n_bytes: usize,
    /// The number of the last call.
    latest: u64,
}

/// A call that has ended.
#[derive(Clone, Debug)]
pub(crate) struct RecentCall {
    /// The place among all calls of this process, from 1.
    pub(crate) number: u64,
    pub(crate) at: SystemTime,
    pub(crate) id: String,
    pub(crate) tool: String,
    /// The toolset of the tool; none if its caller named no tool that there is.
    pub(crate) toolset: Option<String>,
    pub(crate) principal: Option<String>,
    pub(crate) ending: &'static str,
    pub(crate) status: Option<u16>,
    pub(crate) reached: Reached,
    pub(crate) elapsed: Duration,
    pub(crate) journal: Journal,
    pub(crate) values: Option<CallValues>,
    /// The bytes that it takes, counted once: every call leaves too.
    n_bytes: usize,
}

/// The beginnings of the texts of a call's values, as JSON without credentials.
#[derive(Clone, Debug)]
pub(crate) struct CallValues {
    pub(crate) arguments: String,
    pub(crate) result: String,
}

/// The facts of a call that runs.
#[derive(Clone, Debug)]
struct BegunCall {
    toolset: Option<String>,
    /// Without credentials; none unless values are kept.
    arguments: Option<String>,
}

impl RecentCalls {
    /// Keeps calls from now on, or none, and values of calls; those that are kept end with it.
    pub(crate) fn set_recording(&self, is_on: bool, has_values: bool) {
        self.0.has_values.store(is_on && has_values, Ordering::Relaxed);
        self.0.is_on.store(is_on, Ordering::Relaxed);
        let mut ring = self.0.ring.lock().unwrap_or_else(PoisonError::into_inner);
        if !is_on {
            (ring.calls, ring.n_bytes) = (VecDeque::new(), 0);
        } else if !has_values {
            ring.forget_values();
        }
    }

    /// The kept calls after a number, the newest first, and the number of the last call.
    pub(crate) fn calls_after(&self, number: u64) -> (Vec<Arc<RecentCall>>, u64) {
        let ring = self.0.ring.lock().unwrap_or_else(PoisonError::into_inner);
        let newer = ring.calls.iter().rev().take_while(|call| call.number > number);
        (newer.cloned().collect(), ring.latest)
    }

    pub(crate) fn find(&self, number: u64) -> Option<Arc<RecentCall>> {
        let ring = self.0.ring.lock().unwrap_or_else(PoisonError::into_inner);
        ring.calls.iter().find(|call| call.number == number).cloned()
    }

    /// The number of the last call, which changes with each.
    pub(crate) fn latest_number(&self) -> watch::Receiver<u64> {
        self.0.latest.subscribe()
    }

    fn keep(&self, mut call: RecentCall) {
        let mut ring = self.0.ring.lock().unwrap_or_else(PoisonError::into_inner);
        // Values that were switched off while the call ran are not kept.
        if !self.0.has_values.load(Ordering::Relaxed) {
            call.values = None;
        }
        call.n_bytes = call.count_bytes();
        ring.latest = ring.latest.saturating_add(1);
        call.number = ring.latest;
        ring.n_bytes = ring.n_bytes.saturating_add(call.n_bytes);
        ring.calls.push_back(Arc::new(call));
        while ring.calls.len() > MOST_CALLS || ring.n_bytes > MOST_BYTES {
            let Some(oldest) = ring.calls.pop_front() else { break };
            ring.n_bytes = ring.n_bytes.saturating_sub(oldest.n_bytes);
        }
        let latest = ring.latest;
        drop(ring);
        if self.0.latest.receiver_count() > 0 {
            self.0.latest.send_replace(latest);
        }
    }
}

impl Ring {
    fn forget_values(&mut self) {
        for call in self.calls.iter_mut().filter(|call| call.values.is_some()) {
            let mut bare = RecentCall { values: None, ..RecentCall::clone(call) };
            bare.n_bytes = bare.count_bytes();
            *call = Arc::new(bare);
        }
        self.n_bytes = self.calls.iter().map(|call| call.n_bytes).sum();
    }
}

#[async_trait]
impl Middleware for RecentCalls {
    fn stage(&self) -> Stage {
        Stage::Metrics
    }

    async fn before(
        &self,
        call: &mut Call<'_>,
        backend: Option<&dyn Backend>,
        _: &mut Journal,
    ) -> ControlFlow<Outcome> {
        if self.0.is_on.load(Ordering::Relaxed) {
            let has_values = self.0.has_values.load(Ordering::Relaxed);
            let arguments = has_values.then(|| masked_arguments(call, backend));
            let arguments = arguments.map(|text| prefix_within_bytes(&text, MOST_VALUE));
            let toolset = backend.map(Backend::toolset).map(str::to_owned);
            call.extensions_mut().insert(BegunCall { toolset, arguments });
        }
        ControlFlow::Continue(())
    }

    async fn after(&self, call: &Call<'_>, ended: &Ended<'_>) {
        if !self.0.is_on.load(Ordering::Relaxed) {
            return;
        }
        let begun = call.extensions().get::<BegunCall>();
        let arguments = begun.and_then(|begun| begun.arguments.clone());
        let values = arguments
            .map(|arguments| CallValues { arguments, result: result_text(call, ended.ending) });
        self.keep(RecentCall {
            number: 0,
            at: SystemTime::now(),
            id: prefix_within_bytes(call.id(), MOST_NAME),
            tool: prefix_within_bytes(call.tool(), MOST_NAME),
            toolset: begun.and_then(|begun| begun.toolset.clone()),
            principal: call
                .principal()
                .map(Principal::id)
                .map(|id| prefix_within_bytes(id, MOST_NAME)),
            ending: ended.ending.as_str(),
            status: outcome_status(ended),
            reached: ended.reached,
            elapsed: ended.elapsed,
            journal: ended.journal.clone(),
            values,
            n_bytes: 0,
        });
    }
}

impl RecentCall {
    /// The requests that were sent.
    pub(crate) fn attempts(&self) -> usize {
        let is_request = |event: &&Event| matches!(event, Event::Attempt { .. } | Event::SentAgain);
        self.journal.events().iter().filter(is_request).count()
    }

    fn count_bytes(&self) -> usize {
        let values = self.values.as_ref();
        let values = values.map_or(0, |values| values.arguments.len() + values.result.len());
        let further = [&self.toolset, &self.principal].into_iter().flatten().map(String::len);
        let names = self.id.len() + self.tool.len() + further.sum::<usize>();
        let mut texts = ByteCount(0);
        // An attempt, the decision of every call, holds no text.
        let is_text = |event: &&Event| !matches!(event, Event::Attempt { .. });
        for event in self.journal.events().iter().filter(is_text) {
            write!(texts, "{event}").ok();
        }
        let events = size_of_val(self.journal.events()).saturating_add(texts.0);
        size_of::<Self>() + values + names + events
    }
}

/// Counts what is written, and keeps none of it.
struct ByteCount(usize);

impl fmt::Write for ByteCount {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0 = self.0.saturating_add(text.len());
        Ok(())
    }
}

fn result_text(call: &Call<'_>, ending: Ending<'_>) -> String {
    let Ending::Outcome(outcome) = ending else { return String::new() };
    let (id, tool) = (call.id().to_owned(), call.tool().to_owned());
    let result = ToolResult { id, tool, outcome: outcome.clone(), journal: Journal::default() };
    prefix_within_bytes(json_result(&result).text(), MOST_VALUE)
}

fn outcome_status(ended: &Ended<'_>) -> Option<u16> {
    match ended.ending {
        Ending::Outcome(Outcome::Answered(answer)) => answer.status,
        Ending::Outcome(Outcome::Failed(fault)) => fault.status,
        Ending::Dropped | Ending::Outcome(Outcome::Pending(_) | Outcome::Planned(_)) => None,
    }
}

/// The beginning of a text that a caller or a service made.
fn prefix_within_bytes(text: &str, most: usize) -> String {
    text.get(..text.floor_char_boundary(most)).unwrap_or(text).to_owned()
}

const MOST_CALLS: usize = 1000;
const MOST_BYTES: usize = 4 << 20;
/// A name that a caller made up is no longer than a real one.
const MOST_NAME: usize = 128;
/// As much of a value as a person reads.
const MOST_VALUE: usize = 64 << 10;

#[cfg(test)]
mod tests {
    use callgate_executor::Executor;
    use callgate_tool::{Arguments, Session, ToolCall, json};

    use super::*;

    async fn make_calls(recent_calls: &RecentCalls, count: usize, argument: &str) {
        let executor = Executor::builder()
            .function("shop", "buy", json!({"type": "object"}), |_| async { json!("bought") })
            .shared_middleware(Arc::new(recent_calls.clone()))
            .build()
            .unwrap();
        for number in 0..count {
            let arguments = Arguments::from([("what", argument.into())]);
            let call = ToolCall::new(number.to_string(), "shop-buy", arguments);
            executor.call(&call, &Session::default()).await;
        }
    }

    #[tokio::test]
    async fn the_last_thousand_calls_are_kept_and_their_values_only_where_the_operator_says_so() {
        let recent_calls = RecentCalls::default();
        make_calls(&recent_calls, 1, "tea").await;
        assert!(recent_calls.calls_after(0).0.is_empty(), "nobody may read them");
        recent_calls.set_recording(true, false);
        make_calls(&recent_calls, MOST_CALLS + 2, "tea").await;
        let (calls, latest) = recent_calls.calls_after(0);
        assert_eq!((calls.len(), latest), (MOST_CALLS, 1002));
        assert_eq!((calls[0].number, &*calls[0].id, calls[0].ending), (1002, "1001", "answered"));
        assert!(calls.iter().all(|call| call.values.is_none()));
        assert_eq!(recent_calls.calls_after(1001).0.len(), 1);
        assert!(recent_calls.find(2).is_none() && recent_calls.find(3).is_some());
        recent_calls.set_recording(true, true);
        make_calls(&recent_calls, 1, "tea").await;
        let last = recent_calls.find(1003).unwrap();
        let values = last.values.as_ref().unwrap();
        assert_eq!(values.arguments, r#"{"what":"tea"}"#);
        assert!(values.result.contains(r#""response":"bought""#), "{}", values.result);
        recent_calls.set_recording(true, false);
        assert!(recent_calls.find(1003).unwrap().values.is_none(), "they are switched off");
        let (calls, _) = recent_calls.calls_after(0);
        let n_bytes = calls.iter().map(|call| call.n_bytes).sum::<usize>();
        assert_eq!(recent_calls.0.ring.lock().unwrap().n_bytes, n_bytes);
    }

    #[tokio::test]
    async fn kept_values_have_a_bound_in_bytes() {
        let recent_calls = RecentCalls::default();
        recent_calls.set_recording(true, true);
        make_calls(&recent_calls, 100, &"ä".repeat(MOST_VALUE)).await;
        let (calls, _) = recent_calls.calls_after(0);
        let n_bytes = calls.iter().map(|call| call.n_bytes).sum::<usize>();
        assert!((50..70).contains(&calls.len()) && n_bytes <= MOST_BYTES, "{}", calls.len());
        assert_eq!(recent_calls.0.ring.lock().unwrap().n_bytes, n_bytes);
    }
}
