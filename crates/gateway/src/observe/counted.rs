//! Counts calls: how each ended, whether its service was reached, how long it took, and what was sent again. Labels are the
//! names of toolsets, and words of our own.

use std::ops::ControlFlow;

use async_trait::async_trait;
use callgate_executor::{Backend, Call, Ended, Ending, Middleware, Stage};
use callgate_tool::{Event, Journal, Outcome};

/// Counts every call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counted;

/// The toolset of a call that was begun.
#[derive(Clone, Debug)]
struct Begun(String);

#[async_trait]
impl Middleware for Counted {
    fn stage(&self) -> Stage {
        Stage::Metrics
    }

    async fn before(
        &self,
        call: &mut Call<'_>,
        backend: Option<&dyn Backend>,
        _: &mut Journal,
    ) -> ControlFlow<Outcome> {
        // A tool that nobody has is of no toolset, whatever it is called.
        let toolset = backend.map(Backend::toolset).unwrap_or_default().to_owned();
        metrics::gauge!("callgate_calls_in_flight", "toolset" => toolset.clone()).increment(1);
        call.extensions_mut().insert(Begun(toolset));
        ControlFlow::Continue(())
    }

    async fn after(&self, call: &Call<'_>, ended: &Ended<'_>) {
        let Some(Begun(toolset)) = call.extensions().get::<Begun>().cloned() else { return };
        metrics::gauge!("callgate_calls_in_flight", "toolset" => toolset.clone()).decrement(1);
        let (outcome, reached) = (outcome(ended.ending), ended.reached.as_str());
        let labels = [
            ("toolset", toolset.clone()),
            ("outcome", outcome.to_owned()),
            ("reached", reached.to_owned()),
        ];
        metrics::counter!("callgate_calls_total", &labels).increment(1);
        let n_again = sent(ended.journal).saturating_sub(1);
        metrics::counter!("callgate_retries_total", "toolset" => toolset.clone())
            .increment(n_again);
        metrics::histogram!("callgate_call_duration_seconds", "toolset" => toolset)
            .record(ended.elapsed);
    }
}

/// How many requests were sent.
fn sent(journal: &Journal) -> u64 {
    let is_sent = |event: &&Event| matches!(event, Event::Attempt { .. } | Event::SentAgain);
    u64::try_from(journal.events().iter().filter(is_sent).count()).unwrap_or(u64::MAX)
}

fn outcome(ending: Ending<'_>) -> &'static str {
    match ending {
        Ending::Dropped => "dropped",
        Ending::Outcome(Outcome::Answered(_)) => "answered",
        Ending::Outcome(Outcome::Failed(fault)) => fault.code.as_str(),
        Ending::Outcome(Outcome::Pending(_)) => "pending",
        Ending::Outcome(Outcome::Planned(_)) => "planned",
    }
}
