//! callgate's own format: the output of `callgate tools`, and results on the command line and over HTTP (`{"id", "tool",
//! "status", "response"}` or `{"id", "tool", "error"}`).

use callgate_tool::{Effect, Json, Tool, ToolResult, Value, json};

use crate::{
    envelope::{EnvelopeError, wrong_value_error},
    format::{Format, has_non_null_member, has_object_or_items},
    message::{MessageCall, message_items, required_list, required_object, take_first_non_null},
};

/// The row of the format.
pub(super) const FORMAT: Format = Format::new(
    |tool, _| declaration(tool),
    read_calls,
    |answer| json_result(&answer.result).into_value(),
    |members| has_object_or_items(members, "calls") || has_non_null_member(members, "tool"),
);

/// Writes one declaration; the annotations are MCP's hints.
pub(super) fn declaration(tool: &Tool) -> Value {
    let mut declaration = json!({
        "name": tool.name.as_str(),
        "description": tool.description,
        "inputSchema": tool.input_schema.to_value(),
    });
    if let Some(schema) = tool.output_schema() {
        insert(&mut declaration, "outputSchema", schema.to_value());
    }
    let annotations = json!({
        "readOnlyHint": tool.effect == Effect::Read,
        "idempotentHint": tool.effect != Effect::Write,
    });
    insert(&mut declaration, "annotations", annotations);
    declaration
}

/// The calls of `{"calls": [{"id", "tool", "args"}]}`, of the bare list, or of a single call.
fn read_calls(message: Value) -> Result<Vec<MessageCall>, EnvelopeError> {
    let calls = message_items(message, |mut message| match message.remove("calls") {
        Some(calls) => required_list("calls", calls),
        None if message.contains_key("tool") => Ok(vec![message.into()]),
        None => Err(wrong_value_error("calls", "a list", None)),
    })?;
    let asked = |call: Value| {
        let mut call = required_object("calls", call)?;
        let (id, tool) = (call.remove("id"), call.remove("tool"));
        let arguments = take_first_non_null(&mut call, &["args", "arguments"]);
        Ok(MessageCall::new(id, tool.as_ref(), call).with_arguments(arguments))
    };
    calls.into_iter().map(asked).collect()
}

/// Writes one result.
///
/// `response` is JSON as it is, a text as a string, `null` for no content; an image or a sound is `{"mediaType", "size",
/// "data"}` with its bytes in base64, any other file `{"mediaType", "size", "sha256"}`; a multipart body is an array of
/// `{"name", "contentId", "filename", "content", "handle"}`, with its parts in order. Further members are present if known:
/// `headers` are the meaningful headers; `stillSending` is true if the service had not ended its response; `truncated` is
/// `{"message", "size", "cuts": [{"at", "shown", "of", "unit"}]}`, the parts that are not shown and how to narrow; `next`
/// holds the arguments of the next page; `handle` names the whole result, which is kept for a while.
///
/// ```
/// use callgate_tool::{Answer, Content, Journal, Outcome, ToolResult};
///
/// let outcome = Outcome::Answered(Box::new(Answer::new(204, Content::Empty)));
/// let result = ToolResult { id: "1".into(), tool: "deletePet".into(), outcome, journal: Journal::default() };
/// let json = callgate_dialect::json_result(&result);
/// assert_eq!(json.to_string(), r#"{"id":"1","tool":"deletePet","status":204,"response":null}"#);
/// ```
pub fn json_result(result: &ToolResult) -> Json {
    Json::from_serializable(result)
}

fn insert(object: &mut Value, name: &str, value: Value) {
    if let Value::Object(members) = object {
        members.insert(name.to_owned(), value);
    }
}
