//! A span for each call, for tracing, and metrics of all calls (`series`), declared in `families`. The span names the tool and the ending of the
//! call, never a value.

mod call_log;
mod families;
mod series;

use std::{ops::ControlFlow, sync::Arc};

use async_trait::async_trait;
use callgate_executor::{Backend, Call, Ended, MeantToolset, Middleware, Stage};
use callgate_tool::{Event, Journal, Outcome};
use tracing::{Span, field::Empty};

use self::series::{CountedCall, Series};

pub use families::{create_toolset_series, describe_metrics};

/// Opens a span `call` around each call, which holds all that the call logs, and counts calls.
///
/// Its fields are `tool`, `id`, and `trace` if the caller has one. When the call has ended, also `ending` (`answered`,
/// `pending`, `dropped` or the code of a fault), `status` if a service responded, `attempts`, `elapsed_ms` and `reached`
/// (`no`, `maybe` or `yes`).
///
/// The facade `metrics` gets `callgate_calls_total` (by `toolset`, `outcome`, which is the span's `ending`, and
/// `reached`), `callgate_tool_calls_total` (by `toolset`, `tool`, `effect` and `outcome`; after the first 200 tools, `tool`
/// is `other`), `callgate_service_responses_total` (by `toolset` and `status`), `callgate_call_duration_seconds`,
/// `callgate_calls_in_flight`, `callgate_retries_total` and `callgate_token_refreshes_total` (by `toolset`). Other middleware reports `callgate_queue_length`,
/// `callgate_breaker_state`, `callgate_audit_failures_total` and `callgate_approvals_total`. No label holds a value that a caller
/// made up. Install a recorder before the first call: it is asked for each series once.
///
/// ```
/// use callgate_executor::Executor;
/// use callgate_policy::Metrics;
///
/// let executor = Executor::builder().middleware(Metrics::new()).build()?;
/// # Ok::<(), callgate_executor::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Metrics {
    series: Arc<Series>,
    logs_calls: bool,
}

impl Metrics {
    /// Measures every call.
    pub fn new() -> Self {
        Self::default()
    }

    /// Logs each ended call, too: one event at `info` with the target `callgate::calls` and no value of the call.
    ///
    /// Its fields are `tool` and `toolset` if there is such a tool, `outcome`
    /// ([`Ending::as_str`](callgate_executor::Ending::as_str)), `status` if a service responded, `reached`, `ms`, `principal` if the caller is known, `id`, and `trace`, the id of the trace.
    ///
    /// ```
    /// use callgate_executor::Executor;
    /// use callgate_policy::Metrics;
    ///
    /// let executor = Executor::builder().middleware(Metrics::new().with_call_log()).build()?;
    /// # Ok::<(), callgate_executor::Error>(())
    /// ```
    #[must_use]
    pub fn with_call_log(self) -> Self {
        Self { logs_calls: true, ..self }
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
        backend: Option<&dyn Backend>,
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
        let meant = call.extensions().get().map(|MeantToolset(toolset)| &**toolset);
        let toolset = backend.map(Backend::toolset).or(meant);
        let counted = self.series.count_beginning(toolset.unwrap_or_default(), backend);
        call.extensions_mut().insert(counted);
        call.extensions_mut().insert(span);
        ControlFlow::Continue(())
    }

    async fn after(&self, call: &Call<'_>, ended: &Ended<'_>) {
        let (extensions, ending) = (call.extensions(), ended.ending.as_str());
        if let Some(counted) = extensions.get::<CountedCall>() {
            counted.count_end(ending, ended.reached, ended.elapsed, ended.journal);
        }
        let Some(span) = extensions.get::<Span>() else { return };
        let (mut n_attempts, mut last_status) = (0_u64, None);
        for event in ended.journal.events() {
            match event {
                Event::Attempt { status, .. } => {
                    n_attempts += 1;
                    last_status = status.or(last_status);
                }
                Event::SentAgain => n_attempts += 1,
                _ => {}
            }
        }
        tracing::record_all!(
            span,
            status = last_status,
            ending = ending,
            attempts = n_attempts,
            elapsed_ms = u64::try_from(ended.elapsed.as_millis()).unwrap_or(u64::MAX),
            reached = ended.reached.as_str(),
        );
        if self.logs_calls {
            call_log::log_call_end(call, ended, last_status);
        }
    }
}

#[cfg(test)]
mod tests;
