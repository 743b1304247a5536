//! Amazon Bedrock Converse. Its conversations alternate between user and assistant.
//! Fields: `ConverseRequest` and `ConverseResponse` of the `bedrock-runtime` model in <https://github.com/boto/botocore>.

mod crc32;
mod frames;
mod stream;

use std::borrow::Cow;

use callgate_dialect::Dialect;
use callgate_tool::{Json, StoredResult, Value, json};
use serde::Deserialize;
use serde_json::value::RawValue;

use self::stream::FrameStream;
use super::{
    Ask, Body, Format, Reply, ReplyFault, Rules, Stop,
    amend::{drop_blank_texts, ensure_object_member},
    answered_call_id,
    body::joined_json_items,
    form::ResultForm,
    ids::{IdForm, IdRule},
    is_blank, joined_texts, list_items,
    media::{FileForm, Files, IMAGES, OFFICE, PDF, media_type_of_format},
    path_segment,
    pieces::{decoded_file, text_at},
    unreadable_reply,
    user::FilePart,
};
use crate::{
    choice::Choice,
    usage::{Tokens, Usage},
};

/// The row of the format.
pub(super) const FORMAT: Format = Format {
    dialect: Dialect::Bedrock,
    provider: "aws.bedrock",
    path: |model| format!("/model/{}/converse", path_segment(model)),
    reserved_members: &["messages", "system", "toolConfig"],
    body: request_body,
    read_reply,
    stream: |_| Box::<FrameStream>::default(),
    // `ConverseStreamOutput` of the `bedrock-runtime` model.
    transient_errors: &[
        "internalServerException",
        "modelStreamErrorException",
        "modelTimeoutException",
        "serviceUnavailableException",
        "throttlingException",
    ],
    text: |text| json!({"text": text}),
    is_empty,
    answers: |part| Some(answered_call_id(part.get("toolResult")?, "toolUseId")),
    id_member: Some("toolUseId"),
    call_pointer: |part| {
        part.get("toolUse").filter(|call| !is_provider_call(call)).map(|_| "/toolUse")
    },
    amend_arguments: |call, unreadable| ensure_object_member(call, "input", unreadable),
    call: |id, call, _| json!({"toolUse": {"toolUseId": id, "name": call.tool, "input": call.arguments}}),
    result_piece: |id, _, text| json!({"toolResult": {"toolUseId": id, "content": [{"text": text}]}}),
    file: file_from_part,
    files: FILES,
    file_part,
    rules: Rules {
        stream_path: Some(|model| format!("/model/{}/converse-stream", path_segment(model))),
        has_plain_words: false,
        needs_tools: true,
        answer_pointer: "/toolResult/content",
        answer_id_pointer: "/toolResult/toolUseId",
        result_form: ResultForm::Parts,
        is_own_result: is_provider_result,
        // `ToolUseBlock` of Converse.
        ids: IdRule { form: IdForm::Plain, has_any_models: false, is_unique: true, longest: 64 },
        amend_message: |message| drop_blank_texts(message, |block| block.get("text").is_some()),
        // `Message` of Converse: a document needs a text beside it.
        takes_lone_documents: false,
        ..Rules::USUAL
    },
};

