//! Anthropic Messages: `{"name", "description", "input_schema"}`; calls are `tool_use` blocks, answered by `tool_result`
//! blocks of one user message, which may hold images. Fields: `types/tool_param.py`, `tool_use_block.py` and
//! `tool_result_block_param.py` of <https://github.com/anthropics/anthropic-sdk-python>.

use callgate_tool::{Object, Tool, Value, json};

use crate::{
    ending::{Block, rendered_result},
    envelope::{EnvelopeError, wrong_value_error},
    format::{Format, FurtherForm, has_member_with_text},
    message::{
        AnsweredCall, MessageCall, check_role, message_items, required_list, required_object,
        take_first_non_null,
    },
    projection::{Projected, Projection},
};

/// The row of the format.
pub(super) const FORMAT: Format = Format {
    projection: Some(Projection::Anthropic),
    further_form: Some(FurtherForm::Strict(Projection::AnthropicStrict, "")),
    search_tool: || {
        Some(json!({"type": "tool_search_tool_bm25_20251119", "name": "tool_search_tool_bm25"}))
    },
    message: Some(|blocks| json!({"role": "user", "content": blocks})),
    ..Format::new(declaration, read_calls, result_block, |members| {
        has_member_with_text(members, "type", "tool_use")
    })
};

fn declaration(tool: &Tool, projected: &Projected) -> Value {
    let Projected { schema, description, .. } = projected;
    json!({
        "name": tool.name.as_str(),
        "description": description,
        "input_schema": schema,
    })
}

/// The calls of an assistant's message, or of its content. Anthropic itself answers the calls that it runs
/// (`server_tool_use`).
fn read_calls(message: Value) -> Result<Vec<MessageCall>, EnvelopeError> {
    let blocks = message_items(message, |mut message| {
        check_role(&message, "assistant")?;
        match message.remove("content") {
            Some(Value::String(_)) => Ok(Vec::new()),
            Some(content) => required_list("content", content),
            None => Err(wrong_value_error("content", "a list of blocks", None)),
        }
    })?;
    let asked = |block: Value| {
        let mut block = required_object("content", block)?;
        if block.get("type").and_then(Value::as_str) != Some("tool_use") {
            return Ok(None);
        }
        let (id, name) =
            (take_first_non_null(&mut block, &["id"]), take_first_non_null(&mut block, &["name"]));
        let arguments = block.remove("input");
        Ok(Some(MessageCall::new(id, name.as_ref(), block).with_arguments(arguments)))
    };
    blocks.into_iter().filter_map(|block| asked(block).transpose()).collect()
}

fn result_block(answer: &AnsweredCall<'_>) -> Value {
    let rendered = rendered_result(&answer.result, |media_type| IMAGES.contains(&media_type));
    let is_failed = rendered.is_failed;
    // Text blocks must not be blank.
    let is_seen = |block: &Block| !matches!(block, Block::Text(text) if text.trim().is_empty());
    let mut blocks: Vec<Block> = rendered.blocks.into_iter().filter(is_seen).collect();
    let content = match &mut *blocks {
        [Block::Text(only)] => std::mem::take(only).into(),
        _ => Value::Array(blocks.into_iter().map(content_block).collect()),
    };
    let mut block = Object::new();
    block.insert("type", "tool_result".into());
    block.insert("tool_use_id", answer.result.id.as_str().into());
    if is_failed {
        block.insert("is_error", true.into());
    }
    block.insert("content", content);
    block.into()
}

fn content_block(block: Block) -> Value {
    match block {
        Block::Media(image) => {
            let source =
                json!({"type": "base64", "media_type": image.media_type, "data": image.data});
            json!({"type": "image", "source": source})
        }
        Block::Text(text) => json!({"type": "text", "text": text}),
    }
}

const IMAGES: [&str; 4] = ["image/gif", "image/jpeg", "image/png", "image/webp"];
