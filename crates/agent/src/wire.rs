//! The providers' formats of whole requests and replies: a file and a folder each, and one list of them. `callgate-dialect` has
//! their declarations, calls and results; here are the rest of a request, and the parts of a reply. A provider's own message
//! stays the text that it was.

mod amend;
mod anthropic;
mod bedrock;
mod body;
mod duplicates;
mod fault;
mod gemini;
mod media;
mod openai;
mod pieces;
mod responses;
mod stream;
mod user;

use std::fmt;

use callgate_dialect::Dialect;
use callgate_tool::{Json, Object, StoredResult, ToolCall, Value};

pub(crate) use self::{
    amend::amend,
    duplicates::drop_duplicates,
    fault::ReplyFault,
    pieces::{Piece, pieces},
    user::{takes, user_message},
};
use self::{
    body::Body,
    fault::{error_of, provider_fault},
    media::{FileForm, Files},
    stream::StreamedReply,
    user::FilePart,
};
pub use self::{stream::streamed_reply, user::MOST_FILE_BYTES};
use crate::{choice::Choice, usage::Usage};

/// The format of a provider, as everything else has it at hand.
pub(crate) type Wire = &'static dyn Format;

/// The formats of the providers: a line each.
const FORMATS: [Wire; 5] = [
    &anthropic::Messages,
    &bedrock::Converse,
    &gemini::GenerateContent,
    &openai::ChatCompletions,
    &responses::Responses,
];

/// The format of a dialect; `None` if no provider of models speaks it.
pub(crate) fn wire(dialect: Dialect) -> Option<Wire> {
    FORMATS.iter().copied().find(|format| format.dialect() == dialect)
}

/// True for the name of an error after which a provider may take the same request.
pub(crate) fn is_transient_error(name: &str) -> bool {
    FORMATS.iter().any(|format| format.transient_errors().contains(&name))
}

/// A format of requests to a model. What most have in common is provided.
pub(crate) trait Format: fmt::Debug + Send + Sync {
    fn dialect(&self) -> Dialect;

    /// The name of the provider in the conventions of OpenTelemetry; many servers speak the formats of others.
    fn provider(&self) -> &'static str;

    /// The path of requests below the address of the provider.
    fn path(&self, model: &str) -> String;

    /// The path of requests whose replies are streams.
    fn stream_path(&self, model: &str) -> String {
        self.path(model)
    }

    /// The headers of requests beside the credential.
    fn headers(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    /// The members of a request that are not settings.
    fn reserved_members(&self) -> &'static [&'static str];

    /// The body of a request.
    fn body(&self, ask: &Ask<'_>) -> String;

    /// Reads a body that is a reply.
    fn read_reply(&self, text: &str) -> Result<Reply, ReplyFault>;

    /// Reads the body of a successful response. Some servers write an error there.
    fn reply(&self, text: &str) -> Result<Reply, ReplyFault> {
        let said = || error_of(&mut Value::parse(text).ok()?).map(provider_fault);
        self.read_reply(text).map_err(|fault| said().unwrap_or(fault))
    }

    /// Reads the body of a successful response to a request for a stream that is none.
    fn whole_reply(&self, text: &str) -> Result<Reply, ReplyFault> {
        self.reply(text)
    }

    /// A reply that comes as a stream, of which nothing has come.
    fn stream(&self) -> Box<dyn StreamedReply>;

    /// The names of errors for which the provider answers 408, 429 or 5xx where no stream has begun.
    fn transient_errors(&self) -> &'static [&'static str];

