//! The exchanges of the calls of a conversation with their services.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use callgate_executor::{CallRecorder, RecordedAnswer, Watcher};
use callgate_tool::ToolCall;

use super::files::Exchange;

/// Records the exchanges of the calls of a conversation.
#[derive(Clone, Debug, Default)]
pub(crate) struct CallRecorders(Arc<Mutex<Recorders>>);

type Recorders = Vec<RecordedCall>;

/// A call and its exchanges.
#[derive(Clone, Debug)]
struct RecordedCall {
    id: String,
    tool: String,
    recorder: Arc<CallRecorder>,
}

impl CallRecorders {
    /// The watcher of the next call.
    pub(crate) fn add_watcher(&self, call: &ToolCall) -> Arc<dyn Watcher> {
        let recorder = Arc::<CallRecorder>::default();
        let (id, tool) = (call.id.clone(), call.tool.clone());
        self.lock().push(RecordedCall { id, tool, recorder: Arc::clone(&recorder) });
        recorder
    }

    /// The tools of those of some calls that sent no request.
    pub(crate) fn tools_without_exchange(&self, calls: &[String]) -> Vec<String> {
        let recorders = self.lock();
        let is_silent =
            |call: &&RecordedCall| calls.contains(&call.id) && call.recorder.exchanges().is_empty();
        recorders.iter().filter(is_silent).map(|call| call.tool.clone()).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Recorders> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The exchanges in the order of their calls; the error says why one cannot be recorded.
    pub(crate) fn exchanges(&self) -> Result<Vec<Exchange>, String> {
        let recorders = self.lock();
        let of_calls = recorders.iter().flat_map(|RecordedCall { tool, recorder, .. }| {
            recorder.exchanges().into_iter().map(move |exchange| (tool, exchange))
        });
        let exchange = of_calls.map(|(tool, exchange)| match exchange.answer {
            Some(RecordedAnswer::Text(response)) => {
                Ok(Exchange { request: exchange.request, response })
            }
            Some(RecordedAnswer::Unmasked) => Err(format!(
                "the response of `{tool}` holds a credential in a form that cannot be masked"
            )),
            None => Err(format!("the call of `{tool}` got no response")),
        });
        exchange.collect()
    }
}
