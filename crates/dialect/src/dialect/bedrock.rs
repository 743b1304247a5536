//! Amazon Bedrock Converse: `{"toolSpec": {"name", "description", "inputSchema": {"json"}}}`; calls are `toolUse` blocks,
//! answered by `toolResult` blocks of one user message, which may hold images. Bytes are in base64, as on the wire. Fields:
//! `ToolSpecification`, `ToolUseBlock` and `ToolResultBlock` of the `bedrock-runtime` model in
//! <https://github.com/boto/botocore>.

use callgate_tool::{Object, Tool, Value, json};

use crate::{
    ending::{Block, rendered_result},
    envelope::{EnvelopeError, wrong_value_error},
    format::{Format, FurtherForm, has_non_null_member},
    message::{
        AnsweredCall, MessageCall, check_role, message_items, required_list, required_object,
        take_first_non_null,
    },
    projection::{Projected, Projection},
};

/// The row of the format.
pub(super) const FORMAT: Format = Format {
    projection: Some(Projection::Bedrock),
    further_form: Some(FurtherForm::Strict(Projection::BedrockStrict, "/toolSpec")),
    message: Some(|blocks| json!({"role": "user", "content": blocks})),
    ..Format::new(declaration, read_calls, result_block, |members| {
        has_non_null_member(members, "toolUse")
    })
};

fn declaration(tool: &Tool, projected: &Projected) -> Value {
    let Projected { schema, description, .. } = projected;
    json!({"toolSpec": {
        "name": tool.name.as_str(),
        "description": description,
        "inputSchema": {"json": schema},
    }})
}

/// The calls of an assistant's message, of its content or of a whole response. Those that the provider made itself are none
/// (`server_tool_use`).
fn read_calls(message: Value) -> Result<Vec<MessageCall>, EnvelopeError> {
    let blocks = message_items(message, |mut message| {
        if let Some(output) = take_first_non_null(&mut message, &["output"]) {
            message = required_object(
                "output.message",
                output.get("message").cloned().unwrap_or_default(),
            )?;
        }
        check_role(&message, "assistant")?;
        let content = message.remove("content");
        let content =
            content.ok_or_else(|| wrong_value_error("content", "a list of blocks", None))?;
        required_list("content", content)
    })?;
    let asked = |block: Value| {
        let mut block = required_object("content", block)?;
        let Some(call) = take_first_non_null(&mut block, &["toolUse"]) else { return Ok(None) };
        let mut call = required_object("toolUse", call)?;
        if call.get("type").and_then(Value::as_str) == Some("server_tool_use") {
            return Ok(None);
        }
        let (id, name) = (
            take_first_non_null(&mut call, &["toolUseId"]),
            take_first_non_null(&mut call, &["name"]),
        );
        let arguments = call.remove("input");
        Ok(Some(MessageCall::new(id, name.as_ref(), call).with_arguments(arguments)))
    };
    blocks.into_iter().filter_map(|block| asked(block).transpose()).collect()
}

/// Writes the status only for a failed call, because not every model of Bedrock accepts one.
fn result_block(answer: &AnsweredCall<'_>) -> Value {
    let rendered = rendered_result(&answer.result, |media_type| image_format(media_type).is_some());
    let content = rendered.blocks.into_iter().filter_map(|block| match block {
        Block::Media(image) => {
            let format = image_format(&image.media_type).unwrap_or_default();
            Some(json!({"image": {"format": format, "source": {"bytes": image.data}}}))
        }
        // Text blocks must not be blank.
        Block::Text(text) if text.trim().is_empty() => None,
        Block::Text(text) => Some(json!({"text": text})),
    });
    let mut block = Object::new();
    block.insert("toolUseId", answer.result.id.as_str().into());
    block.insert("content", Value::Array(content.collect()));
    if rendered.is_failed {
        block.insert("status", "error".into());
    }
    json!({"toolResult": block})
}

fn image_format(media_type: &str) -> Option<&str> {
    let format = media_type.strip_prefix("image/")?;
    ["gif", "jpeg", "png", "webp"].contains(&format).then_some(format)
}
