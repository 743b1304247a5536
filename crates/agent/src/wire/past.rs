//! Messages of a conversation that was one of another dialect: what a model said, and the results of its calls.

use callgate_tool::{ToolCall, Value, json};

use super::Wire;

/// The messages of a model with words and calls, each call with its id; none if it said nothing.
pub(crate) fn model_messages(wire: Wire, words: &str, calls: &[(String, ToolCall)]) -> Vec<Value> {
    let words = Some(words).filter(|words| !words.trim().is_empty());
    if words.is_none() && calls.is_empty() {
        return Vec::new();
    }
    let written = calls.iter().enumerate();
    let written = written.map(|(at, (id, call))| written_call(wire, id, call, at));
    let said = words.unwrap_or_default();
    let parts =
        |text: Value| -> Value { words.map(|_| text).into_iter().chain(written.clone()).collect() };
    match wire {
        Wire::Anthropic => {
            let content = parts(json!({"type": "text", "text": said}));
            vec![json!({"role": "assistant", "content": content})]
        }
        Wire::Bedrock => {
            vec![json!({"role": "assistant", "content": parts(json!({"text": said}))})]
        }
        Wire::Gemini => vec![json!({"role": "model", "parts": parts(json!({"text": said}))})],
        Wire::OpenAi => {
            let mut message =
                json!({"role": "assistant", "content": words.map_or(Value::Null, Value::from)});
            if let Some(members) = message.as_object_mut().filter(|_| !calls.is_empty()) {
                members.insert("tool_calls", written.collect());
            }
            vec![message]
        }
        Wire::Responses => {
            let said = words
                .map(|words| json!({"type": "message", "role": "assistant", "content": words}));
            said.into_iter().chain(written).collect()
        }
    }
}

fn written_call(wire: Wire, id: &str, call: &ToolCall, at: usize) -> Value {
    let (name, input) = (&*call.tool, Value::Object(call.arguments.clone()));
    match wire {
        Wire::Anthropic => json!({"type": "tool_use", "id": id, "name": name, "input": input}),
        Wire::Bedrock => json!({"toolUse": {"toolUseId": id, "name": name, "input": input}}),
        Wire::Gemini => {
            let function = json!({"id": id, "name": name, "args": input});
            // The first call of a message is signed.
            if at == 0 {
                return json!({"functionCall": function, "thoughtSignature": UNSIGNED});
            }
            json!({"functionCall": function})
        }
        Wire::OpenAi => {
            let function = json!({"name": name, "arguments": input.to_string()});
            json!({"id": id, "type": "function", "function": function})
        }
        Wire::Responses => {
            let arguments = input.to_string();
            json!({"type": "function_call", "call_id": id, "name": name, "arguments": arguments})
        }
    }
}

/// The result of a call of this id and tool, in words.
pub(crate) fn result_piece(wire: Wire, id: &str, tool: &str, text: &str) -> Value {
    match wire {
        Wire::Anthropic => json!({"type": "tool_result", "tool_use_id": id, "content": text}),
        Wire::Bedrock => json!({"toolResult": {"toolUseId": id, "content": [{"text": text}]}}),
        Wire::Gemini => {
            // A response has to be an object.
            let response = Value::parse(text).ok().filter(Value::is_object);
            let response = response.unwrap_or_else(|| json!({"output": text}));
            json!({"functionResponse": {"id": id, "name": tool, "response": response}})
        }
        Wire::OpenAi => json!({"role": "tool", "tool_call_id": id, "content": text}),
        Wire::Responses => json!({"type": "function_call_output", "call_id": id, "output": text}),
    }
}

/// Stands for the signature of a call of another model, by Gemini's own page about thought signatures.
const UNSIGNED: &str = "skip_thought_signature_validator";
