//! Gemini, by its own interface and Vertex AI's. Fields: `GenerateContentRequest` and `GenerateContentResponse` of
//! `google/ai/generativelanguage/v1beta/generative_service.proto` in <https://github.com/googleapis/googleapis>.

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
        body = body.with("systemInstruction", json!({"parts": [{"text": ask.instructions}]}));
    }
    body = body.list("contents", ask.messages.iter().map(Json::text));
    if ask.tools.is_empty() {
        return body.into_text(ask.settings);
    }
    let choice = match ask.choice {
        Choice::Auto => json!({"mode": "AUTO"}),
        Choice::None => json!({"mode": "NONE"}),
        Choice::Required => json!({"mode": "ANY"}),
        Choice::Tool(name) => json!({"mode": "ANY", "allowedFunctionNames": [&**name]}),
    };
    let tools = format!(r#"[{{"functionDeclarations":[{}]}}]"#, items(ask.tools));
    let choice = json!({"functionCallingConfig": choice});
    body.with("tools", tools).with("toolConfig", choice).into_text(ask.settings)
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Response<'r> {
    #[serde(borrow, default)]
    candidates: Vec<Candidate<'r>>,
    #[serde(default)]
    prompt_feedback: Option<Feedback>,
    #[serde(default)]
    usage_metadata: Option<Used>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Candidate<'r> {
    #[serde(borrow, default)]
    content: Option<&'r RawValue>,
    #[serde(default)]
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Feedback {
    #[serde(default)]
    block_reason: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
#[expect(clippy::struct_field_names, reason = "the names are the provider's")]
struct Used {
    prompt_token_count: Tokens,
    candidates_token_count: Tokens,
    thoughts_token_count: Tokens,
}

pub(super) fn reply(text: &str) -> Result<Reply, ReplyFault> {
    let response: Response<'_> = serde_json::from_str(text).map_err(|error| unreadable(&error))?;
    let used = response.usage_metadata.unwrap_or_default();
    let output = used.candidates_token_count.get().saturating_add(used.thoughts_token_count.get());
    let usage = Usage { input: used.prompt_token_count.get(), output };
    let refused = |reason: &str| Stop::Refused(format!("the provider stopped with `{reason}`"));
    let Some(first) = response.candidates.first() else {
        let reason = response.prompt_feedback.and_then(|feedback| feedback.block_reason);
        let reason = reason.ok_or("the reply of the model has no `candidates`")?;
        let (messages, text, stop) = (Vec::new(), String::new(), refused(&reason));
        return Ok(Reply { messages, text, stop, usage, is_empty: true });
    };
    let stop = match first.finish_reason.as_deref() {
        None | Some("FINISH_REASON_UNSPECIFIED" | "STOP") => Stop::Done,
        Some("MAX_TOKENS") => Stop::Length,
        Some(reason @ ("MALFORMED_FUNCTION_CALL" | "OTHER" | "UNEXPECTED_TOOL_CALL")) => {
            return Err(ended_with(reason));
        }
        Some(reason) => refused(reason),
    };
    let Some(content) = first.content else {
        let (messages, text) = (Vec::new(), String::new());
        return Ok(Reply { messages, text, stop, usage, is_empty: true });
    };
    let content = Json::parse(content.get()).map_err(|error| error.to_string())?;
    let words = parts(content.value()).filter(|part| !is_thought(part));
    let text = joined_texts(words.filter_map(|part| part.get("text")));
    let is_empty = is_empty(content.value());
    Ok(Reply { messages: vec![content], text, stop, usage, is_empty })
}

fn parts(content: &Value) -> impl Iterator<Item = &Value> {
    content.get("parts").and_then(Value::as_array).into_iter().flatten()
}

fn is_thought(part: &Value) -> bool {
    part.get("thought").and_then(Value::as_bool).unwrap_or_default()
}

pub(super) fn is_empty(content: &Value) -> bool {
    // A part is its text, or has another member that says what it is.
    let is_blank_text = |part: &Value| {
        let is_other = part.as_object().is_some_and(|part| {
            part.keys().any(|name| !matches!(&**name, "text" | "thought" | "thoughtSignature"))
        });
        !is_other && is_blank(part.get("text"))
    };
    parts(content).all(|part| is_thought(part) || is_blank_text(part))
}
