//! Gemini, by its own interface and Vertex AI's: function declarations; calls are `functionCall` parts, with or without
//! ids, answered by `functionResponse` parts of one content. Numbers beyond 2^53 are written as texts, because the format
//! is read through Protocol Buffers' `Struct`. Fields: `google/ai/generativelanguage/v1beta/content.proto` of
//! <https://github.com/googleapis/googleapis>.

use callgate_tool::{Object, Tool, Value, json};

use crate::{
    ending::{Media, ResultValue, defaults_and_notes, double_safe_result},
    envelope::{EnvelopeError, wrong_value_error},
    format::{Format, FurtherForm, has_inner_member, has_non_null_member},
    message::{
        AnsweredCall, MessageCall, check_role, message_items, required_list, required_object,
        take_first_non_null,
    },
    projection::{Projected, Projection},
};

/// The row of the format.
pub(super) const FORMAT: Format = Format {
    projection: Some(Projection::GeminiJson),
    further_form: Some(FurtherForm::Schema(Projection::GeminiSchema, schema_declaration)),
    message: Some(|parts| json!({"role": "user", "parts": parts})),
    ..Format::new(declaration, read_calls, response_part, |members| {
        has_non_null_member(members, "functionCall")
            || has_inner_member(members, "function_call", "args")
    })
};

fn declaration(tool: &Tool, projected: &Projected) -> Value {
    function_declaration("parametersJsonSchema", tool, projected)
}

fn schema_declaration(tool: &Tool, projected: &Projected) -> Value {
    function_declaration("parameters", tool, projected)
}

fn function_declaration(member: &str, tool: &Tool, projected: &Projected) -> Value {
    let Projected { schema, description, .. } = projected;
    let mut declared = Object::new();
    declared.insert("name", tool.name.as_str().into());
    declared.insert("description", description.as_str().into());
    declared.insert(member, schema.clone());
    declared.into()
}

/// The calls of a model's content, of its parts or of a whole response.
fn read_calls(message: Value) -> Result<Vec<MessageCall>, EnvelopeError> {
    let parts = message_items(message, |mut content| {
        if let Some(first) = content.get("candidates").and_then(|all| all.get(0)) {
            content =
                required_object("content", first.get("content").cloned().unwrap_or_default())?;
        }
        check_role(&content, "model")?;
        match take_first_non_null(&mut content, &["parts"]) {
            Some(parts) => required_list("parts", parts),
            None if content.contains_key("role") => Ok(Vec::new()),
            None => Err(wrong_value_error("message", "the role and the `parts` of a model", None)),
        }
    })?;
    let asked = |part: Value| {
        let mut part = required_object("parts", part)?;
        let Some(call) = take_first_non_null(&mut part, &["functionCall", "function_call"]) else {
            return Ok(None);
        };
        let mut call = required_object("functionCall", call)?;
        let arguments = take_first_non_null(&mut call, &["args"]);
        let (id, name) = (call.get("id").cloned(), call.get("name").cloned());
        Ok(Some(MessageCall::new(id, name.as_ref(), call).with_arguments(arguments)))
    };
    parts.into_iter().filter_map(|part| asked(part).transpose()).collect()
}

fn response_part(answer: &AnsweredCall<'_>) -> Value {
    let mut part = Object::new();
    // Answers to calls without an id are distinguished by their order.
    for name in ["id", "name"] {
        let value = answer.origin.get(name).filter(|value| !value.is_null());
        part.insert_if_some(name, value.cloned());
    }
    let ended = double_safe_result(&answer.result, |media_type| IMAGES.contains(&media_type));
    let (key, value, images) = match ended {
        ResultValue::Failed(error) => ("error", error, Vec::new()),
        ResultValue::Fine(value, images) => ("output", value, images),
    };
    let mut response = Object::from([(key, value)]);
    response.extend(defaults_and_notes(&answer.result));
    part.insert("response", response.into());
    if !images.is_empty() {
        let part_of = |image: Media| json!({"inlineData": {"mimeType": image.media_type, "data": image.data}});
        part.insert("parts", images.into_iter().map(part_of).collect());
    }
    json!({"functionResponse": part})
}

const IMAGES: [&str; 3] = ["image/jpeg", "image/png", "image/webp"];
