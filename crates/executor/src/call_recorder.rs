//! The exchanges of one call with its service, recorded as texts without credentials.

use std::sync::{Mutex, MutexGuard, PoisonError};

use callgate_tool::PlannedRequest;

use crate::watcher::{AnswerHead, Recorder, Watcher};

/// Records the exchanges of a call.
#[doc(hidden)]
#[derive(Debug, Default)]
pub struct CallRecorder(Mutex<Vec<RecordedExchange>>);

/// A request, and its response if one came.
#[doc(hidden)]
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RecordedExchange {
    /// The text of the request.
    pub request: Vec<u8>,
    /// The response.
    pub answer: Option<RecordedAnswer>,
}

/// A response in the form in which it may be written down.
#[doc(hidden)]
#[derive(Clone, Debug)]
#[expect(clippy::exhaustive_enums, reason = "callers handle each form of a response")]
pub enum RecordedAnswer {
    /// The text of the response.
    Text(Vec<u8>),
    /// The response holds a credential in a form that cannot be masked.
    Unmasked,
}

impl CallRecorder {
    /// The exchanges in the order of their requests.
    pub fn exchanges(&self) -> Vec<RecordedExchange> {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<RecordedExchange>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Watcher for CallRecorder {
    fn observe_request(&self, _: &PlannedRequest) {}

    fn observe_answer_head(&self, _: &AnswerHead) {}

    fn recorder(&self) -> Option<&dyn Recorder> {
        Some(self)
    }
}

impl Recorder for CallRecorder {
    fn record_request(&self, request: Vec<u8>) {
        let mut recorded = self.lock();
        // One more attempt of a request without a response replaces it.
        match recorded.last_mut().filter(|last| last.answer.is_none()) {
            Some(last) => last.request = request,
            None => recorded.push(RecordedExchange { request, answer: None }),
        }
    }

    fn record_answer(&self, answer: Option<Vec<u8>>) {
        if let Some(last) = self.lock().last_mut() {
            last.answer = Some(answer.map_or(RecordedAnswer::Unmasked, RecordedAnswer::Text));
        }
    }
}
