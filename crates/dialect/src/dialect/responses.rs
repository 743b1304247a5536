//! OpenAI Responses: `{"type": "function", "name", "description", "parameters", "strict"}`; calls are `function_call`
//! items, each answered by a `function_call_output` item, which may hold images. Fields: `FunctionToolParam`,
//! `FunctionToolCall` and `FunctionCallOutputItemParam` of <https://github.com/openai/openai-openapi>.

use std::collections::BTreeSet;

use callgate_tool::{Tool, Value, json};

use super::openai;
use crate::{
    ending::{self, Block, rendered_result},
    envelope::{EnvelopeError, wrong_value_error},
    format::{Format, FurtherForm, has_member_with_text},
    message::{
        AnsweredCall, MessageCall, message_items, required_list, required_object,
        take_first_non_null,
    },
    projection::{Projected, Projection},
    wording::unsupported_call_kind,
};

/// The row of the format.
pub(super) const FORMAT: Format = Format {
    projection: Some(Projection::OpenAi),
    further_form: Some(FurtherForm::Strict(Projection::OpenAiStrict, "")),
    search_tool: || Some(json!({"type": "tool_search"})),
    ..Format::new(declaration, read_calls, output_item, |members| {
        has_member_with_text(members, "type", "function_call")
            || has_member_with_text(members, "type", CUSTOM)
    })
};

fn declaration(tool: &Tool, projected: &Projected) -> Value {
    let Projected { schema, description, .. } = projected;
    json!({
        "type": "function",
        "name": tool.name.as_str(),
        "description": (&*openai::bounded_description(description)),
        "parameters": schema,
        "strict": false,
    })
}

/// The calls among the items of a response, or of the next request, where calls with an output are already answered.
fn read_calls(message: Value) -> Result<Vec<MessageCall>, EnvelopeError> {
    let items = message_items(message, |mut message| {
        match take_first_non_null(&mut message, &["output"]) {
            Some(items) => required_list("output", items),
            None if message.contains_key("type") => Ok(vec![message.into()]),
            None => Err(wrong_value_error("output", "a list of items", None)),
        }
    })?;
    let kind = |item: &Value| item.get("type").and_then(Value::as_str).map(str::to_owned);
    let outputs =
        items.iter().filter(|item| kind(item).is_some_and(|kind| kind.ends_with("_output")));
    let answered: BTreeSet<String> =
        outputs.filter_map(|item| item.get("call_id")?.as_str().map(str::to_owned)).collect();
    let asked = |item: Value| {
        let kind = kind(&item);
        let mut item = required_object("output", item)?;
        let fault = match kind.as_deref() {
            Some("function_call") => None,
            Some(CUSTOM) => Some(unsupported_call_kind("custom")),
            _ => return Ok(None),
        };
        let id = take_first_non_null(&mut item, &["call_id", "id"]);
        if id.as_ref().and_then(Value::as_str).is_some_and(|id| answered.contains(id)) {
            return Ok(None);
        }
        let (name, arguments) =
            (take_first_non_null(&mut item, &["name"]), item.remove("arguments"));
        item.remove("input");
        let mut asked = MessageCall::new(id, name.as_ref(), item).with_arguments(arguments);
        // A toolset may be declared as a namespace.
        if let Some(namespace) = asked.origin.get("namespace").and_then(Value::as_str) {
            let whole: Vec<_> =
                asked.names.iter().map(|name| format!("{namespace}-{name}")).collect();
            asked.names.splice(0..0, whole);
            asked.is_indirect = true;
        }
        Ok(Some(MessageCall { fault, ..asked }))
    };
    items.into_iter().filter_map(|item| asked(item).transpose()).collect()
}

fn output_item(answer: &AnsweredCall<'_>) -> Value {
    let rendered = rendered_result(&answer.result, |media_type| IMAGES.contains(&media_type));
    let kind = match answer.origin.get("type").and_then(Value::as_str) {
        Some(CUSTOM) => "custom_tool_call_output",
        _ => "function_call_output",
    };
    let block = |block| match block {
        Block::Media(image) => {
            let url = format!("data:{};base64,{}", image.media_type, image.data);
            json!({"type": "input_image", "image_url": url})
        }
        Block::Text(text) => json!({"type": "input_text", "text": text}),
    };
    let output = if rendered.has_media() {
        Value::Array(rendered.blocks.into_iter().map(block).collect())
    } else {
        ending::outcome_text(&answer.result).into()
    };
    json!({"type": kind, "call_id": answer.result.id, "output": output})
}

const CUSTOM: &str = "custom_tool_call";
const IMAGES: [&str; 4] = ["image/gif", "image/jpeg", "image/png", "image/webp"];