fn request_body(ask: &Ask<'_>) -> String {
    let mut body = Body::new(ask);
    if !ask.instructions.is_empty() {
        body = body.with_member("system", json!([{"text": ask.instructions}]));
    }
    body = body.with_list("messages", join_same_role_messages(ask.messages));
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
    let config = format!(r#"{{"tools":[{}]{choice}}}"#, joined_json_items(ask.tools));
    body.with_member("toolConfig", config).into_text(ask.settings)
}

fn read_reply(text: &str) -> Result<Reply, ReplyFault> {
    let response: Response<'_> =
        serde_json::from_str(text).map_err(|error| unreadable_reply(&error))?;
    let message = Json::parse(response.output.message.get()).map_err(|error| error.to_string())?;
    let stop = Stop::read(response.stop_reason.as_deref().unwrap_or_default())?;
    let used = response.usage.unwrap_or_default();
    // `inputTokens` has none of those that were cached.
    let input = Tokens::sum([
        used.input_tokens,
        used.cache_read_input_tokens,
        used.cache_write_input_tokens,
    ]);
    let usage = Usage { input, output: used.output_tokens.get() };
    let text = joined_texts(list_items(message.value(), "content").flat_map(block_texts));
    let is_empty = is_empty(message.value());
    Ok(Reply { messages: vec![message], text, stop, usage, is_empty })
}

/// True for a call that the provider made itself.
fn is_provider_call(call: &Value) -> bool {
    call.get("type").and_then(Value::as_str) == Some("server_tool_use")
}

/// True for the result of a call that the provider made itself: it has a type, or stands beside the call.
fn is_provider_result(blocks: &[Value], block: &Value) -> bool {
    let id = text_at(block, "/toolResult/toolUseId");
    let is_its = |other: &Value| {
        other.get("toolUse").is_some_and(is_provider_call)
            && text_at(other, "/toolUse/toolUseId") == id
    };
    block.pointer("/toolResult/type").is_some() || blocks.iter().any(is_its)
}

/// The texts of a block: its own, or those that have citations.
fn block_texts(block: &Value) -> impl Iterator<Item = &Value> {
    let cited = block.pointer("/citationsContent/content").and_then(Value::as_array);
    let cited = cited.into_iter().flatten().filter_map(|part| part.get("text"));
    block.get("text").into_iter().chain(cited)
}

fn is_empty(message: &Value) -> bool {
    let is_nothing = |block: &Value| {
        block.get("reasoningContent").is_some()
            || block.get("text").is_some_and(|text| is_blank(Some(text)))
    };
    list_items(message, "content").all(is_nothing)
}

fn file_from_part(part: &Value) -> Option<StoredResult> {
    let member = ["image", "document"].into_iter().find(|it| part.get(it).is_some())?;
    let media_type = media_type_of_format(FILES, text_at(part, &format!("/{member}/format"))?)?;
    let data = text_at(part, &format!("/{member}/source/bytes"))?;
    decoded_file(media_type, data, text_at(part, "/document/name"))
}

fn file_part(file: &FilePart<'_>, form: FileForm) -> Value {
    let source = json!({"bytes": file.base64_data()});
    if let FileForm::Image(format) = form {
        return json!({"image": {"format": format, "source": source}});
    }
    json!({"document": {"format": form.format(), "name": unique_document_name(file), "source": source}})
}

/// The messages, with neighbours of one role as one message. The others are left as they are.
fn join_same_role_messages(messages: &[Json]) -> Vec<Cow<'_, str>> {
    let groups = messages.chunk_by(|one, next| role(one) == role(next));
    let joined = |group: &[Json]| {
        let parts = group.iter().flat_map(|message| list_items(message.value(), "content"));
        let content: Vec<Value> = parts.cloned().collect();
        let role = group.first().and_then(role).unwrap_or_default();
        json!({"role": role, "content": content}).to_string()
    };
    let written = groups.map(|group| match group {
        [alone] => Cow::Borrowed(alone.text()),
        group => Cow::Owned(joined(group)),
    });
    written.collect()
}

fn role(message: &Json) -> Option<&str> {
    message.value().get("role").and_then(Value::as_str)
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

/// The name of a document of Converse: few characters, and no name twice in a conversation.
fn unique_document_name(file: &FilePart<'_>) -> String {
    let (message, part) = file.place;
    let name = file.file.filename.as_deref().unwrap_or("document");
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "()[]-".contains(c);
    let plain = name.chars().map(|c| if is_plain(c) { c } else { ' ' });
    let plain: String = plain.take(MOST_NAME).collect();
    let plain: Vec<_> = plain.split_whitespace().collect();
    format!("{} {message}-{part}", plain.join(" ")).trim_start().to_owned()
}

const FILES: &[Files] = &[IMAGES, PDF, OFFICE, TEXTS];
const TEXTS: Files = &[
    ("text/csv", FileForm::Document("csv")),
    ("text/html", FileForm::Document("html")),
    ("text/markdown", FileForm::Document("md")),
    ("text/plain", FileForm::Document("txt")),
];
/// The most characters of the name of a document, with place for what makes it unique: Converse takes 200.
const MOST_NAME: usize = 160;

#[cfg(test)]
mod tests;
