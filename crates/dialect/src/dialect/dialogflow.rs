//! Dialogflow CX: function tools; calls are `toolCall` messages of a query's result, each answered by a `toolCallResult` of
//! a later query's input. A call has no id: its tool and its action identify it. A JSON body stands under `requestBody`, an
//! output under its status. Fields: `google/cloud/dialogflow/cx/v3/tool_call.proto` of
//! <https://github.com/googleapis/googleapis>; `requestBody` follows exported examples.

use callgate_tool::{Arguments, Content, Object, Outcome, Schema, Tool, ToolResult, Value, json};

use crate::{
    ending::{self, ResultValue, defaults_and_notes, double_safe_result},
    envelope::{EnvelopeError, wrong_value_error},
    format::{Format, has_inner_member},
    message::{
        AnsweredCall, MessageCall, last_resource_segment, message_items, required_list,
        required_object, take_first_non_null,
    },
    projection::{Projected, Projection},
};

/// The row of the format.
pub(super) const FORMAT: Format = Format {
    projection: Some(Projection::Portable),
    arguments: flattened_arguments,
    has_wire_names: true,
    // Gemini has a `toolCall` of its own, without an action: a call that Google runs.
    ..Format::new(
        declaration,
        read_calls,
        |answer| json!({"toolCallResult": tool_call_result(answer)}),
        |members| {
            has_inner_member(members, "toolCall", "action")
                || has_inner_member(members, "tool_call", "action")
        },
    )
};

fn declaration(tool: &Tool, projected: &Projected) -> Value {
    let Projected { schema, description, .. } = projected;
    let mut function = Object::new();
    function.insert("inputSchema", schema.clone());
    function.insert_if_some("outputSchema", tool.output_schema().map(Schema::to_value));
    json!({
        "displayName": tool.name.as_str(),
        "description": description,
        "functionSpec": function,
    })
}

/// The calls of a response, of its messages, or of one message.
fn read_calls(message: Value) -> Result<Vec<MessageCall>, EnvelopeError> {
    let messages = message_items(message, |mut message| {
        if let Some(result) = take_first_non_null(&mut message, &["queryResult", "query_result"]) {
            message = required_object("queryResult", result)?;
        }
        match take_first_non_null(&mut message, &["responseMessages", "response_messages"]) {
            Some(messages) => required_list("responseMessages", messages),
            None => Ok(vec![message.into()]),
        }
    })?;
    let asked = |message: Value| {
        let mut message = required_object("responseMessages", message)?;
        let call = match take_first_non_null(&mut message, &["toolCall", "tool_call"]) {
            Some(call) => required_object("toolCall", call)?,
            None if message.contains_key("action") => message,
            None if MESSAGES.iter().any(|key| message.contains_key(key)) => return Ok(None),
            None => {
                return Err(wrong_value_error(
                    "message",
                    "a message of a query's result, such as `toolCall`",
                    None,
                ));
            }
        };
        Ok(Some(message_call(call)))
    };
    messages.into_iter().filter_map(|message| asked(message).transpose()).collect()
}

fn message_call(mut call: Object) -> MessageCall {
    let arguments = take_first_non_null(&mut call, &["inputParameters", "input_parameters"])
        .map(arguments_from_list);
    let text = |name: &str| call.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    let (tool, action) = (text("tool").map(last_resource_segment), text("action"));
    let whole = tool.zip(action).map(|(tool, action)| format!("{tool}-{action}"));
    let names = [whole, action.map(str::to_owned), tool.map(str::to_owned)];
    let names = names.into_iter().flatten().collect();
    MessageCall {
        names,
        is_indirect: true,
        ..MessageCall::new(None, None, call).with_arguments(arguments)
    }
}

