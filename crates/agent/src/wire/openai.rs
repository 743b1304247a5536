//! OpenAI Chat Completions, also of Ollama, vLLM and llama.cpp. Fields: `CreateChatCompletionRequest` and
//! `CreateChatCompletionResponse` of <https://github.com/openai/openai-openapi>.

use callgate_tool::{Json, Value, json};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::{Ask, Body, Reply, ReplyFault, Stop, ended_with, is_blank, joined_texts, unreadable};
use crate::{
    choice::Choice,
    usage::{Tokens, Usage},
};

pub(super) fn body(ask: &Ask<'_>) -> String {
    let system = json!({"role": "system", "content": ask.instructions}).to_string();
    let system = Some(&*system).filter(|_| !ask.instructions.is_empty());
    let messages = system.into_iter().chain(ask.messages.iter().map(Json::text));
    let body = Body::with_model_name(ask).list("messages", messages);
    let counts = ask.is_streamed && !ask.settings.contains_key("stream_options");
    let body = if counts { body.with("stream_options", r#"{"include_usage":true}"#) } else { body };
    if ask.tools.is_empty() {
        return body.into_text(ask.settings);
    }
    let choice = match ask.choice {
        Choice::Auto => "auto".into(),
        Choice::None => "none".into(),
        Choice::Required => "required".into(),
        Choice::Tool(name) => json!({"type": "function", "function": {"name": &**name}}),
    };
    body.list("tools", ask.tools.iter().map(|tool| tool.text()))
        .with("tool_choice", choice)
        .into_text(ask.settings)
}

#[derive(Deserialize)]
struct Completion<'r> {
    #[serde(borrow)]
    choices: Vec<Chosen<'r>>,
    #[serde(default)]
    usage: Option<Used>,
}

#[derive(Deserialize)]
struct Chosen<'r> {
    #[serde(borrow)]
    message: &'r RawValue,
    #[serde(default)]
    finish_reason: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Used {
    prompt_tokens: Tokens,
    completion_tokens: Tokens,
}

pub(super) fn reply(text: &str) -> Result<Reply, ReplyFault> {
    let completion: Completion<'_> =
        serde_json::from_str(text).map_err(|error| unreadable(&error))?;
    let first = completion.choices.first();
    let first = first.ok_or("the reply of the model has no `choices`")?;
    if let Some(reason) = first.finish_reason.as_deref().filter(|reason| is_no_good(reason)) {
        return Err(ended_with(reason));
    }
    let message = Json::parse(first.message.get()).map_err(|error| error.to_string())?;
    let refusal = message.value().get("refusal").and_then(Value::as_str);
    let stop = match (refusal.filter(|said| !said.is_empty()), first.finish_reason.as_deref()) {
        (Some(said), _) => Stop::Refused(said.to_owned()),
        (None, Some("content_filter" | "sensitive")) => {
            Stop::Refused("the provider filtered the reply".to_owned())
        }
        (None, Some("length")) => Stop::Length,
        _ => Stop::Done,
    };
    let used = completion.usage.unwrap_or_default();
    let usage = Usage { input: used.prompt_tokens.get(), output: used.completion_tokens.get() };
    let (text, is_empty) = (message_text(message.value()), is_empty(message.value()));
    Ok(Reply { text, is_empty, messages: vec![message], stop, usage })
}

/// True for the reasons of servers that resemble OpenAI, after which another reply may be better: those of Gemini, `OpenRouter` and Zhipu.
fn is_no_good(reason: &str) -> bool {
    matches!(reason, "error" | "malformed_function_call" | "network_error")
        || reason.starts_with("function_call_filter")
}

fn message_text(message: &Value) -> String {
    match message.get("content") {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => joined_texts(parts.iter().filter_map(|part| part.get("text"))),
        _ => String::new(),
    }
}

pub(super) fn is_empty(message: &Value) -> bool {
    let calls = message.get("tool_calls").and_then(Value::as_array);
    calls.is_none_or(Vec::is_empty)
        && !message.get("function_call").is_some_and(Value::is_object)
        && message_text(message).trim().is_empty()
        && is_blank(message.get("refusal"))
}
