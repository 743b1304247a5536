//! A span for each call, for whoever counts and traces. It names the tool and how the call ended, never a value.

use std::ops::ControlFlow;

use async_trait::async_trait;
use callgate_executor::{Backend, Call, Ended, Ending, Middleware, Stage};
use callgate_tool::{Event, Journal, Outcome, Reached};
use tracing::{Span, field::Empty};

/// Opens a span `call` around each call, in which all that the call logs lies.
///
/// Its fields are `tool`, `id`, and `trace` where the caller has one; when the call has ended also `ending` (`answered`,
/// `pending`, `dropped` or the code of a fault), `status` where a service answered, `attempts`, `elapsed_ms` and `reached`
/// (`no`, `maybe` or `yes`).
///
/// ```
/// use callgate_executor::Executor;
/// use callgate_policy::Metrics;
///
/// let executor = Executor::builder().middleware(Metrics::new()).build()?;
/// # Ok::<(), callgate_executor::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Metrics(());

impl Metrics {
    /// Measures every call.
    pub fn new() -> Self {
        Self(())
    }
}

#[async_trait]
impl Middleware for Metrics {
    fn stage(&self) -> Stage {
        Stage::Metrics
    }

    async fn before(
        &self,
        call: &mut Call<'_>,
        _: Option<&dyn Backend>,
        _: &mut Journal,
    ) -> ControlFlow<Outcome> {
        let span = tracing::info_span!(
            "call",
            tool = call.tool(),
            id = call.id(),
            trace = Empty,
            ending = Empty,
            status = Empty,
            attempts = Empty,
            elapsed_ms = Empty,
            reached = Empty,
        );
        if let Some(trace) = call.trace() {
            span.record("trace", tracing::field::display(trace));
        }
        call.extensions_mut().insert(span);
        ControlFlow::Continue(())
    }

    async fn after(&self, call: &Call<'_>, ended: &Ended<'_>) {
        let Some(span) = call.extensions().get::<Span>() else { return };
        let attempts = Attempts::of(ended.journal);
        if let Some(status) = attempts.status {
            span.record("status", status);
        }
        span.record("ending", ending(ended.ending));
        span.record("attempts", attempts.number);
        span.record("elapsed_ms", u64::try_from(ended.elapsed.as_millis()).unwrap_or(u64::MAX));
        span.record("reached", reached(ended.ending, &attempts).as_str());
    }
}

/// What a journal says of requests that were sent.
#[derive(Debug, Default)]
struct Attempts {
    number: u64,
    /// The status of the last answer.
    status: Option<u16>,
}

impl Attempts {
    fn of(journal: &Journal) -> Self {
        let mut attempts = Self::default();
        for event in journal.events() {
            match event {
                Event::Attempt { status, .. } => {
                    attempts.number += 1;
                    attempts.status = status.or(attempts.status);
                }
                Event::SentAgain => attempts.number += 1,
                _ => {}
            }
        }
        attempts
    }
}

fn ending(ending: Ending<'_>) -> &'static str {
    match ending {
        Ending::Dropped => "dropped",
        Ending::Outcome(Outcome::Answered(_)) => "answered",
        Ending::Outcome(Outcome::Failed(fault)) => fault.code.as_str(),
        Ending::Outcome(Outcome::Pending(_)) => "pending",
        Ending::Outcome(Outcome::Planned(_)) => "planned",
    }
}

fn reached(ending: Ending<'_>, attempts: &Attempts) -> Reached {
    match ending {
        Ending::Dropped if attempts.status.is_some() => Reached::Yes,
        Ending::Dropped => Reached::Maybe,
        Ending::Outcome(Outcome::Answered(_)) => Reached::Yes,
        Ending::Outcome(Outcome::Failed(fault)) => fault.reached,
        Ending::Outcome(Outcome::Pending(_) | Outcome::Planned(_)) => Reached::No,
    }
}

#[cfg(test)]
mod tests;
