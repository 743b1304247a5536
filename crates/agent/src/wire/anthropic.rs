//! Anthropic Messages. Fields: `types/message_create_params.py` and `message.py` of
//! <https://github.com/anthropics/anthropic-sdk-python>.

use callgate_tool::{Json, Value, json};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::{Ask, Body, Reply, ReplyFault, Stop, is_blank, joined_texts, unreadable};
use crate::{
    choice::Choice,
    usage::{Tokens, Usage},
};

pub(super) fn body(ask: &Ask<'_>) -> String {
    let mut body = Body::with_model_name(ask);
    if !ask.settings.contains_key("max_tokens") {
        body = body.with("max_tokens", MAX_TOKENS);
    }
    if !ask.instructions.is_empty() {
        body = body.with("system", Value::from(ask.instructions));
    }
    body = body.list("messages", ask.messages.iter().map(Json::text));
    if ask.tools.is_empty() {
        return body.into_text(ask.settings);
    }
    let choice = match ask.choice {
        Choice::Auto => json!({"type": "auto"}),
        Choice::None => json!({"type": "none"}),
        Choice::Required => json!({"type": "any"}),
        Choice::Tool(name) => json!({"type": "tool", "name": &**name}),
    };
    body.list("tools", ask.tools.iter().map(|tool| tool.text()))
        .with("tool_choice", choice)
        .into_text(ask.settings)
}

#[derive(Deserialize)]
struct Message<'r> {
    #[serde(borrow)]
    content: &'r RawValue,
    #[serde(default)]
    stop_reason: Option<String>,
    #[serde(default)]
    usage: Option<Used>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
#[expect(clippy::struct_field_names, reason = "the names are the provider's")]
struct Used {
    input_tokens: Tokens,
    output_tokens: Tokens,
    cache_creation_input_tokens: Tokens,
    cache_read_input_tokens: Tokens,
}

pub(super) fn reply(text: &str) -> Result<Reply, ReplyFault> {
    let message: Message<'_> = serde_json::from_str(text).map_err(|error| unreadable(&error))?;
    let raw = format!(r#"{{"role":"assistant","content":{}}}"#, message.content.get());
    let raw = Json::parse(&raw).map_err(|error| error.to_string())?;
    let stop = match message.stop_reason.as_deref() {
        Some("max_tokens" | "model_context_window_exceeded") => Stop::Length,
        Some("pause_turn") => Stop::Paused,
        Some("refusal") => Stop::Refused("the model declined to answer".to_owned()),
        _ => Stop::Done,
    };
    let used = message.usage.unwrap_or_default();
    let cached = [used.cache_creation_input_tokens, used.cache_read_input_tokens];
    let cached = cached.into_iter().map(Tokens::get).fold(0, u64::saturating_add);
    let usage = Usage {
        input: used.input_tokens.get().saturating_add(cached),
        output: used.output_tokens.get(),
    };
    let text = joined_texts(
        blocks(raw.value()).filter(|block| is_text(block)).filter_map(|block| block.get("text")),
    );
    let is_empty = is_empty(raw.value());
    Ok(Reply { messages: vec![raw], text, stop, usage, is_empty })
}

fn blocks(message: &Value) -> impl Iterator<Item = &Value> {
    message.get("content").and_then(Value::as_array).into_iter().flatten()
}

fn is_text(block: &Value) -> bool {
    block.get("type").and_then(Value::as_str) == Some("text")
}

/// True for thoughts alone: the interface takes no message back that has nothing else.
pub(super) fn is_empty(message: &Value) -> bool {
    if message.get("content").is_some_and(Value::is_string) {
        return is_blank(message.get("content"));
    }
    let is_thought = |block: &Value| {
        let kind = block.get("type").and_then(Value::as_str).unwrap_or_default();
        matches!(kind, "redacted_thinking" | "thinking")
    };
    blocks(message)
        .all(|block| is_thought(block) || (is_text(block) && is_blank(block.get("text"))))
}

/// The interface requires a bound on the tokens of a reply.
const MAX_TOKENS: u32 = 4096;
