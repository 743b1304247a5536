//! A reply as the events in which a provider streams it.

use callgate_dialect::Dialect;
use callgate_tool::{Value, json};

/// The data of each event.
pub(super) fn events(dialect: Dialect, body: &str) -> Vec<String> {
    let reply = Value::parse(body).unwrap();
    match dialect {
        Dialect::Anthropic => anthropic(&reply),
        Dialect::Gemini => gemini(&reply),
        Dialect::OpenAi => openai(&reply),
        Dialect::Responses => responses(&reply, body),
        other => panic!("{other} is not streamed as text"),
    }
}

fn responses(reply: &Value, body: &str) -> Vec<String> {
    let items = reply["output"].as_array().unwrap().iter();
    let texts = items.filter_map(|item| item.get("content")?.get(0)?.get("text"));
    let deltas =
        texts.map(|text| json!({"type": "response.output_text.delta", "delta": text.clone()}));
    let mut events = vec![r#"{"type":"response.created","response":{}}"#.to_owned()];
    events.extend(deltas.map(|delta| delta.to_string()));
    events.push(format!(r#"{{"type":"response.completed","response":{body}}}"#));
    events
}

fn anthropic(reply: &Value) -> Vec<String> {
    let mut events =
        vec![json!({"type": "message_start", "message": {"usage": reply["usage"].clone()}})];
    for (index, block) in reply["content"].as_array().unwrap().iter().enumerate() {
        let mut start = block.clone();
        let mut deltas = Vec::new();
        for (member, kind) in [
            ("text", "text_delta"),
            ("thinking", "thinking_delta"),
            ("signature", "signature_delta"),
        ] {
            if let Some(text) = block.get(member).and_then(Value::as_str) {
                start[member] = "".into();
                deltas.push(json!({"type": kind, (member): text}));
            }
        }
        if let Some(input) = block.get("input") {
            start["input"] = json!({});
            let text = input.to_string();
            let (first, second) = text.split_at(text.len() / 2);
            deltas.extend(
                [first, second]
                    .map(|part| json!({"type": "input_json_delta", "partial_json": part})),
            );
        }
        events.push(json!({"type": "content_block_start", "index": index, "content_block": start}));
        events.extend(
            deltas.into_iter().map(
                |delta| json!({"type": "content_block_delta", "index": index, "delta": delta}),
            ),
        );
        events.push(json!({"type": "content_block_stop", "index": index}));
    }
    events.push(
        json!({"type": "message_delta", "delta": {"stop_reason": reply["stop_reason"].clone()}}),
    );
    events.push(json!({"type": "message_stop"}));
    events.iter().map(ToString::to_string).collect()
}

fn gemini(reply: &Value) -> Vec<String> {
    let candidate = &reply["candidates"][0];
    let parts = candidate["content"]["parts"].as_array().unwrap().iter();
    let mut events: Vec<Value> = parts
        .map(
            |part| json!({"candidates": [{"content": {"role": "model", "parts": [part.clone()]}}]}),
        )
        .collect();
    events.push(json!({"candidates": [{"finishReason": candidate["finishReason"].clone()}], "usageMetadata": reply["usageMetadata"].clone()}));
    events.iter().map(ToString::to_string).collect()
}

fn openai(reply: &Value) -> Vec<String> {
    let choice = &reply["choices"][0];
    let mut message = choice["message"].clone();
    let calls = message.as_object_mut().unwrap().remove("tool_calls").unwrap_or_default();
    let mut deltas = vec![message];
    for (index, call) in calls.as_array().into_iter().flatten().enumerate() {
        let mut first = call.clone();
        first["index"] = json!(index);
        let arguments = call["function"]["arguments"].as_str().unwrap().to_owned();
        first["function"]["arguments"] = "".into();
        deltas.push(json!({"tool_calls": [first]}));
        deltas
            .push(json!({"tool_calls": [{"index": index, "function": {"arguments": arguments}}]}));
    }
    let mut events: Vec<Value> = deltas
        .into_iter()
        .map(|delta| json!({"choices": [{"index": 0, "delta": delta}]}))
        .collect();
    events.push(json!({"choices": [{"delta": {}, "finish_reason": choice["finish_reason"].clone()}], "usage": reply["usage"].clone()}));
    events.iter().map(ToString::to_string).collect()
}
