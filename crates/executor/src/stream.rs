//! A call whose values are taken as they come, for users of the library. What it ends with is a result like any other.

use callgate_tool::{Answer, Content, Json, Outcome, ToolResult};

use crate::backend::{Opened, Values};

/// A call whose answer is many values one after the other, or that has ended.
#[derive(Debug)]
pub struct ToolStream {
    result: ToolResult,
    values: Option<Box<Values>>,
}

impl ToolStream {
    /// What `opened` of a call whose result is `ended` with an outcome.
    pub(crate) fn new(opened: Opened, ended: impl FnOnce(Outcome) -> ToolResult) -> Self {
        let (outcome, values) = match opened {
            Opened::Ended(outcome) => (outcome, None),
            Opened::Values(values) => {
                let answer = Answer::new(values.status(), Content::Empty);
                (Outcome::Answered(Box::new(answer)), Some(values))
            }
        };
        Self { result: ended(outcome), values }
    }

    /// The next value, as soon as the service has sent all of it: an event as `{"event", "id", "data"}`, a JSON line as
    /// it is. `None` when no more come, and at once where the answer is not many values.
    ///
    /// The time limit of the toolset holds for each value, and so does the bound on an answer's size. Dropping the
    /// future loses the value it waited for; dropping the stream stops the call.
    pub async fn next(&mut self) -> Option<Json> {
        let values = self.values.as_mut()?;
        match values.next().await {
            Some(Ok(value)) => return Some(value),
            Some(Err(fault)) => self.result.outcome = Outcome::Failed(fault),
            None => {}
        }
        self.values = None;
        None
    }

    /// How the call ended. An answer whose values were taken is empty; a stream that is not at its end is stopped.
    pub fn into_result(self) -> ToolResult {
        self.result
    }
}
