//! Gemini, by its own interface and Vertex AI's. Fields: `GenerateContentRequest` and `GenerateContentResponse` of
//! `google/ai/generativelanguage/v1beta/generative_service.proto` in <https://github.com/googleapis/googleapis>.

mod stream;

use callgate_dialect::Dialect;
use callgate_tool::{Json, ToolCall, Value, json};
use serde::Deserialize;
use serde_json::value::RawValue;

use self::stream::PartialReply;
use super::{
    Ask, Body, Format, Reply, ReplyFault, Rules, Stop,
    amend::ensure_object_member,
    answered_call_id,
    body::joined_json_items,
    fault::{NO_GOOD, bad_ending_fault},
    form::ResultForm,
    is_blank, joined_texts, list_items,
    media::{FileForm, Files, PDF},
    path_segment,
    pieces::{decoded_file, text_at},
    stream::{EventParts as _, EventStream, Events, unreadable_event},
    unreadable_reply,
};
use crate::{
    choice::Choice,
    usage::{Tokens, Usage},
};

/// The row of the format.
pub(super) const FORMAT: Format = Format {
    dialect: Dialect::Gemini,
    provider: "gcp.gemini",
    path: |model| format!("{}:generateContent", model_path(model)),
    reserved_members: &["contents", "systemInstruction", "toolConfig", "tools"],
    body: request_body,
    read_reply,
    stream: |_| Box::<EventStream<PartialReply>>::default(),
    // `google.rpc.Code`, and reasons for which a reply was no good: another one may be.
    transient_errors: &[
        "DEADLINE_EXCEEDED",
        "INTERNAL",
        NO_GOOD,
        "RESOURCE_EXHAUSTED",
        "UNAVAILABLE",
    ],
    text: |text| json!({"text": text}),
    is_empty,
    answers: |part| Some(answered_call_id(part.get("functionResponse")?, "id")),
    id_member: None,
    call_pointer: |part| {
        let named = |name: &str, pointer| part.get(name).map(|_| pointer);
        named("functionCall", "/functionCall").or_else(|| named("function_call", "/function_call"))
    },
    amend_arguments: |call, unreadable| {
        let has_arguments = call.get("args").is_some_and(|args| !args.is_null());
        has_arguments && ensure_object_member(call, "args", unreadable)
    },
    call: call_part,
    result_piece,
    file: |part| {
        decoded_file(
            text_at(part, "/inlineData/mimeType")?,
            text_at(part, "/inlineData/data")?,
            None,
        )
    },
    files: &[IMAGES, PDF, OTHERS],
    file_part: |file, _| json!({"inlineData": {"mimeType": &*file.media_type, "data": file.base64_data()}}),
    rules: Rules {
        stream_path: Some(|model| format!("{}:streamGenerateContent?alt=sse", model_path(model))),
        whole_reply: Some(read_whole_reply),
        content: "parts",
        role: "model",
        answer_role: Some("function"),
        parts: Some("parts"),
        list_of_calls: Some("parts"),
        has_plain_words: false,
        answer_pointer: "/functionResponse/response",
        answer_id_pointer: "/functionResponse/id",
        result_form: ResultForm::Object,
        amend_message: |message| {
            let content = message.as_object_mut().filter(|content| !content.contains_key("role"));
            content.map(|content| content.insert("role", "model".into())).is_some()
        },
        ..Rules::USUAL
    },
};

/// The path of a model. Google lists its models with their collection: `models/NAME`, `tunedModels/NAME`.
fn model_path(model: &str) -> String {
    let (collection, name) = match model.split_once('/') {
        Some((collection @ ("models" | "tunedModels"), name)) => (collection, name),
        _ => ("models", model),
    };
    format!("/{collection}/{}", path_segment(name))
}

