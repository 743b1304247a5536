//! The Model Context Protocol: `{"name", "description", "inputSchema", "annotations"}`; a call is a `tools/call` request or
//! its `params`, its answer a response or a `CallToolResult` of content blocks. No output schema is declared, because a cut
//! result would not match it. Fields: `schema/2025-11-25/schema.ts` of
//! <https://github.com/modelcontextprotocol/modelcontextprotocol>.

use callgate_tool::{Effect, Object, Tool, Value, json};

use crate::{
    ending::{Block, rendered_result},
    envelope::{EnvelopeError, wrong_value_error},
    format::{Format, has_member_with_text, has_non_null_member},
    message::{AnsweredCall, MessageCall, required_object, take_first_non_null},
    projection::{Projected, Projection},
};

/// The row of the format.
pub(super) const FORMAT: Format = Format {
    projection: Some(Projection::Portable),
    ..Format::new(declaration, read_calls, result_message, |members| {
        let is_of_params = |name: &String| matches!(&**name, "_meta" | "arguments" | "name");
        has_member_with_text(members, "method", "tools/call")
            || (has_non_null_member(members, "name") && members.keys().all(is_of_params))
    })
};

fn declaration(tool: &Tool, projected: &Projected) -> Value {
    let Projected { schema, description, .. } = projected;
    json!({
        "name": tool.name.as_str(),
        "description": description,
        "inputSchema": schema,
        "annotations": {
            "readOnlyHint": tool.effect == Effect::Read,
            "idempotentHint": tool.effect != Effect::Write,
        },
    })
}

/// The call of a request or of its params, or the calls of a list of them.
fn read_calls(message: Value) -> Result<Vec<MessageCall>, EnvelopeError> {
    match message {
        Value::Array(requests) => requests.into_iter().map(message_call).collect(),
        request => message_call(request).map(|asked| vec![asked]),
    }
}

fn message_call(request: Value) -> Result<MessageCall, EnvelopeError> {
    let mut request = required_object("message", request)?;
    let method = request.get("method");
    if method.is_some_and(|method| method.as_str() != Some("tools/call")) {
        return Err(wrong_value_error("method", "`tools/call`", method));
    }
    let mut params = match request.remove("params") {
        Some(params) => required_object("params", params)?,
        None if request.contains_key("name") => std::mem::take(&mut request),
        None => return Err(wrong_value_error("params", "an object", None)),
    };
    let (name, arguments) =
        (take_first_non_null(&mut params, &["name"]), params.remove("arguments"));
    let id = request.get("id").cloned();
    Ok(MessageCall::new(id, name.as_ref(), request).with_arguments(arguments))
}

fn result_message(answer: &AnsweredCall<'_>) -> Value {
    let rendered = rendered_result(&answer.result, |media_type| media_kind(media_type).is_some());
    let block = |block| match block {
        Block::Media(media) => {
            let kind = media_kind(&media.media_type).unwrap_or_default();
            json!({"type": kind, "data": media.data, "mimeType": media.media_type})
        }
        Block::Text(text) => json!({"type": "text", "text": text}),
    };
    let mut result = Object::new();
    result.insert("content", Value::Array(rendered.blocks.into_iter().map(block).collect()));
    if rendered.is_failed {
        result.insert("isError", true.into());
    }
    match (answer.origin.get("jsonrpc"), answer.origin.get("id")) {
        (Some(version), Some(id)) => json!({"jsonrpc": version, "id": id, "result": result}),
        _ => result.into(),
    }
}

fn media_kind(media_type: &str) -> Option<&'static str> {
    match media_type.split_once('/')?.0 {
        "audio" => Some("audio"),
        "image" => Some("image"),
        _ => None,
    }
}
