//! OpenAI Chat Completions, also of Ollama, vLLM and llama.cpp. Fields: `CreateChatCompletionRequest` and
//! `CreateChatCompletionResponse` of <https://github.com/openai/openai-openapi>.

mod stream;

use std::iter;

use callgate_dialect::Dialect;
use callgate_tool::{Json, Object, StoredResult, Value, json};
use serde::Deserialize;
use serde_json::value::RawValue;

use self::stream::PartialReply;
use super::{
    Ask, Body, Format, Reply, ReplyFault, Rules, Stop,
    amend::{Unreadable, ensure_json_text_member},
    answered_call_id,
    form::ResultForm,
    has_type,
    ids::IdRule,
    is_blank, joined_texts, list_items,
    media::{FileForm, Files, IMAGES, PDF, WORDS, media_type_of_format},
    pieces::{decoded_file, file_of_data_url, text_at},
    stream::EventStream,
    unreadable_reply,
    user::FilePart,
};
use crate::{
    choice::Choice,
    usage::{Tokens, Usage},
};

/// The row of the format.
pub(super) const FORMAT: Format = Format {
    dialect: Dialect::OpenAi,
    provider: "openai",
    path: |_| "/chat/completions".to_owned(),
    reserved_members: &["messages", "model", "n", "stream", "tool_choice", "tools"],
    body: request_body,
    read_reply,
    stream: |tools| {
        let names = tools.iter().filter_map(|tool| text_at(tool.value(), "/function/name"));
        Box::new(EventStream::of_parts(PartialReply::with_names(names)))
    },
    // `ResponseErrorCode` and the types of errors of its servers and those like them.
    transient_errors: &[
        "Throttling.AllocationQuota",
        "Throttling.RateQuota",
        "engine_overloaded_error",
        "internal_server_error",
        "limit_requests",
        "overloaded",
        "rate_limit_exceeded",
        "server_error",
        "server_is_overloaded",
        "service_unavailable",
        "too_many_requests",
        // Groq's, for a call that is no good: another one may be.
        "tool_use_failed",
    ],
    text: |text| json!({"type": "text", "text": text}),
    is_empty,
    answers: |part| {
        (part.get("role")?.as_str()? == "tool").then(|| answered_call_id(part, "tool_call_id"))
    },
    id_member: Some("id"),
    call_pointer: |_| Some(""),
    amend_arguments,
    call: |id, call, _| {
        let arguments = Value::Object(call.arguments.clone()).to_string();
        let function = json!({"name": call.tool, "arguments": arguments});
        json!({"id": id, "type": "function", "function": function})
    },
    result_piece: |id, _, text| json!({"role": "tool", "tool_call_id": id, "content": text}),
    file: file_from_part,
    files: &[IMAGES, PDF, SOUNDS, WORDS],
    file_part,
    rules: Rules {
        parts: None,
        answer_role: Some("tool"),
        answer_id_pointer: "/tool_call_id",
        result_form: ResultForm::Text,
        // OpenAI's own limit. Some servers number the calls of each message alike, and know them by that; some models have a rule of
        // their own.
        ids: IdRule { longest: 40, ..IdRule::ANY },
        list_of_calls: Some("tool_calls"),
        amend_message,
        model_messages: Some(model_messages),
        ..Rules::USUAL
    },
};

