//! Runs middleware around one call. Each middleware that saw the call begin also sees it end: with its outcome, or when the
//! future or the stream is dropped.

use std::{mem, ops::ControlFlow, sync::Arc};

use callgate_tool::{Event, Journal, Outcome, Reached, ToolResult};
use futures_util::FutureExt;
use tracing::Span;

use crate::{
    backend::Backend,
    call::Call,
    middleware::{Ended, Ending, Middleware},
};

/// The middleware of an executor, the outermost first.
pub(crate) type Layers = Arc<[Arc<dyn Middleware>]>;

#[derive(Debug)]
pub(crate) struct LayeredCall<'a> {
    layers: Layers,
    /// The number of middlewares that have seen the beginning and not yet the end.
    n_open: usize,
    is_running: bool,
    pub(crate) call: Call<'a>,
    pub(crate) journal: Journal,
}

impl<'a> LayeredCall<'a> {
    pub(crate) fn new(layers: &Layers, call: Call<'a>, journal: Journal) -> Self {
        Self { layers: Arc::clone(layers), n_open: 0, is_running: false, call, journal }
    }

    /// The call as one that borrows nothing. No middleware may have seen it yet.
    pub(crate) fn into_static(mut self) -> LayeredCall<'static> {
        let journal = mem::take(&mut self.journal);
        LayeredCall::new(&self.layers, self.call.to_static(), journal)
    }

    /// Reports the beginning to the middleware. Returns an outcome if a middleware ended the call.
    pub(crate) async fn run_middleware_before(
        &mut self,
        backend: Option<&dyn Backend>,
    ) -> Option<Outcome> {
        for layer in &*self.layers {
            // Counted before it runs, so that a middleware that is dropped halfway sees the end too.
            self.n_open += 1;
            let next = layer.before(&mut self.call, backend, &mut self.journal).await;
            if let ControlFlow::Break(outcome) = next {
                return Some(outcome);
            }
        }
        self.is_running = true;
        None
    }

    pub(crate) fn span(&self) -> Span {
        self.call.extensions().get().cloned().unwrap_or_else(Span::none)
    }

    pub(crate) async fn run_middleware_after(&mut self, outcome: &Outcome) {
        while let Some((layer, around)) = self.take_innermost_open_layer() {
            layer.after(&around.call, &around.ended_call(Ending::Outcome(outcome))).await;
        }
    }

    /// The result of a call. Middleware that has not seen the end yet sees that the caller left.
    pub(crate) fn into_result(mut self, outcome: Outcome) -> ToolResult {
        self.report_dropped_call();
        ToolResult {
            id: mem::take(&mut self.call.id).into_owned(),
            tool: mem::take(&mut self.call.tool).into_owned(),
            outcome,
            journal: mem::take(&mut self.journal),
        }
    }

    /// Reports to the remaining middleware that the caller left, without waiting for it.
    fn report_dropped_call(&mut self) {
        while let Some((layer, around)) = self.take_innermost_open_layer() {
            // A future that would wait is dropped at that point.
            let _: Option<()> =
                layer.after(&around.call, &around.ended_call(Ending::Dropped)).now_or_never();
        }
    }

    /// The innermost middleware that has not seen the end yet, and the call that it sees.
    fn take_innermost_open_layer(&mut self) -> Option<(&dyn Middleware, &Self)> {
        self.n_open = self.n_open.checked_sub(1)?;
        let around = &*self;
        Some((&**around.layers.get(around.n_open)?, around))
    }

    fn ended_call<'b>(&'b self, ending: Ending<'b>) -> Ended<'b> {
        let elapsed = self.call.start_time().elapsed();
        Ended { ending, journal: &self.journal, elapsed, reached: self.reached_service(ending) }
    }

    fn reached_service(&self, ending: Ending<'_>) -> Reached {
        let is_answered = |event: &Event| matches!(event, Event::Attempt { status: Some(_), .. });
        match ending {
            Ending::Dropped if !self.is_running => Reached::No,
            Ending::Dropped if self.journal.events().iter().any(is_answered) => Reached::Yes,
            Ending::Dropped => Reached::Maybe,
            Ending::Outcome(Outcome::Answered(_)) => Reached::Yes,
            Ending::Outcome(Outcome::Failed(fault)) => fault.reached,
            Ending::Outcome(Outcome::Pending(_) | Outcome::Planned(_)) => Reached::No,
        }
    }
}

impl Drop for LayeredCall<'_> {
    fn drop(&mut self) {
        self.report_dropped_call();
    }
}
