//! The providers' formats of whole requests and replies: a file and a folder each, and one list of them. `callgate-dialect` has
//! their declarations, calls and results; here are the rest of a request, and the parts of a reply. A provider's own message
//! stays the text that it was.

mod amend;
mod anthropic;
mod bedrock;
mod body;
mod duplicates;
mod fault;
mod form;
mod gemini;
mod ids;
mod media;
mod openai;
mod pieces;
mod responses;
mod stop;
mod stream;
mod user;

use std::fmt;

use callgate_call::wording::turn as wording;
use callgate_dialect::Dialect;
use callgate_tool::{Json, Object, StoredResult, ToolCall, Value};

pub(crate) use self::{
    amend::{Unreadable, amend_messages},
    duplicates::drop_duplicate_calls,
    fault::{ReplyFault, error_words, take_error},
    form::{joined_call_messages, well_formed_messages},
    ids::{IdChanges, sendable_messages, stated_call_ids},
    pieces::{Piece, message_pieces},
    stop::Stop,
    user::{can_take_file, user_message},
};
use self::{
    body::Body,
    fault::provider_fault,
    form::ResultForm,
    ids::{IdRule, id_text},
    media::{FileForm, Files},
    stream::StreamedReply,
    user::FilePart,
};
pub use self::{stream::streamed_reply, user::MOST_FILE_BYTES};
use crate::{choice::Choice, usage::Usage};

/// The format of a provider, as everything else has it at hand.
pub(crate) type Wire = &'static Format;

type ReadReply = fn(&str) -> Result<Reply, ReplyFault>;
type ModelMessages = fn(Option<&str>, Vec<Value>) -> Vec<Value>;

/// The formats of the providers: a line each.
const FORMATS: [Wire; 5] =
    [&anthropic::FORMAT, &bedrock::FORMAT, &gemini::FORMAT, &openai::FORMAT, &responses::FORMAT];

/// The format of a dialect; `None` if no provider of models speaks it.
pub(crate) fn wire(dialect: Dialect) -> Option<Wire> {
    FORMATS.into_iter().find(|format| format.dialect == dialect)
}

/// True for the name of an error after which a provider may take the same request.
pub(crate) fn is_transient_error(name: &str) -> bool {
    FORMATS.iter().any(|format| format.transient_errors.contains(&name))
}

/// A format of requests to a model: everything in which it differs from another.
pub(crate) struct Format {
    pub(crate) dialect: Dialect,
    /// The name of the provider in the conventions of OpenTelemetry; many servers speak the formats of others.
    pub(crate) provider: &'static str,
    /// The path of requests below the address of the provider.
    pub(crate) path: fn(&str) -> String,
    /// The members of a request that are not settings.
    pub(crate) reserved_members: &'static [&'static str],
    pub(crate) body: fn(&Ask<'_>) -> String,
    /// Reads a body that is a reply.
    read_reply: ReadReply,
    /// A reply that comes as a stream, of which nothing has come, to a request that declares these tools.
    pub(crate) stream: fn(&[&Json]) -> Box<dyn StreamedReply>,
    /// The names of errors for which the provider answers 408, 429 or 5xx where no stream has begun.
    transient_errors: &'static [&'static str],
    /// A part of a message that is words.
    text: fn(&str) -> Value,
    /// True if a model's message holds nothing that a provider would take back.
    pub(crate) is_empty: fn(&Value) -> bool,
    /// The id of the call that a part of a message answers; empty for a part that answers a call without an id; `None` for a
    /// part that answers no call.
    pub(crate) answers: fn(&Value) -> Option<String>,
    /// The name of the member that holds a call's id; `None` where calls need none.
    pub(crate) id_member: Option<&'static str>,
    /// The JSON pointer of the call in a part of a message, or in an item.
    call_pointer: fn(&Value) -> Option<&'static str>,
    /// Makes the arguments of a call what the format says. Returns true if they were not.
    amend_arguments: fn(&mut Object, Unreadable) -> bool,
    /// A call that a model asked for under this id, at this place among the calls of its message.
    pub(crate) call: fn(&str, &ToolCall, usize) -> Value,
    /// The result of a call of this id and tool, in words.
    pub(crate) result_piece: fn(&str, &str, &str) -> Value,
    /// The file in a part of a message.
    file: fn(&Value) -> Option<StoredResult>,
    /// The media types of files that the provider takes in a message of a user, by its own pages, each with its form there.
    files: &'static [Files],
    /// A part with a file of another form.
    file_part: fn(&FilePart<'_>, FileForm) -> Value,
    pub(crate) rules: Rules,
}