fn request_body(ask: &Ask<'_>) -> String {
    let system = json!({"role": "system", "content": ask.instructions}).to_string();
    let system = Some(&*system).filter(|_| !ask.instructions.is_empty());
    let messages = system.into_iter().chain(ask.messages.iter().map(Json::text));
    let body = Body::with_model_name(ask).with_list("messages", messages);
    let counts = ask.is_streamed && !ask.settings.contains_key("stream_options");
    let body =
        if counts { body.with_member("stream_options", r#"{"include_usage":true}"#) } else { body };
    let choice = match ask.choice {
        Choice::Auto => "auto".into(),
        Choice::None => "none".into(),
        Choice::Required => "required".into(),
        Choice::Tool(name) => json!({"type": "function", "function": {"name": &**name}}),
    };
    body.with_tools(ask, choice).into_text(ask.settings)
}

fn read_reply(text: &str) -> Result<Reply, ReplyFault> {
    let completion: Completion<'_> =
        serde_json::from_str(text).map_err(|error| unreadable_reply(&error))?;
    let first = completion.choices.first();
    let first = first.ok_or(NO_CHOICES)?;
    let stop = Stop::read(first.finish_reason.as_deref().unwrap_or_default())?;
    let message = joined_message(&completion.choices)?;
    let refusal = message.value().get("refusal").and_then(Value::as_str);
    let refusal = refusal.filter(|said| !said.is_empty());
    let stop = refusal.map_or(stop, |said| Stop::Refused(said.to_owned()));
    let used = completion.usage.unwrap_or_default();
    let usage = Usage {
        input: used.prompt_tokens.get().max(used.input_tokens.get()),
        output: used.completion_tokens.get().max(used.output_tokens.get()),
    };
    let (text, is_empty) = (message_text(message.value()), is_empty(message.value()));
    Ok(Reply { text, is_empty, messages: vec![message], stop, usage })
}

/// The message of a reply. Nobody asks for several replies: Copilot gives the words and each call of one a choice of its own.
fn joined_message(choices: &[Chosen<'_>]) -> Result<Json, ReplyFault> {
    let read = choices.iter().map(|choice| Json::parse(choice.message.get()));
    let read = read.collect::<Result<Vec<_>, _>>().map_err(|error| error.to_string())?;
    let mut messages = read.into_iter();
    let first = messages.next().ok_or(NO_CHOICES)?;
    let others = messages.as_slice();
    let further = others.iter().flat_map(|message| list_items(message.value(), "tool_calls"));
    let further: Vec<_> = further.cloned().collect();
    let mut joined = first.value().clone();
    let Some(members) = joined.as_object_mut().filter(|_| !further.is_empty()) else {
        return Ok(first);
    };
    let calls = list_items(first.value(), "tool_calls").cloned().chain(further).collect();
    members.insert("tool_calls", Value::Array(calls));
    let mut all = iter::once(&first).chain(others).map(Json::value);
    let spoken = all.find(|message| !message_text(message).trim().is_empty());
    let content = spoken.and_then(|message| message.get("content"));
    members.insert_if_some("content", content.cloned());
    Ok(joined.into())
}

fn is_empty(message: &Value) -> bool {
    let calls = message.get("tool_calls").and_then(Value::as_array);
    calls.is_none_or(Vec::is_empty)
        && !message.get("function_call").is_some_and(Value::is_object)
        && message_text(message).trim().is_empty()
        && is_blank(message.get("refusal"))
}

fn amend_arguments(call: &mut Object, unreadable: Unreadable) -> bool {
    let kind = call.get("type").and_then(Value::as_str).unwrap_or_default();
    let is_untyped = kind.is_empty() && call.contains_key("function");
    if is_untyped {
        call.insert("type", "function".into());
    }
    let function = call.get_mut("function").and_then(Value::as_object_mut);
    function.is_some_and(|function| ensure_json_text_member(function, "arguments", unreadable))
        || is_untyped
}

fn amend_message(message: &mut Value) -> bool {
    let Some(members) = message.as_object_mut() else { return false };
    let are_none = |calls: &Value| calls.is_null() || calls.as_array().is_some_and(Vec::is_empty);
    let had_none = members.get("tool_calls").is_some_and(are_none);
    if had_none {
        members.remove("tool_calls");
    }
    // A list of nothing is no content.
    let are_blank = |parts: &Vec<Value>| {
        parts.iter().all(|part| part.get("text").is_some_and(|text| is_blank(Some(text))))
    };
    let is_blank_list = members.get("content").and_then(Value::as_array).is_some_and(are_blank);
    if is_blank_list {
        members.insert("content", Value::Null);
    }
    list_the_only_call(members) || had_none || is_blank_list
}

fn model_messages(words: Option<&str>, calls: Vec<Value>) -> Vec<Value> {
    let content = words.map_or(Value::Null, Value::from);
    let mut message = Object::from([("role", "assistant".into()), ("content", content)]);
    message.insert_unless_empty("tool_calls", calls);
    vec![message.into()]
}

fn file_from_part(part: &Value) -> Option<StoredResult> {
    if has_type(part, "input_audio") {
        let media_type = media_type_of_format(&[SOUNDS], text_at(part, "/input_audio/format")?)?;
        return decoded_file(media_type, text_at(part, "/input_audio/data")?, None);
    }
    let url = text_at(part, "/image_url/url").or_else(|| text_at(part, "/file/file_data"));
    file_of_data_url(url?, text_at(part, "/file/filename"))
}

fn file_part(file: &FilePart<'_>, form: FileForm) -> Value {
    match form {
        FileForm::Audio(format) => {
            json!({"type": "input_audio", "input_audio": {"data": file.base64_data(), "format": format}})
        }
        FileForm::Image(_) => json!({"type": "image_url", "image_url": {"url": file.data_url()}}),
        FileForm::Document(_) | FileForm::Text => {
            json!({"type": "file", "file": {"filename": file.filename_or_default(), "file_data": file.data_url()}})
        }
    }
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
#[expect(clippy::struct_field_names, reason = "the names are the provider's")]
struct Used {
    prompt_tokens: Tokens,
    completion_tokens: Tokens,
    // The names of Responses, which servers such as mlx-vlm write here too.
    input_tokens: Tokens,
    output_tokens: Tokens,
}

fn message_text(message: &Value) -> String {
    match message.get("content") {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => joined_texts(parts.iter().filter_map(|part| part.get("text"))),
        _ => String::new(),
    }
}

/// Makes the only call of a message of OpenAI's first format a list of calls. Returns true if there was one.
fn list_the_only_call(members: &mut Object) -> bool {
    if members.contains_key("tool_calls")
        || !members.get("function_call").is_some_and(Value::is_object)
    {
        return false;
    }
    let function = members.remove("function_call").unwrap_or_default();
    members.insert("tool_calls", json!([{"type": "function", "function": function}]));
    true
}

const NO_CHOICES: &str = "the reply of the model has no `choices`";
const SOUNDS: Files =
    &[("audio/mpeg", FileForm::Audio("mp3")), ("audio/wav", FileForm::Audio("wav"))];
