//! Anthropic Messages. Fields: `types/message_create_params.py` and `message.py` of
//! <https://github.com/anthropics/anthropic-sdk-python>.

mod stream;

use callgate_dialect::Dialect;
use callgate_tool::{Json, Object, StoredResult, Value, json};
use serde::Deserialize;
use serde_json::value::RawValue;

use self::stream::PartialReply;
use super::{
    Ask, Body, Format, Reply, ReplyFault, Rules, Stop,
    amend::{drop_blank_texts, ensure_object_member},
    answered_call_id, has_type,
    ids::{IdForm, IdRule},
    is_blank, joined_texts, list_items,
    media::{FileForm, IMAGES, PDF, WORDS},
    pieces::{decoded_file, stored_file, text_at},
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
    dialect: Dialect::Anthropic,
    provider: "anthropic",
    path: |_| "/messages".to_owned(),
    reserved_members: &["messages", "model", "stream", "system", "tool_choice", "tools"],
    body: request_body,
    read_reply,
    stream: |_| Box::<EventStream<PartialReply>>::default(),
    // <https://docs.anthropic.com/en/api/errors>
    transient_errors: &["api_error", "overloaded_error", "rate_limit_error", "timeout_error"],
    text: |text| json!({"type": "text", "text": text}),
    is_empty: has_only_thoughts_or_blanks,
    answers: |part| has_type(part, "tool_result").then(|| answered_call_id(part, "tool_use_id")),
    id_member: Some("id"),
    call_pointer: |part| has_type(part, "tool_use").then_some(""),
    amend_arguments: |call, unreadable| ensure_object_member(call, "input", unreadable),
    call: |id, call, _| json!({"type": "tool_use", "id": id, "name": call.tool, "input": call.arguments}),
    result_piece: |id, _, text| json!({"type": "tool_result", "tool_use_id": id, "content": text}),
    file: file_from_part,
    files: &[IMAGES, PDF, WORDS],
    file_part,
    rules: Rules {
        headers: &[("anthropic-version", "2023-06-01")],
        needs_tools: true,
        answer_id_pointer: "/tool_use_id",
        ids: IdRule { form: IdForm::Plain, is_unique: true, ..IdRule::ANY },
        amend_message: |message| drop_blank_texts(message, |block| has_type(block, "text")),
        text_file: Some(|file, words| {
            document_part(file, json!({"type": "text", "media_type": "text/plain", "data": words}))
        }),
        ..Rules::USUAL
    },
};

fn request_body(ask: &Ask<'_>) -> String {
    let mut body = Body::with_model_name(ask);
    if !ask.settings.contains_key("max_tokens") {
        body = body.with_member("max_tokens", MAX_TOKENS);
    }
    if !ask.instructions.is_empty() {
        body = body.with_member("system", Value::from(ask.instructions));
    }
    body = body.with_list("messages", ask.messages.iter().map(Json::text));
    let choice = match ask.choice {
        Choice::Auto => json!({"type": "auto"}),
        Choice::None => json!({"type": "none"}),
        Choice::Required => json!({"type": "any"}),
        Choice::Tool(name) => json!({"type": "tool", "name": &**name}),
    };
    body.with_tools(ask, choice).into_text(ask.settings)
}

fn read_reply(text: &str) -> Result<Reply, ReplyFault> {
    let message: Message<'_> =
        serde_json::from_str(text).map_err(|error| unreadable_reply(&error))?;
    let raw = format!(r#"{{"role":"assistant","content":{}}}"#, message.content.get());
    let raw = Json::parse(&raw).map_err(|error| error.to_string())?;
    let details = message.stop_details.and_then(|details| Value::parse(details.get()).ok());
    let said = details.as_ref().and_then(|details| details.get("explanation")?.as_str());
    let stop = Stop::read(message.stop_reason.as_deref().unwrap_or_default());
    let stop = Stop::with_explanation(stop, said.unwrap_or_default())?;
    let used = message.usage.unwrap_or_default();
    let input = Tokens::sum([
        used.input_tokens,
        used.cache_creation_input_tokens,
        used.cache_read_input_tokens,
    ]);
    let usage = Usage { input, output: used.output_tokens.get() };
    let text = joined_texts(
        list_items(raw.value(), "content")
            .filter(|block| has_type(block, "text"))
            .filter_map(|block| block.get("text")),
    );
    let is_empty = has_only_thoughts_or_blanks(raw.value());
    Ok(Reply { messages: vec![raw], text, stop, usage, is_empty })
}

// True for thoughts alone: the interface takes no message back that has nothing else.
fn has_only_thoughts_or_blanks(message: &Value) -> bool {
    if message.get("content").is_some_and(Value::is_string) {
        return is_blank(message.get("content"));
    }
    let is_thought = |block: &Value| {
        let kind = block.get("type").and_then(Value::as_str).unwrap_or_default();
        matches!(kind, "redacted_thinking" | "thinking")
    };
    list_items(message, "content")
        .all(|block| is_thought(block) || (has_type(block, "text") && is_blank(block.get("text"))))
}

fn file_from_part(part: &Value) -> Option<StoredResult> {
    let (data, media_type) = (text_at(part, "/source/data")?, text_at(part, "/source/media_type")?);
    let title = text_at(part, "/title");
    match text_at(part, "/source/type")? {
        "base64" => decoded_file(media_type, data, title),
        "text" => Some(stored_file(media_type, data.as_bytes().to_vec(), title)),
        _ => None,
    }
}

fn file_part(file: &FilePart<'_>, form: FileForm) -> Value {
    let source =
        json!({"type": "base64", "media_type": &*file.media_type, "data": file.base64_data()});
    if let FileForm::Image(_) = form {
        return json!({"type": "image", "source": source});
    }
    document_part(file, source)
}

#[derive(Deserialize)]
struct Message<'r> {
    #[serde(borrow)]
    content: &'r RawValue,
    #[serde(default)]
    stop_reason: Option<String>,
    #[serde(borrow, default)]
    stop_details: Option<&'r RawValue>,
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

fn document_part(file: &FilePart<'_>, source: Value) -> Value {
    let mut document = Object::from([("type", "document".into()), ("source", source)]);
    document.insert_if_some("title", file.file.filename.as_deref());
    document.into()
}

/// The interface requires a bound on the tokens of a reply.
const MAX_TOKENS: u32 = 4096;
