//! A conversation with one model: the messages as the provider wrote and takes them, and the calls of its last message that
//! have no result yet. What is sent is complete at any time: open calls get results before anything else is added.

mod convert;
mod open;
mod readable;
mod record;
mod repair;

use callgate_dialect::Dialect;
use callgate_tool::{Json, Value};

pub(crate) use self::open::{CallState, Open, Waiting, failed_result, tool_result};
pub(crate) use self::readable::EarlierResults;
pub(crate) use self::record::TranscriptForm;
pub use self::repair::Repair;
pub(crate) use self::repair::{PastCall, read_group_calls};
use crate::{
    error::{self, Error},
    wire::{Author, Wire, wire},
};

/// The messages of a conversation in the dialect of its model.
///
/// ```
/// use callgate_agent::Transcript;
/// use callgate_dialect::Dialect;
/// use callgate_tool::json;
///
/// // A transcript of another program. No call in it is ever made.
/// let messages = vec![
///     json!({"role": "user", "content": "One pizza."}),
///     json!({"role": "assistant", "tool_calls": [
///         {"id": "a", "type": "function", "function": {"name": "add_pizza", "arguments": "{}"}},
///     ]}),
/// ];
/// let (transcript, repair) = Transcript::from_messages(Dialect::OpenAi, messages)?;
/// assert_eq!(transcript.messages_with_results().len(), 3, "the call got a result: it was not made");
/// assert_eq!(repair.n_answered, 1);
/// # Ok::<(), callgate_agent::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Transcript {
    pub(crate) wire: Wire,
    pub(crate) messages: Vec<Json>,
    pub(crate) open: Option<Open>,
    /// The messages that the caller brought: the first ones.
    pub(crate) n_brought: usize,
}

impl Transcript {
    /// An empty transcript.
    ///
    /// # Errors
    /// [`ErrorKind::Dialect`](crate::ErrorKind::Dialect) for a dialect that no provider of models speaks.
    pub fn new(dialect: Dialect) -> Result<Self, Error> {
        let wire = wire(dialect).ok_or_else(|| error::no_model_dialect(dialect.as_str()))?;
        Ok(Self { wire, messages: Vec::new(), open: None, n_brought: 0 })
    }

    /// A transcript of messages that came from elsewhere, with what was missing or too much in them. They are text: calls
    /// without a result get one that says so, and none is made.
    ///
    /// # Errors
    /// [`ErrorKind::Transcript`](crate::ErrorKind::Transcript) for a message that is none of a user or a model.
    pub fn from_messages(dialect: Dialect, messages: Vec<Value>) -> Result<(Self, Repair), Error> {
        let mut transcript = Self::new(dialect)?;
        for (at, message) in messages.iter().enumerate() {
            match transcript.wire.author(message) {
                Some(Author::Model | Author::User) => {}
                Some(Author::Other) => {
                    let expected = "one of a user or a model; the agent's own instructions are `instructions` of the configuration";
                    return Err(error::foreign_message(at, expected));
                }
                None => return Err(error::foreign_message(at, &format!("one of `{dialect}`"))),
            }
        }
        transcript.messages = messages.into_iter().map(Json::from).collect();
        let repair = transcript.repair();
        transcript.n_brought = transcript.messages.len();
        Ok((transcript, repair))
    }

    /// The dialect of the messages.
    pub fn dialect(&self) -> Dialect {
        self.wire.dialect
    }

    /// The messages as they can be sent now: every call has one result. Calls that wait or run have one that says that they
    /// were cancelled.
    pub fn messages_with_results(&self) -> Vec<Json> {
        let mut messages = self.messages.clone();
        if let Some(open) = &self.open {
            messages.extend(open.clone().into_answer_messages(self.wire));
        }
        messages
    }

    /// True if a call waits for its client, for an approval or for a result.
    pub fn is_waiting(&self) -> bool {
        self.open.as_ref().is_some_and(|open| open.waiting_calls().next().is_some())
    }

    /// True if a message of the model has calls.
    pub(crate) fn has_calls(&self) -> bool {
        let is_model = |message: &&Json| self.wire.author(message.value()) == Some(Author::Model);
        let read = |message| read_group_calls(self.wire, std::slice::from_ref(message), |_| None);
        let mut read = self.messages.iter().filter(is_model).map(read);
        read.any(|read| read.is_ok_and(|read| !read.calls().is_empty()))
    }

    /// Adds a message of the user.
    pub(crate) fn add_user(&mut self, text: &str) {
        self.close_open_calls();
        self.messages.push(self.wire.user_text_message(text).into());
    }

    /// Gives each open call its result, or one that says that it was cancelled.
    pub(crate) fn close_open_calls(&mut self) {
        if let Some(open) = self.open.take() {
            self.messages.extend(open.into_answer_messages(self.wire));
        }
    }

    /// Ends each open call that has no result yet, because the user went on.
    pub(crate) fn skip_open_calls(&mut self) {
        if let Some(open) = &mut self.open {
            open.skip_unanswered();
        }
    }
}