fn request_body(ask: &Ask<'_>) -> String {
    let mut body = Body::new(ask);
    if !ask.instructions.is_empty() {
        body =
            body.with_member("systemInstruction", json!({"parts": [{"text": ask.instructions}]}));
    }
    body = body.with_list("contents", ask.messages.iter().map(Json::text));
    if ask.tools.is_empty() {
        return body.into_text(ask.settings);
    }
    let choice = match ask.choice {
        Choice::Auto => json!({"mode": "AUTO"}),
        Choice::None => json!({"mode": "NONE"}),
        Choice::Required => json!({"mode": "ANY"}),
        Choice::Tool(name) => json!({"mode": "ANY", "allowedFunctionNames": [&**name]}),
    };
    let tools = format!(r#"[{{"functionDeclarations":[{}]}}]"#, joined_json_items(ask.tools));
    let choice = json!({"functionCallingConfig": choice});
    body.with_member("tools", tools).with_member("toolConfig", choice).into_text(ask.settings)
}

fn read_reply(text: &str) -> Result<Reply, ReplyFault> {
    let response: Response<'_> =
        serde_json::from_str(text).map_err(|error| unreadable_reply(&error))?;
    let used = response.usage_metadata.unwrap_or_default();
    let output = used.candidates_token_count.get().saturating_add(used.thoughts_token_count.get());
    let usage = Usage { input: used.prompt_token_count.get(), output };
    let Some(first) = response.candidates.first() else {
        let reason = response.prompt_feedback.and_then(|feedback| feedback.block_reason);
        let reason = reason.ok_or("the reply of the model has no `candidates`")?;
        let (messages, text, stop) = (Vec::new(), String::new(), Stop::refused_with(&reason));
        return Ok(Reply { messages, text, stop, usage, is_empty: true });
    };
    let said = first.finish_message.and_then(|said| Value::parse(said.get()).ok());
    let said = said.as_ref().and_then(Value::as_str).unwrap_or_default();
    let stop = Stop::with_explanation(read_stop(first.finish_reason.as_deref()), said)?;
    let Some(content) = first.content else {
        let (messages, text) = (Vec::new(), String::new());
        return Ok(Reply { messages, text, stop, usage, is_empty: true });
    };
    let content = Json::parse(content.get()).map_err(|error| error.to_string())?;
    let words = list_items(content.value(), "parts").filter(|part| !is_thought(part));
    let text = joined_texts(words.filter_map(|part| part.get("text")));
    let is_empty = is_empty(content.value());
    Ok(Reply { messages: vec![content], text, stop, usage, is_empty })
}

fn read_stop(reason: Option<&str>) -> Result<Stop, ReplyFault> {
    match reason {
        None | Some("FINISH_REASON_UNSPECIFIED" | "STOP") => Ok(Stop::Done),
        Some(reason @ "OTHER") => Err(bad_ending_fault(reason)),
        // Whatever else Gemini says is no good end.
        Some(reason) => match Stop::read(reason)? {
            Stop::Done => Ok(Stop::refused_with(reason)),
            stop => Ok(stop),
        },
    }
}

/// Whom it does not stream events it answers with a list of responses. A proxy may leave the pieces of a stream in one.
fn read_whole_reply(text: &str) -> Result<Reply, ReplyFault> {
    let responses: Vec<&RawValue> = if text.trim_start().starts_with('[') {
        serde_json::from_str(text).map_err(unreadable_event)?
    } else if MEMBERS_OF_PIECES.iter().any(|name| text.contains(name)) {
        vec![serde_json::from_str(text).map_err(|error| unreadable_reply(&error))?]
    } else {
        return FORMAT.parse_reply(text);
    };
    let mut parts = PartialReply::default();
    for response in responses {
        parts.add_event(response.get())?;
    }
    let whole = parts.finished_reply_body(&Events::default());
    FORMAT.parse_reply(&whole.ok_or("the reply of the model ended before it was whole")?)
}

fn is_empty(content: &Value) -> bool {
    // A part is its text, or has another member that says what it is.
    let is_blank_text = |part: &Value| {
        let is_other = part.as_object().is_some_and(|part| {
            part.keys().any(|name| !matches!(&**name, "text" | "thought" | "thoughtSignature"))
        });
        !is_other && is_blank(part.get("text"))
    };
    list_items(content, "parts").all(|part| is_thought(part) || is_blank_text(part))
}

fn call_part(id: &str, call: &ToolCall, at: usize) -> Value {
    let function = json!({"id": id, "name": call.tool, "args": call.arguments});
    // The first call of a message is signed.
    if at == 0 {
        return json!({"functionCall": function, "thoughtSignature": UNSIGNED});
    }
    json!({"functionCall": function})
}

fn result_piece(id: &str, tool: &str, text: &str) -> Value {
    // A response has to be an object.
    let response = Value::parse(text).ok().filter(Value::is_object);
    let response = response.unwrap_or_else(|| json!({"output": text}));
    json!({"functionResponse": {"id": id, "name": tool, "response": response}})
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
    #[serde(borrow, default)]
    finish_message: Option<&'r RawValue>,
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

fn is_thought(part: &Value) -> bool {
    part.get("thought").and_then(Value::as_bool).unwrap_or_default()
}

const IMAGES: Files = &[
    ("image/heic", FileForm::Image("heic")),
    ("image/heif", FileForm::Image("heif")),
    ("image/jpeg", FileForm::Image("jpeg")),
    ("image/png", FileForm::Image("png")),
    ("image/webp", FileForm::Image("webp")),
];
const OTHERS: Files = &[
    ("text/*", FileForm::Document("txt")),
    ("application/json", FileForm::Text),
    ("audio/*", FileForm::Audio("")),
    ("video/*", FileForm::Audio("")),
];
/// The members of a call whose arguments come in pieces. Quotes in words have a backslash before them.
const MEMBERS_OF_PIECES: [&str; 4] =
    [r#""partialArgs""#, r#""partial_args""#, r#""willContinue""#, r#""will_continue""#];
/// Stands for the signature of a call of another model, by Gemini's own page about thought signatures.
const UNSIGNED: &str = "skip_thought_signature_validator";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_named_as_google_lists_it_or_by_one_segment_of_the_path() {
        for (model, expected) in [
            ("gemini-2.5-flash", "/models/gemini-2.5-flash"),
            ("models/gemini-2.5-flash", "/models/gemini-2.5-flash"),
            ("tunedModels/mine-1", "/tunedModels/mine-1"),
            ("gemini-1.0-pro@001", "/models/gemini-1.0-pro@001"),
            ("proxy/gemini?x#y", "/models/proxy%2Fgemini%3Fx%23y"),
        ] {
            assert_eq!((FORMAT.path)(model), format!("{expected}:generateContent"));
            let path = format!("{expected}:streamGenerateContent?alt=sse");
            assert_eq!((FORMAT.rules.stream_path.unwrap())(model), path);
        }
    }
}
