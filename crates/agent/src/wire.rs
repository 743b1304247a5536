//! The providers' formats of whole requests and replies, one file each. `callgate-dialect` has their declarations, calls and
//! results; here are the rest of a request, and the parts of a reply. A provider's own message stays the text that it was.

mod amend;
mod anthropic;
mod bedrock;
mod body;
mod duplicates;
mod fault;
mod gemini;
mod media;
mod openai;
mod past;
mod pieces;
mod responses;
mod user;

use callgate_dialect::Dialect;
use callgate_tool::{Json, Object, Value, json};

pub use self::user::MOST_FILE_BYTES;
pub(crate) use self::{
    amend::amend,
    body::{Body, items},
    duplicates::drop_duplicates,
    fault::{NO_GOOD, ReplyFault, ended_with, error_of, provider_fault},
    past::{model_messages, result_piece},
    pieces::{Piece, pieces},
    user::{takes, user_message},
};
use crate::{choice::Choice, usage::Usage};

/// A format of requests to a model.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Wire {
    Anthropic,
    Bedrock,
    Gemini,
    OpenAi,
    Responses,
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

impl Wire {
    pub(crate) fn from_dialect(dialect: Dialect) -> Option<Self> {
        match dialect {
            Dialect::Anthropic => Some(Self::Anthropic),
            Dialect::Bedrock => Some(Self::Bedrock),
            Dialect::Gemini => Some(Self::Gemini),
            Dialect::OpenAi => Some(Self::OpenAi),
            Dialect::Responses => Some(Self::Responses),
            _ => None,
        }
    }

    pub(crate) fn dialect(self) -> Dialect {
        match self {
            Self::Anthropic => Dialect::Anthropic,
            Self::Bedrock => Dialect::Bedrock,
            Self::Gemini => Dialect::Gemini,
            Self::OpenAi => Dialect::OpenAi,
            Self::Responses => Dialect::Responses,
        }
    }

    /// The path of requests below the address of the provider.
    pub(crate) fn path(self, model: &str) -> String {
        match self {
            Self::Anthropic => "/messages".to_owned(),
            Self::Bedrock => format!("/model/{}/converse", segment(model)),
            Self::Gemini => format!("/models/{model}:generateContent"),
            Self::OpenAi => "/chat/completions".to_owned(),
            Self::Responses => "/responses".to_owned(),
        }
    }

    /// The path of requests whose replies are streams.
    pub(crate) fn stream_path(self, model: &str) -> String {
        match self {
            Self::Bedrock => format!("/model/{}/converse-stream", segment(model)),
            Self::Gemini => format!("/models/{model}:streamGenerateContent?alt=sse"),
            _ => self.path(model),
        }
    }

