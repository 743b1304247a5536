//! Recognizes calls of other formats in a message in which a reader found no calls. Without this, a message for another
//! format would end the conversation: no calls means that the model is done.

use callgate_tool::{Object, Value};

/// The name of the format of a call that a message holds: another than the expected one or, in a list, any. A list holds the parts
/// of one message, and a call of the expected format further in is one of a list of messages.
pub(crate) fn other_format(message: &Value, expected: &str) -> Option<&'static str> {
    let expected = if message.is_array() { "" } else { expected };
    foreign_format(message, expected, MOST_LEVELS)
}

fn foreign_format(value: &Value, expected: &str, levels: usize) -> Option<&'static str> {
    let levels = levels.checked_sub(1)?;
    match value {
        Value::Array(items) => items.iter().find_map(|item| foreign_format(item, expected, levels)),
        Value::Object(members) => {
            let mut inner = HOLDERS.iter().filter_map(|name| members.get(name));
            format_of(members, expected)
                .or_else(|| inner.find_map(|value| foreign_format(value, expected, levels)))
        }
        _ => None,
    }
}

/// The first format, other than the expected one, of which an object holds or is a call.
fn format_of(members: &Object, expected: &str) -> Option<&'static str> {
    let is = |name: &str, text: &str| members.get(name).and_then(Value::as_str) == Some(text);
    let has = |name: &str| members.get(name).is_some_and(|value| !value.is_null());
    let lists = |name: &str| match members.get(name) {
        Some(Value::Array(calls)) => !calls.is_empty(),
        other => other.is_some_and(Value::is_object),
    };
    let part =
        |name: &str, inner: &str| members.get(name).is_some_and(|it| it.get(inner).is_some());
    let is_of_params = |name: &String| matches!(&**name, "_meta" | "arguments" | "name");
    let is_params = has("name") && members.keys().all(is_of_params);
    let formats = [
        ("anthropic", is("type", "tool_use")),
        ("bedrock", has("toolUse")),
        ("ces", lists("toolCalls") || lists("toolsetTool")),
        // Gemini has a `toolCall` of its own, without an action: a call that Google runs.
        ("dialogflow", part("toolCall", "action") || part("tool_call", "action")),
        ("gemini", has("functionCall") || part("function_call", "args")),
        ("json", lists("calls") || has("tool")),
        ("mcp", is("method", "tools/call") || is_params),
        ("openai", lists("tool_calls") || part("function", "arguments")),
        ("responses", is("type", "function_call") || is("type", "custom_tool_call")),
        (
            "semantic_kernel",
            is("content_type", "function_call") || is("$type", "FunctionCallContent"),
        ),
    ];
    let mut others = formats.into_iter().filter(|(format, _)| *format != expected);
    others.find_map(|(format, has_call)| has_call.then_some(format))
}

/// The members that hold the parts of a message, in any format.
const HOLDERS: [&str; 11] = [
    "Items",
    "candidates",
    "choices",
    "content",
    "items",
    "message",
    "output",
    "outputs",
    "parts",
    "queryResult",
    "responseMessages",
];
/// A list of whole responses of Gemini has seven levels.
const MOST_LEVELS: usize = 8;
