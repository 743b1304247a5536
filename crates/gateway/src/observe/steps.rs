//! Marks each call with the current step of its trace, so that requests to services carry the sidecar's own steps.

use std::ops::ControlFlow;

use async_trait::async_trait;
use callgate_executor::{Backend, Call, CurrentTrace, Middleware, Stage};
use callgate_tool::{Journal, Outcome};

#[derive(Clone, Copy, Debug)]
pub(crate) struct Steps;

#[async_trait]
impl Middleware for Steps {
    fn stage(&self) -> Stage {
        Stage::Metrics
    }

    async fn before(
        &self,
        call: &mut Call<'_>,
        _: Option<&dyn Backend>,
        _: &mut Journal,
    ) -> ControlFlow<Outcome> {
        call.extensions_mut().insert(CurrentTrace(super::otel::current_trace));
        ControlFlow::Continue(())
    }
}