    /// The members of a request that are not settings.
    pub(crate) fn reserved_members(self) -> &'static [&'static str] {
        match self {
            Self::Anthropic => &["messages", "model", "stream", "system", "tool_choice", "tools"],
            Self::Bedrock => &["messages", "system", "toolConfig"],
            Self::Gemini => &["contents", "systemInstruction", "toolConfig", "tools"],
            Self::OpenAi => &["messages", "model", "n", "stream", "tool_choice", "tools"],
            Self::Responses => &[
                "conversation",
                "input",
                "instructions",
                "model",
                "previous_response_id",
                "stream",
                "tool_choice",
                "tools",
            ],
        }
    }

    /// The body of a request.
    pub(crate) fn body(self, ask: &Ask<'_>) -> String {
        match self {
            Self::Anthropic => anthropic::body(ask),
            Self::Bedrock => bedrock::body(ask),
            Self::Gemini => gemini::body(ask),
            Self::OpenAi => openai::body(ask),
            Self::Responses => responses::body(ask),
        }
    }

    /// Reads the body of a successful response. Some servers write an error there.
    pub(crate) fn reply(self, text: &str) -> Result<Reply, ReplyFault> {
        let reply = match self {
            Self::Anthropic => anthropic::reply(text),
            Self::Bedrock => bedrock::reply(text),
            Self::Gemini => gemini::reply(text),
            Self::OpenAi => openai::reply(text),
            Self::Responses => responses::reply(text),
        };
        let said = || error_of(&mut Value::parse(text).ok()?).map(provider_fault);
        reply.map_err(|fault| said().unwrap_or(fault))
    }

    /// The name of the provider in the conventions of OpenTelemetry; many servers speak the formats of others.
    pub(crate) fn provider(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::Bedrock => "aws.bedrock",
            Self::Gemini => "gcp.gemini",
            Self::OpenAi | Self::Responses => "openai",
        }
    }

    /// The message of a user.
    pub(crate) fn user(self, text: &str) -> Value {
        match self {
            Self::Anthropic | Self::OpenAi => json!({"role": "user", "content": text}),
            Self::Bedrock => json!({"role": "user", "content": [{"text": text}]}),
            Self::Gemini => json!({"role": "user", "parts": [{"text": text}]}),
            Self::Responses => json!({"type": "message", "role": "user", "content": text}),
        }
    }

    /// Who wrote a message; `None` if it is no message of this format.
    pub(crate) fn author(self, message: &Value) -> Option<Author> {
        let role = message.get("role").and_then(Value::as_str);
        match (self, role) {
            (Self::Gemini, Some("assistant")) => None,
            (Self::Gemini, Some("model")) | (_, Some("assistant")) => Some(Author::Model),
            (Self::Gemini, Some("function")) | (Self::OpenAi, Some("tool")) | (_, Some("user")) => {
                Some(Author::User)
            }
            (_, Some("developer" | "system")) => Some(Author::Other),
            (Self::Responses, None) => responses::author(message),
            _ => None,
        }
    }

    /// True if a conversation with calls is refused where no tool is declared.
    pub(crate) fn needs_tools(self) -> bool {
        matches!(self, Self::Anthropic | Self::Bedrock)
    }

    /// The name of the member that holds the parts of a message, where results of a message stand in one message.
    pub(crate) fn parts(self) -> Option<&'static str> {
        match self {
            Self::Anthropic | Self::Bedrock => Some("content"),
            Self::Gemini => Some("parts"),
            Self::OpenAi | Self::Responses => None,
        }
    }

    /// The id of the call that a part of a message answers; empty for a part that answers a call without an id; `None` for a
    /// part that answers no call.
    pub(crate) fn answers(self, part: &Value) -> Option<String> {
        let id = match self {
            Self::Anthropic => {
                (part.get("type")?.as_str()? == "tool_result").then(|| part.get("tool_use_id"))?
            }
            Self::Bedrock => part.get("toolResult")?.get("toolUseId"),
            Self::Gemini => part.get("functionResponse")?.get("id"),
            Self::OpenAi => {
                (part.get("role")?.as_str()? == "tool").then(|| part.get("tool_call_id"))?
            }
            Self::Responses => {
                part.get("type")?.as_str()?.ends_with("_output").then(|| part.get("call_id"))?
            }
        };
        Some(id.and_then(Value::as_str).unwrap_or_default().to_owned())
    }

    /// True if a model's message holds nothing that a provider would take back.
    pub(crate) fn is_empty(self, message: &Value) -> bool {
        match self {
            Self::Anthropic => anthropic::is_empty(message),
            Self::Bedrock => bedrock::is_empty(message),
            Self::Gemini => gemini::is_empty(message),
            Self::OpenAi => openai::is_empty(message),
            Self::Responses => responses::is_empty(message),
        }
    }
}

/// A name as one segment of a path (RFC 3986 §3.3): that of an inference profile holds `/`. An escape in it stays.
fn segment(name: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~:%".contains(&byte);
    let written = name.bytes().map(|byte| match byte {
        byte if is_plain(byte) => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    });
    written.collect()
}

/// True if a text shows nothing.
fn is_blank(text: Option<&Value>) -> bool {
    text.and_then(Value::as_str).is_none_or(|text| text.trim().is_empty())
}

/// The texts of parts, joined.
fn joined_texts<'v>(texts: impl Iterator<Item = &'v Value>) -> String {
    texts.filter_map(Value::as_str).collect()
}

fn unreadable(error: &serde_json::Error) -> String {
    format!("the reply of the model has another form: {error}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use callgate_testkit::rows;

    #[test]
    fn the_name_of_a_model_is_one_segment_of_the_path_at_bedrock() {
        for [model, expected] in rows(
            "
            anthropic.claude-3-sonnet-20240229-v1:0 => anthropic.claude-3-sonnet-20240229-v1:0
            arn:aws:bedrock:eu-west-1:1:application-inference-profile/a1 => arn:aws:bedrock:eu-west-1:1:application-inference-profile%2Fa1
            arn:aws:bedrock:eu-west-1:1:inference-profile%2Fa1 => arn:aws:bedrock:eu-west-1:1:inference-profile%2Fa1
            a b?c#d/é => a%20b%3Fc%23d%2F%C3%A9
            ",
        ) {
            assert_eq!(Wire::Bedrock.path(model), format!("/model/{expected}/converse"));
            let path = format!("/model/{expected}/converse-stream");
            assert_eq!(Wire::Bedrock.stream_path(model), path);
        }
    }

    #[test]
    fn tokens_that_bedrock_had_cached_count_as_read() {
        let used = r#"{"inputTokens":1,"cacheReadInputTokens":20,"cacheWriteInputTokens":300,"outputTokens":4}"#;
        let message = r#"{"role":"assistant","content":[{"text":"Yes."}]}"#;
        let reply = format!(
            r#"{{"output":{{"message":{message}}},"stopReason":"end_turn","usage":{used}}}"#
        );
        assert_eq!(Wire::Bedrock.reply(&reply).unwrap().usage, Usage { input: 321, output: 4 });
    }
}
