//! OpenAI Responses, without state at the provider: reasoning comes encrypted and is sent again. Fields: `CreateResponse` and
//! `Response` of <https://github.com/openai/openai-openapi>.

mod stream;

use callgate_dialect::Dialect;
use callgate_tool::{Json, Value, json};
use serde::Deserialize;
use serde_json::value::RawValue;

use self::stream::PartialReply;
use super::{
    Ask, Author, Body, Format, Reply, ReplyFault, Rules, Stop,
    amend::ensure_json_text_member,
    answered_call_id, has_type,
    ids::IdRule,
    joined_texts,
    media::{FileForm, Files, IMAGES, OFFICE, PDF},
    pieces::{Piece, file_of_data_url, text_at},
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
    dialect: Dialect::Responses,
    provider: "openai",
    path: |_| "/responses".to_owned(),
    reserved_members: &[
        "conversation",
        "input",
        "instructions",
        "model",
        "previous_response_id",
        "stream",
        "tool_choice",
        "tools",
    ],
    body: request_body,
    read_reply,
    stream: |_| Box::<EventStream<PartialReply>>::default(),
    // Those of Chat Completions.
    transient_errors: &[],
    text: |text| json!({"type": "input_text", "text": text}),
    is_empty: |item| has_type(item, "reasoning"),
    answers: |part| kind(part)?.ends_with("_output").then(|| answered_call_id(part, "call_id")),
    id_member: Some("call_id"),
    call_pointer: |part| {
        (has_type(part, "custom_tool_call") || has_type(part, "function_call")).then_some("")
    },
    amend_arguments: |call, unreadable| {
        !call.contains_key("input") && ensure_json_text_member(call, "arguments", unreadable)
    },
    call: |id, call, _| {
        let arguments = Value::Object(call.arguments.clone()).to_string();
        json!({"type": "function_call", "call_id": id, "name": call.tool, "arguments": arguments})
    },
    result_piece: |id, _, text| json!({"type": "function_call_output", "call_id": id, "output": text}),
    file: |part| {
        let url = text_at(part, "/image_url").or_else(|| text_at(part, "/file_data"));
        file_of_data_url(url?, text_at(part, "/filename"))
    },
    files: &[IMAGES, PDF, OFFICE, OTHERS],
    file_part,
    rules: Rules {
        parts: None,
        has_types: true,
        item_author,
        answer_pointer: "/output",
        answer_id_pointer: "/call_id",
        ids: IdRule { is_unique: true, longest: 64, ..IdRule::ANY },
        list_of_calls: None,
        model_messages: Some(model_messages),
        item: item_piece,
        ..Rules::USUAL
    },
};

fn request_body(ask: &Ask<'_>) -> String {
    let mut body = Body::with_model_name(ask);
    if !ask.instructions.is_empty() {
        body = body.with_member("instructions", Value::from(ask.instructions));
    }
    body = body.with_list("input", ask.messages.iter().map(Json::text));
    if !ask.settings.contains_key("store") {
        body = body.with_member("store", false);
    }
    if !ask.settings.contains_key("include") {
        body = body.with_member("include", r#"["reasoning.encrypted_content"]"#);
    }
    let choice = match ask.choice {
        Choice::Auto => "auto".into(),
        Choice::None => "none".into(),
        Choice::Required => "required".into(),
        Choice::Tool(name) => json!({"type": "function", "name": &**name}),
    };
    body.with_tools(ask, choice).into_text(ask.settings)
}

fn read_reply(text: &str) -> Result<Reply, ReplyFault> {
    let response: Response<'_> =
        serde_json::from_str(text).map_err(|error| unreadable_reply(&error))?;
    let items = response.output.iter().map(|item| Json::parse(item.get()));
    let items = items.collect::<Result<Vec<_>, _>>().map_err(|error| error.to_string())?;
    let reason = response.incomplete_details.unwrap_or_default().reason.unwrap_or_default();
    let refusal = joined_texts(message_texts(&items, "refusal"));
    let status = response.status.as_deref();
    if matches!(status, Some("failed" | "cancelled")) {
        let Failure { code, message } = response.error.unwrap_or_default();
        let said = if message.is_empty() { message } else { format!(": {message}") };
        let message = format!("the provider could not end the reply{said}");
        let error = Some(json!({"code": code.unwrap_or_default()}));
        return Err(ReplyFault { message, error });
    }
    let stop = match Stop::read(&reason)? {
        Stop::Done if status == Some("incomplete") => Stop::Length,
        Stop::Done if !refusal.is_empty() => Stop::Refused(refusal),
        stop => stop,
    };
    let used = response.usage.unwrap_or_default();
    let usage = Usage { input: used.input_tokens.get(), output: used.output_tokens.get() };
    let text = joined_texts(message_texts(&items, "text"));
    let is_empty = items.iter().all(|item| has_type(item.value(), "reasoning"));
    Ok(Reply { messages: items, text, stop, usage, is_empty })
}

fn model_messages(words: Option<&str>, calls: Vec<Value>) -> Vec<Value> {
    let said = words.map(|words| json!({"type": "message", "role": "assistant", "content": words}));
    said.into_iter().chain(calls).collect()
}

fn item_piece(message: &Value) -> Option<Piece> {
    match kind(message).unwrap_or_default() {
        "" | "message" => None,
        "function_call" => Some(Piece::Call),
        _ => Some(Piece::Other),
    }
}

fn file_part(file: &FilePart<'_>, form: FileForm) -> Value {
    if let FileForm::Image(_) = form {
        return json!({"type": "input_image", "detail": "auto", "image_url": file.data_url()});
    }
    json!({"type": "input_file", "filename": file.filename_or_default(), "file_data": file.data_url()})
}

/// The author of an item without a role.
fn item_author(item: &Value) -> Option<Author> {
    match kind(item)? {
        "item_reference" => None,
        kind if kind.ends_with("_output") => Some(Author::User),
        _ => Some(Author::Model),
    }
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

/// The texts of the messages among items.
fn message_texts<'i>(items: &'i [Json], member: &'static str) -> impl Iterator<Item = &'i Value> {
    let messages = items.iter().map(Json::value).filter(|item| kind(item) == Some("message"));
    let parts = messages.filter_map(|item| item.get("content")?.as_array()).flatten();
    parts.filter_map(move |part| part.get(member))
}

fn kind(item: &Value) -> Option<&str> {
    item.get("type").and_then(Value::as_str)
}

const OTHERS: Files = &[
    (
        "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        FileForm::Document("pptx"),
    ),
    ("text/*", FileForm::Document("txt")),
    ("application/json", FileForm::Document("txt")),
];