    /// The member of a message that holds its content.
    fn content(&self) -> &'static str {
        "content"
    }

    /// The role of the model.
    fn role(&self) -> &'static str {
        "assistant"
    }

    /// The name of the member that holds the parts of a message, where results of a message stand in one message.
    fn parts(&self) -> Option<&'static str> {
        Some(self.content())
    }

    /// A part of a message that is words.
    fn text(&self, text: &str) -> Value;

    /// The message of a user who says nothing but these words.
    fn user(&self, text: &str) -> Value {
        self.user_message(text.into())
    }

    /// The message of a user with this content.
    fn user_message(&self, content: Value) -> Value {
        let mut message = Object::from([("role", "user".into())]);
        message.insert(self.content(), content);
        message.into()
    }

    /// Who wrote a message; `None` if it is no message of this format.
    fn author(&self, message: &Value) -> Option<Author> {
        Author::with_role(message.get("role")?.as_str()?, self.role())
    }

    /// True if a conversation with calls is refused where no tool is declared.
    fn needs_tools(&self) -> bool {
        false
    }

    /// True if a model's message holds nothing that a provider would take back.
    fn is_empty(&self, message: &Value) -> bool;

    /// The id of the call that a part of a message answers; empty for a part that answers a call without an id; `None` for a
    /// part that answers no call.
    fn answers(&self, part: &Value) -> Option<String>;

    /// The JSON pointer of the content of a part that answers a call.
    fn answer_pointer(&self) -> &'static str {
        "/content"
    }

    /// The member that lists the calls of a message; `None` where a message is an item of a reply, and may be a call.
    fn list_of_calls(&self) -> Option<&'static str> {
        Some(self.content())
    }

    /// True if a reply is items, which belong together.
    fn has_items(&self) -> bool {
        self.list_of_calls().is_none()
    }

    /// The name of the member that holds a call's id; `None` where calls need none.
    fn id_member(&self) -> Option<&'static str>;

    /// The JSON pointer of the call in a part of a message, or in an item.
    fn call_pointer(&self, part: &Value) -> Option<&'static str>;

    /// Makes the arguments of a call what the format says. Returns true if they were not.
    fn amend_arguments(&self, call: &mut Object) -> bool;

    /// Leaves out what no provider takes back, and adds what it wants. Returns true if there was any.
    fn amend_message(&self, _message: &mut Value) -> bool {
        false
    }

    /// The messages of a model with words and calls, of which there are some.
    fn model_messages(&self, words: Option<&str>, calls: Vec<Value>) -> Vec<Value> {
        let parts: Value = words.map(|words| self.text(words)).into_iter().chain(calls).collect();
        let mut message = Object::from([("role", self.role().into())]);
        message.insert(self.content(), parts);
        vec![message.into()]
    }

    /// A call that a model asked for under this id, at this place among the calls of its message.
    fn call(&self, id: &str, call: &ToolCall, at: usize) -> Value;

    /// The result of a call of this id and tool, in words.
    fn result_piece(&self, id: &str, tool: &str, text: &str) -> Value;

    /// What an item is that is no message; `None` for a message.
    fn item(&self, _message: &Value) -> Option<Piece> {
        None
    }

    /// The file in a part of a message.
    fn file(&self, part: &Value) -> Option<StoredResult>;

    /// The media types of files that the provider takes in a message of a user, by its own pages, each with its form there.
    fn files(&self) -> &'static [Files];

    /// A part with a file whose form is its words.
    fn text_file(&self, _file: &FilePart<'_>, words: &str) -> Value {
        self.text(words)
    }

    /// A part with a file of another form.
    fn file_part(&self, file: &FilePart<'_>, form: FileForm) -> Value;

    /// True if a document may stand without words beside it.
    fn takes_lone_documents(&self) -> bool {
        true
    }
}

/// The content of a request to a model.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ask<'a> {
    pub(crate) model: &'a str,
    pub(crate) instructions: &'a str,
    pub(crate) messages: &'a [Json],
    pub(crate) tools: &'a [&'a Json],
    pub(crate) choice: &'a Choice,
    pub(crate) settings: &'a Object,
    /// True if the reply comes as a stream.
    pub(crate) is_streamed: bool,
}

/// What a model replied.
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    /// The messages to send again, byte for byte as the provider wrote them.
    pub(crate) messages: Vec<Json>,
    /// The words for the user.
    pub(crate) text: String,
    pub(crate) stop: Stop,
    pub(crate) usage: Usage,
    /// True if there is nothing in it that a provider would take back: no words, no calls, at most thoughts.
    pub(crate) is_empty: bool,
}

/// The reason why a model stopped.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Stop {
    /// It said what it had to say, or asks for calls.
    Done,
    /// The reply reached the most tokens of a reply.
    Length,
    /// The provider paused a long turn, and goes on when it gets its own message again.
    Paused,
    /// The model or the provider refused, in these words.
    Refused(String),
}

/// The author of a message of a transcript.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Author {
    Model,
    /// Somebody whose messages are no part of a conversation: `system`, `developer`.
    Other,
    /// The user, or callgate with results of calls.
    User,
}

impl Author {
    /// The author with a role; `model` is that of the model.
    fn with_role(role: &str, model: &str) -> Option<Self> {
        match role {
            "developer" | "system" => Some(Self::Other),
            "user" => Some(Self::User),
            role => (role == model).then_some(Self::Model),
        }
    }
}

/// The id in a part that answers a call; empty if there is none.
fn answered_id(part: &Value, member: &str) -> String {
    part.get(member).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn unreadable(error: &serde_json::Error) -> String {
    format!("the reply of the model has another form: {error}")
}

/// True if a value is of this type.
fn is(value: &Value, kind: &str) -> bool {
    value.get("type").and_then(Value::as_str) == Some(kind)
}

/// True if a text shows nothing.
fn is_blank(text: Option<&Value>) -> bool {
    text.and_then(Value::as_str).is_none_or(|text| text.trim().is_empty())
}

/// The items of a member that is a list.
fn list<'v>(message: &'v Value, member: &str) -> impl Iterator<Item = &'v Value> {
    message.get(member).and_then(Value::as_array).into_iter().flatten()
}

/// The texts of parts, joined.
fn joined_texts<'v>(texts: impl Iterator<Item = &'v Value>) -> String {
    texts.filter_map(Value::as_str).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_dialect_of_a_model_has_a_format() {
        assert_eq!(FORMATS.map(Format::dialect), Dialect::OF_MODELS);
    }
}