/// Arguments in the list form of earlier versions: `[{"name": "ACTION input", "value": …}]` with an object as the value
/// holds all of them; otherwise each item holds one under its own name. Any other value stays as it is and is reported
/// later.
fn arguments_from_list(arguments: Value) -> Value {
    let Some(items) = arguments.as_array() else { return arguments };
    let item =
        |item: &Value| Some((item.get("name")?.as_str()?.to_owned(), item.get("value")?.clone()));
    let named: Option<Vec<(String, Value)>> = items.iter().map(item).collect();
    match named.as_deref() {
        Some([(name, whole @ Value::Object(_))]) if name.ends_with(" input") => whole.clone(),
        Some(named) => Value::Object(named.iter().cloned().collect()),
        None => arguments,
    }
}

/// The arguments with the members of `requestBody` moved to the top, and the single value of an action under its name.
fn flattened_arguments(mut arguments: Arguments, tool: &Tool) -> Arguments {
    let properties =
        tool.input_schema.without_definitions().get("properties").and_then(Value::as_object);
    let is_argument = |name: &str| {
        properties.is_some_and(|declared_properties| declared_properties.contains_key(name))
    };
    rename_single_input(&mut arguments, is_argument);
    let Some(body) = arguments.get(BODY).filter(|_| !is_argument(BODY)) else { return arguments };
    if is_argument("body") && !arguments.contains_key("body") {
        let body = arguments.remove(BODY).unwrap_or_default();
        arguments.insert("body", body);
        return arguments;
    }
    // If a name stands in both places, `requestBody` stays and is refused as an unknown argument.
    let is_clear =
        body.as_object().is_some_and(|body| body.keys().all(|key| !arguments.contains_key(key)));
    if is_clear && let Some(Value::Object(body)) = arguments.remove(BODY) {
        arguments.extend(body);
    }
    arguments
}

/// The code interpreter has one argument, and messages name it `generate_and_execute input`: it is the argument `input`.
fn rename_single_input(arguments: &mut Arguments, is_argument: impl Fn(&str) -> bool) {
    let is_single = |name: &&String| name.ends_with(" input") && !is_argument(name);
    let Some(name) = arguments.keys().find(is_single).cloned() else { return };
    if is_argument("input") && !arguments.contains_key("input") {
        let value = arguments.remove(&name).unwrap_or_default();
        arguments.insert("input", value);
    }
}

fn tool_call_result(answer: &AnsweredCall<'_>) -> Value {
    let mut result = Object::new();
    for name in ["tool", "action"] {
        result.insert_if_some(name, answer.origin.get(name).cloned());
    }
    match double_safe_result(&answer.result, |_| false) {
        ResultValue::Failed(_) => {
            let message = ending::outcome_text(&answer.result);
            result.insert("error", json!({"message": message}));
        }
        ResultValue::Fine(value, _) => {
            let mut output = output_under_status(&answer.result, value);
            if let Some(members) = output.as_object_mut() {
                members.extend(defaults_and_notes(&answer.result));
            }
            result.insert("outputParameters", output);
        }
    }
    result.into()
}

/// The value under its status. Without a status, an object is the output itself; another value stands under `output`.
fn output_under_status(result: &ToolResult, value: Value) -> Value {
    let answer = if let Outcome::Answered(answer) = &result.outcome { Some(answer) } else { None };
    match answer.and_then(|answer| Some((answer, answer.status?))) {
        Some((answer, status)) => {
            let is_empty = answer.content == Content::Empty && answer.headers.is_empty();
            json!({status.to_string(): if is_empty { Value::Null } else { value }})
        }
        None if value.is_object() => value,
        None => json!({"output": value}),
    }
}

const BODY: &str = "requestBody";
/// The members of a message that holds no call.
const MESSAGES: [&str; 16] = [
    "text",
    "payload",
    "conversationSuccess",
    "outputAudioText",
    "liveAgentHandoff",
    "endInteraction",
    "playAudio",
    "mixedAudio",
    "telephonyTransferCall",
    "knowledgeInfoCard",
    "responseType",
    "source",
    "channel",
    "match",
    "parameters",
    "transcript",
];
