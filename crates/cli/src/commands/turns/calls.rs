//! The exchanges of calls with their services, recorded as texts without credentials.

use std::sync::{Arc, Mutex, PoisonError};

use callgate_executor::{AnswerHead, Recorder, Watcher};
use callgate_tool::{PlannedRequest, ToolCall};

use super::folder::Exchange;

/// Records the exchanges of the calls of a conversation.
#[derive(Clone, Debug, Default)]
pub(crate) struct CallRecorder(Arc<Mutex<Vec<Recorded>>>);

/// An exchange of a call.
#[derive(Debug)]
struct Recorded {
    call: usize,
    tool: String,
    request: Vec<u8>,
    response: Response,
}

#[derive(Debug)]
enum Response {
    Read(Vec<u8>),
    /// It holds a credential in a form that cannot be masked.
    Unmasked,
    /// None came yet.
    Waited,
}

/// The watcher of one call.
#[derive(Debug)]
struct OneCall {
    number: usize,
    tool: String,
    all: CallRecorder,
}

impl CallRecorder {
    /// The watcher of the next call.
    pub(crate) fn watcher(&self, number: usize, call: &ToolCall) -> Arc<dyn Watcher> {
        Arc::new(OneCall { number, tool: call.tool.clone(), all: self.clone() })
    }

    fn with<T>(&self, change: impl FnOnce(&mut Vec<Recorded>) -> T) -> T {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The exchanges in the order of their requests; the error says why one cannot be recorded.
    pub(crate) fn exchanges(&self) -> Result<Vec<Exchange>, String> {
        self.with(|recorded| {
            let exchange = |one: &Recorded| match &one.response {
                Response::Read(response) => {
                    Ok(Exchange { request: one.request.clone(), response: response.clone() })
                }
                Response::Unmasked => Err(format!(
                    "the response of `{}` holds a credential in a form that cannot be masked",
                    one.tool
                )),
                Response::Waited => Err(format!("the call of `{}` got no response", one.tool)),
            };
            recorded.iter().map(exchange).collect()
        })
    }
}

impl Watcher for OneCall {
    fn sending(&self, _: &PlannedRequest) {}

    fn answered(&self, _: &AnswerHead) {}

    fn recorder(&self) -> Option<&dyn Recorder> {
        Some(self)
    }
}

impl Recorder for OneCall {
    fn sent(&self, request: Vec<u8>) {
        let (call, tool) = (self.number, self.tool.clone());
        self.all.with(|recorded| {
            // One more attempt of a request that was not answered for good replaces it.
            let waits =
                |one: &&mut Recorded| one.call == call && matches!(one.response, Response::Waited);
            match recorded.iter_mut().find(waits) {
                Some(known) => known.request = request,
                None => recorded.push(Recorded { call, tool, request, response: Response::Waited }),
            }
        });
    }

    fn received(&self, answer: Option<Vec<u8>>) {
        self.all.with(|recorded| {
            let of_call = |one: &&mut Recorded| one.call == self.number;
            if let Some(last) = recorded.iter_mut().rev().find(of_call) {
                last.response = answer.map_or(Response::Unmasked, Response::Read);
            }
        });
    }
}
