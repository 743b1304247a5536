//! OpenAI Responses, without state at the provider: reasoning comes encrypted and is sent again. Fields: `CreateResponse` and
//! `Response` of <https://github.com/openai/openai-openapi>.

use callgate_tool::{Json, Value, json};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::{Ask, Author, Body, Reply, ReplyFault, Stop, joined_texts, unreadable};
use crate::{
    choice::Choice,
    usage::{Tokens, Usage},
};

pub(super) fn body(ask: &Ask<'_>) -> String {
    let mut body = Body::with_model_name(ask);
    if !ask.instructions.is_empty() {
        body = body.with("instructions", Value::from(ask.instructions));
    }
    body = body.list("input", ask.messages.iter().map(Json::text));
    if !ask.settings.contains_key("store") {
        body = body.with("store", false);
    }
    if !ask.settings.contains_key("include") {
        body = body.with("include", r#"["reasoning.encrypted_content"]"#);
    }
    if ask.tools.is_empty() {
        return body.into_text(ask.settings);
    }
    let choice = match ask.choice {
        Choice::Auto => "auto".into(),
        Choice::None => "none".into(),
        Choice::Required => "required".into(),
        Choice::Tool(name) => json!({"type": "function", "name": &**name}),
    };
    body.list("tools", ask.tools.iter().map(|tool| tool.text()))
        .with("tool_choice", choice)
        .into_text(ask.settings)
}

#[derive(Deserialize)]
struct Response<'r> {
    #[serde(borrow)]
    output: Vec<&'r RawValue>,
    #[serde(default)]
    status: Option<String>,
    #[serde(default)]
    incomplete_details: Option<Incomplete>,
    #[serde(default)]
    error: Option<Failure>,
    #[serde(default)]
    usage: Option<Used>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Failure {
    code: Option<String>,
    message: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Incomplete {
    reason: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Used {
    input_tokens: Tokens,
    output_tokens: Tokens,
}

pub(super) fn reply(text: &str) -> Result<Reply, ReplyFault> {
    let response: Response<'_> = serde_json::from_str(text).map_err(|error| unreadable(&error))?;
    let items = response.output.iter().map(|item| Json::parse(item.get()));
    let items = items.collect::<Result<Vec<_>, _>>().map_err(|error| error.to_string())?;
    let reason = response.incomplete_details.unwrap_or_default().reason.unwrap_or_default();
    let refusal = joined_texts(contents(&items, "refusal"));
    let stop = match (response.status.as_deref(), &*reason) {
        (Some("failed" | "cancelled"), _) => {
            let Failure { code, message } = response.error.unwrap_or_default();
            let said = if message.is_empty() { message } else { format!(": {message}") };
            let message = format!("the provider could not end the reply{said}");
            return Err(ReplyFault {
                message,
                error: Some(json!({"code": code.unwrap_or_default()})),
            });
        }
        (_, "content_filter") => Stop::Refused("the provider filtered the reply".to_owned()),
        (Some("incomplete"), _) => Stop::Length,
        _ if !refusal.is_empty() => Stop::Refused(refusal),
        _ => Stop::Done,
    };
    let used = response.usage.unwrap_or_default();
    let usage = Usage { input: used.input_tokens.get(), output: used.output_tokens.get() };
    let text = joined_texts(contents(&items, "text"));
    let is_empty = items.iter().all(|item| is_empty(item.value()));
    Ok(Reply { messages: items, text, stop, usage, is_empty })
}

/// The texts of the messages among items.
fn contents<'i>(items: &'i [Json], member: &'static str) -> impl Iterator<Item = &'i Value> {
    let messages = items.iter().map(Json::value).filter(|item| kind(item) == Some("message"));
    let parts = messages.filter_map(|item| item.get("content")?.as_array()).flatten();
    parts.filter_map(move |part| part.get(member))
}

fn kind(item: &Value) -> Option<&str> {
    item.get("type").and_then(Value::as_str)
}

/// Who wrote an item without a role.
pub(super) fn author(item: &Value) -> Option<Author> {
    match kind(item)? {
        "item_reference" => None,
        kind if kind.ends_with("_output") => Some(Author::User),
        _ => Some(Author::Model),
    }
}

/// True for reasoning, which is nothing without the item that follows it.
pub(super) fn is_empty(item: &Value) -> bool {
    kind(item) == Some("reasoning")
}