/// The rules of a format. Most formats share them, and write those in which they differ.
pub(crate) struct Rules {
    /// The path of requests whose replies are streams, if it is another.
    pub(crate) stream_path: Option<fn(&str) -> String>,
    /// The headers of requests beside the credential.
    pub(crate) headers: &'static [(&'static str, &'static str)],
    /// Reads the body of a successful response to a request for a stream that is none, if it has another form.
    whole_reply: Option<ReadReply>,
    /// The member of a message that holds its content.
    content: &'static str,
    /// The role of the model.
    role: &'static str,
    /// The role of whoever answers calls, if it has one of its own.
    answer_role: Option<&'static str>,
    /// The name of the member that holds the parts of a message, where results of a message stand in one message.
    pub(crate) parts: Option<&'static str>,
    /// True if the content of a message may be a text.
    has_plain_words: bool,
    /// True if messages are items with types.
    has_types: bool,
    /// The author of an item without a role.
    item_author: fn(&Value) -> Option<Author>,
    /// True if a conversation with calls is refused where no tool is declared.
    pub(crate) needs_tools: bool,
    /// The JSON pointers of the id and the content of a part that answers a call.
    answer_id_pointer: &'static str,
    answer_pointer: &'static str,
    result_form: ResultForm,
    /// True for a result, among the parts of a model's message, of a call that the provider made itself.
    is_own_result: fn(&[Value], &Value) -> bool,
    /// The ids that calls may have.
    ids: IdRule,
    /// The member that lists the calls of a message; `None` where a message is an item of a reply, and may be a call.
    list_of_calls: Option<&'static str>,
    /// Leaves out what no provider takes back, and adds what it wants. Returns true if there was any.
    amend_message: fn(&mut Value) -> bool,
    /// The messages of a model with words and calls, of which there are some, if they are not the parts of one.
    model_messages: Option<ModelMessages>,
    /// The kind of an item that is no message; `None` for a message.
    item: fn(&Value) -> Option<Piece>,
    /// A part with a file whose form is its words, if it is more than those.
    text_file: Option<fn(&FilePart<'_>, &str) -> Value>,
    /// True if a document may stand without words beside it.
    takes_lone_documents: bool,
}

impl Rules {
    const USUAL: Self = Self {
        stream_path: None,
        headers: &[],
        whole_reply: None,
        content: "content",
        role: "assistant",
        answer_role: None,
        parts: Some("content"),
        has_plain_words: true,
        has_types: false,
        item_author: |_| None,
        needs_tools: false,
        answer_id_pointer: "/id",
        answer_pointer: "/content",
        result_form: ResultForm::TextOrParts,
        is_own_result: |_, _| false,
        ids: IdRule::ANY,
        list_of_calls: Some("content"),
        amend_message: |_| false,
        model_messages: None,
        item: |_| None,
        text_file: None,
        takes_lone_documents: true,
    };
}

impl fmt::Debug for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.dialect.as_str())
    }
}

impl Format {
    /// Reads the body of a successful response. Some servers write an error there.
    pub(crate) fn parse_reply(&self, text: &str) -> Result<Reply, ReplyFault> {
        let said = || take_error(&mut Value::parse(text).ok()?).map(provider_fault);
        (self.read_reply)(text).map_err(|fault| said().unwrap_or(fault))
    }

    /// Reads the body of a successful response that is no stream.
    pub(crate) fn parse_whole_reply(&self, text: &str) -> Result<Reply, ReplyFault> {
        self.rules.whole_reply.map_or_else(|| self.parse_reply(text), |read| read(text))
    }

    /// The message of a user who says nothing but these words. No provider takes blank ones.
    pub(crate) fn user_text_message(&self, text: &str) -> Value {
        let text = Some(text).filter(|text| !text.trim().is_empty());
        let content = text.map_or_else(
            || self.text_content(&wording::words_for_empty_message()),
            |it| self.text_content(it),
        );
        self.user_message(content)
    }

    /// Words alone, as the content of a message.
    fn text_content(&self, text: &str) -> Value {
        let is_plain = self.rules.has_plain_words;
        if is_plain { text.into() } else { Value::Array(vec![(self.text)(text)]) }
    }

    /// The message of a user with this content.
    fn user_message(&self, content: Value) -> Value {
        let kind = self.rules.has_types.then(|| ("type", "message".into()));
        let members = [("role", "user".into()), (self.rules.content, content)];
        Value::Object(kind.into_iter().chain(members).collect())
    }

    /// The author of a message; `None` if it is no message of this format.
    pub(crate) fn author(&self, message: &Value) -> Option<Author> {
        match message.get("role").and_then(Value::as_str) {
            None => (self.rules.item_author)(message),
            Some("developer" | "system") => Some(Author::Other),
            Some("user") => Some(Author::User),
            Some(role) if role == self.rules.role => Some(Author::Model),
            role => role.filter(|_| role == self.rules.answer_role).map(|_| Author::User),
        }
    }

    /// The messages of a model with words and calls, of which there are some.
    pub(crate) fn model_messages(&self, words: Option<&str>, calls: Vec<Value>) -> Vec<Value> {
        let Rules { content, role, model_messages, .. } = self.rules;
        if let Some(model_messages) = model_messages {
            return model_messages(words, calls);
        }
        let parts: Value = words.map(self.text).into_iter().chain(calls).collect();
        vec![Value::Object([("role", role.into()), (content, parts)].into_iter().collect())]
    }

    /// True if a reply is items, which belong together.
    pub(crate) fn has_item_replies(&self) -> bool {
        self.rules.list_of_calls.is_none()
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

/// The author of a message of a transcript.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Author {
    Model,
    /// Somebody whose messages are no part of a conversation: `system`, `developer`.
    Other,
    /// The user, or callgate with results of calls.
    User,
}

/// The id in a part that answers a call; empty if there is none.
fn answered_call_id(part: &Value, member: &str) -> String {
    id_text(part.get(member))
}

fn unreadable_reply(error: &serde_json::Error) -> String {
    format!("the reply of the model has another form: {error}")
}

/// A name as one segment of a path (RFC 3986 §3.3): that of an inference profile holds `/`. An escape in it stays.
fn path_segment(name: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~:@%".contains(&byte);
    let written = name.bytes().map(|byte| match byte {
        byte if is_plain(byte) => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    });
    written.collect()
}

/// True if a value is of this type.
fn has_type(value: &Value, kind: &str) -> bool {
    value.get("type").and_then(Value::as_str) == Some(kind)
}

/// True if a text shows nothing.
fn is_blank(text: Option<&Value>) -> bool {
    text.and_then(Value::as_str).is_none_or(|text| text.trim().is_empty())
}

/// The items of a member that is a list.
fn list_items<'v>(message: &'v Value, member: &str) -> impl Iterator<Item = &'v Value> {
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
        assert_eq!(FORMATS.map(|format| format.dialect), Dialect::OF_MODELS);
    }
}
