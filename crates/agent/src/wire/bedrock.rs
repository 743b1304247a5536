//! Amazon Bedrock Converse. Its conversations alternate between user and assistant.
//! Fields: `ConverseRequest` and `ConverseResponse` of the `bedrock-runtime` model in <https://github.com/boto/botocore>.

use std::borrow::Cow;

use callgate_tool::{Json, Value, json};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::{
    Ask, Body, Reply, ReplyFault, Stop, ended_with, is_blank, items, joined_texts, unreadable,
};
use crate::{
    choice::Choice,
    usage::{Tokens, Usage},
};

pub(super) fn body(ask: &Ask<'_>) -> String {
    let mut body = Body::new(ask);
    if !ask.instructions.is_empty() {
        body = body.with("system", json!([{"text": ask.instructions}]));
    }
    body = body.list("messages", join_user_neighbours(ask.messages));
    if ask.tools.is_empty() {
        return body.into_text(ask.settings);
    }
    let choice = match ask.choice {
        // There is no choice that forbids calls, and a conversation with calls needs the tools.
        Choice::None => None,
        Choice::Auto => Some(json!({"auto": {}})),
        Choice::Required => Some(json!({"any": {}})),
        Choice::Tool(name) => Some(json!({"tool": {"name": &**name}})),
    };
    let choice = choice.map(|choice| format!(r#","toolChoice":{choice}"#)).unwrap_or_default();
    let config = format!(r#"{{"tools":[{}]{choice}}}"#, items(ask.tools));
    body.with("toolConfig", config).into_text(ask.settings)
}

/// The messages, with neighbours of a user as one message. The others are left as they are.
fn join_user_neighbours(messages: &[Json]) -> Vec<Cow<'_, str>> {
    let is_user =
        |message: &Json| message.value().get("role").and_then(Value::as_str) == Some("user");
    let groups = messages.chunk_by(|one, next| is_user(one) && is_user(next));
    let joined = |group: &'_ [Json]| {
        let parts = group.iter().flat_map(|message| blocks(message.value()));
        let content: Vec<Value> = parts.cloned().collect();
        json!({"role": "user", "content": content}).to_string()
    };
    let written = groups.map(|group| match group {
        [alone] => Cow::Borrowed(alone.text()),
        group => Cow::Owned(joined(group)),
    });
    written.collect()
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Response<'r> {
    #[serde(borrow)]
    output: Output<'r>,
    #[serde(default)]
    stop_reason: Option<String>,
    #[serde(default)]
    usage: Option<Used>,
}

#[derive(Deserialize)]
struct Output<'r> {
    #[serde(borrow)]
    message: &'r RawValue,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
#[expect(clippy::struct_field_names, reason = "the names are the provider's")]
struct Used {
    cache_read_input_tokens: Tokens,
    cache_write_input_tokens: Tokens,
    input_tokens: Tokens,
    output_tokens: Tokens,
}

pub(super) fn reply(text: &str) -> Result<Reply, ReplyFault> {
    let response: Response<'_> = serde_json::from_str(text).map_err(|error| unreadable(&error))?;
    let message = Json::parse(response.output.message.get()).map_err(|error| error.to_string())?;
    let stop = match response.stop_reason.as_deref() {
        Some(reason @ ("malformed_model_output" | "malformed_tool_use")) => {
            return Err(ended_with(reason));
        }
        Some("max_tokens" | "model_context_window_exceeded") => Stop::Length,
        Some(reason @ ("content_filtered" | "guardrail_intervened")) => {
            Stop::Refused(format!("the provider stopped with `{reason}`"))
        }
        _ => Stop::Done,
    };
    let used = response.usage.unwrap_or_default();
    // `inputTokens` has none of those that were cached.
    let input = [used.input_tokens, used.cache_read_input_tokens, used.cache_write_input_tokens];
    let input = input.into_iter().map(Tokens::get).fold(0, u64::saturating_add);
    let usage = Usage { input, output: used.output_tokens.get() };
    let text = joined_texts(blocks(message.value()).filter_map(|block| block.get("text")));
    let is_empty = is_empty(message.value());
    Ok(Reply { messages: vec![message], text, stop, usage, is_empty })
}

fn blocks(message: &Value) -> impl Iterator<Item = &Value> {
    message.get("content").and_then(Value::as_array).into_iter().flatten()
}

pub(super) fn is_empty(message: &Value) -> bool {
    let is_nothing = |block: &Value| {
        block.get("reasoningContent").is_some()
            || block.get("text").is_some_and(|text| is_blank(Some(text)))
    };
    blocks(message).all(is_nothing)
}
