//! The exchanges of the calls of a conversation with their services.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use callgate_executor::Watcher;
use callgate_tool::ToolCall;

use super::folder::Exchange;
use crate::commands::call_recorder::{Answer, CallRecorder};

/// Records the exchanges of the calls of a conversation.
#[derive(Clone, Debug, Default)]
pub(crate) struct CallRecorders(Arc<Mutex<Recorders>>);

/// The tool of each call, and its exchanges.
type Recorders = Vec<(String, Arc<CallRecorder>)>;

impl CallRecorders {
    /// The watcher of the next call.
    pub(crate) fn watcher(&self, call: &ToolCall) -> Arc<dyn Watcher> {
        let recorder = Arc::<CallRecorder>::default();
        self.lock().push((call.tool.clone(), Arc::clone(&recorder)));
        recorder
    }

    fn lock(&self) -> MutexGuard<'_, Recorders> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The exchanges in the order of their calls; the error says why one cannot be recorded.
    pub(crate) fn exchanges(&self) -> Result<Vec<Exchange>, String> {
        let recorders = self.lock();
        let of_calls = recorders.iter().flat_map(|(tool, recorder)| {
            recorder.exchanges().into_iter().map(move |exchange| (tool, exchange))
        });
        let exchange = of_calls.map(|(tool, exchange)| match exchange.answer {
            Some(Answer::Text(response)) => Ok(Exchange { request: exchange.request, response }),
            Some(Answer::Unmasked) => Err(format!(
                "the response of `{tool}` holds a credential in a form that cannot be masked"
            )),
            None => Err(format!("the call of `{tool}` got no response")),
        });
        exchange.collect()
    }
}
