//! A reply as the events in which a provider streams it.

use callgate_dialect::Dialect;
use callgate_tool::{Value, json};

use super::Failing;

/// The bytes of each event.
pub(super) fn events(dialect: Dialect, body: &str) -> Vec<Vec<u8>> {
    let reply = Value::parse(body).unwrap();
    let events = match dialect {
        Dialect::Anthropic => anthropic(&reply),
        Dialect::Bedrock => return bedrock(&reply),
        Dialect::Gemini => gemini(&reply),
        Dialect::OpenAi => openai(&reply),
        Dialect::Responses => responses(&reply, body),
        other => panic!("no provider speaks {other}"),
    };
    events.iter().map(|data| format!("data: {data}\n\n").into_bytes()).collect()
}

/// The event of an error.
pub(super) fn error(dialect: Dialect, failing: Failing) -> Vec<u8> {
    let is_now = failing == Failing::ForNow;
    let one = |now: &'static str, good: &'static str| if is_now { now } else { good };
    let message = "Said by the provider.";
    let event = match dialect {
        Dialect::Anthropic => {
            let kind = one("overloaded_error", "invalid_request_error");
            json!({"type": "error", "error": {"type": kind, "message": message}})
        }
        Dialect::Bedrock => {
            let name = one("throttlingException", "validationException");
            return frame("exception", name, &json!({"message": message}).to_string());
        }
        Dialect::Gemini => {
            let (code, status) =
                if is_now { (503, "UNAVAILABLE") } else { (400, "INVALID_ARGUMENT") };
            json!({"error": {"code": code, "status": status, "message": message}})
        }
        Dialect::OpenAi => {
            let kind = one("server_error", "invalid_request_error");
            json!({"error": {"type": kind, "code": Value::Null, "message": message}})
        }
        Dialect::Responses => {
            let error =
                json!({"code": one("rate_limit_exceeded", "invalid_prompt"), "message": message});
            json!({"type": "response.failed", "response": {"status": "failed", "output": [], "error": error}})
        }
        other => panic!("no provider speaks {other}"),
    };
    format!("data: {event}\n\n").into_bytes()
}

fn bedrock(reply: &Value) -> Vec<Vec<u8>> {
    let mut events = vec![("messageStart", json!({"role": "assistant"}))];
    let blocks = reply["output"]["message"]["content"].as_array().unwrap();
    for (index, block) in blocks.iter().enumerate() {
        let mut deltas = Vec::new();
        if let Some(call) = block.get("toolUse") {
            let start = json!({"toolUse": {"toolUseId": call["toolUseId"].clone(), "name": call["name"].clone()}});
            let start = json!({"contentBlockIndex": index, "start": start});
            events.push(("contentBlockStart", start));
            let text = call["input"].to_string();
            let (first, second) = text.split_at(text.len() / 2);
            deltas.extend([first, second].map(|piece| json!({"toolUse": {"input": piece}})));
        }
        if let Some(text) = block.get("text") {
            deltas.push(json!({"text": text.clone()}));
        }
        if let Some(thought) = block.get("reasoningContent") {
            let thought = &thought["reasoningText"];
            deltas.extend(
                ["text", "signature"]
                    .map(|name| json!({"reasoningContent": {(name): thought[name].clone()}})),
            );
        }
        let delta = |delta| json!({"contentBlockIndex": index, "delta": delta});
        events.extend(deltas.into_iter().map(|piece| ("contentBlockDelta", delta(piece))));
        events.push(("contentBlockStop", json!({"contentBlockIndex": index})));
    }
    events.push(("messageStop", json!({"stopReason": reply["stopReason"].clone()})));
    events.push(("metadata", json!({"usage": reply["usage"].clone()})));
    events.iter().map(|(name, payload)| frame("event", name, &payload.to_string())).collect()
}

/// A binary event of Amazon.
pub(crate) fn frame(kind: &str, name: &str, payload: &str) -> Vec<u8> {
    let kind_of_name = format!(":{kind}-type");
    let headers = [(":message-type", kind), (&*kind_of_name, name)].map(|(name, value)| {
        let lengths = [name.len(), value.len()].map(|n| u8::try_from(n).unwrap());
        [&lengths[..1], name.as_bytes(), &[7, 0, lengths[1]], value.as_bytes()].concat()
    });
    let headers = headers.concat();
    let length = |n: usize| u32::try_from(n).unwrap().to_be_bytes();
    let mut bytes = [length(headers.len() + payload.len() + 16), length(headers.len())].concat();
    bytes.extend(crc32(&bytes).to_be_bytes());
    bytes.extend([&headers, payload.as_bytes()].concat());
    bytes.extend(crc32(&bytes).to_be_bytes());
    bytes
}

fn crc32(bytes: &[u8]) -> u32 {
    let mut sum = u32::MAX;
    for bit in bytes.iter().flat_map(|byte| (0..8).map(move |bit| u32::from(byte >> bit & 1))) {
        sum = if (sum ^ bit) & 1 == 1 { (sum >> 1) ^ 0xedb8_8320 } else { sum >> 1 };
    }
    !sum
}

fn responses(reply: &Value, body: &str) -> Vec<String> {
    let items = reply["output"].as_array().unwrap().iter();
    let texts = items.filter_map(|item| item.get("content")?.get(0)?.get("text"));
    let deltas =
        texts.map(|text| json!({"type": "response.output_text.delta", "delta": text.clone()}));
    let mut events = vec![r#"{"type":"response.created","response":{}}"#.to_owned()];
    events.extend(deltas.map(|delta| delta.to_string()));
    let calls =
        reply["output"].as_array().unwrap().iter().filter(|item| item["type"] == "function_call");
    events.extend(calls.map(|item| {
        json!({"type": "response.output_item.added", "item": item.clone()}).to_string()
    }));
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
