//! Customer Engagement Suite: client functions; calls are `toolCalls` of a session's output, answered by `toolResponses` of
//! its next input. A call of a toolset's tool is found by the names of both. Numbers beyond 2^53 are written as texts,
//! because the format is read through Protocol Buffers' `Struct`. Fields: `google/cloud/ces/v1/session_service.proto` and
//! `client_function.proto` of <https://github.com/googleapis/googleapis>.

use callgate_tool::{Object, Tool, Value, json};

use crate::{
    ending::{ResultValue, defaults_and_notes, double_safe_result},
    envelope::{EnvelopeError, wrong_value_error},
    format::{Format, has_object_or_items},
    message::{
        AnsweredCall, MessageCall, last_resource_segment, message_items, required_list,
        required_object, take_first_non_null,
    },
    projection::{Projected, Projection},
};

/// The row of the format.
pub(super) const FORMAT: Format = Format {
    projection: Some(Projection::Ces),
    has_wire_names: true,
    message: Some(|responses| json!({"toolResponses": {"toolResponses": responses}})),
    ..Format::new(declaration, read_calls, tool_response, |members| {
        has_object_or_items(members, "toolCalls") || has_object_or_items(members, "toolsetTool")
    })
};

fn declaration(tool: &Tool, projected: &Projected) -> Value {
    let Projected { schema, description, .. } = projected;
    json!({"clientFunction": {
        "name": tool.name.as_str(),
        "description": description,
        "parameters": schema,
    }})
}

/// The calls of a response, of its outputs, of one output, or of the bare calls.
fn read_calls(message: Value) -> Result<Vec<MessageCall>, EnvelopeError> {
    let outputs = message_items(message, |mut message| {
        match take_first_non_null(&mut message, &["outputs"]) {
            Some(outputs) => required_list("outputs", outputs),
            None => Ok(vec![message.into()]),
        }
    })?;
    let mut calls = Vec::new();
    for output in outputs {
        let mut output = required_object("outputs", output)?;
        match take_first_non_null(&mut output, &["toolCalls", "tool_calls"]) {
            Some(Value::Array(list)) => calls.extend(list),
            Some(message) => {
                let mut message = required_object("toolCalls", message)?;
                let listed = take_first_non_null(&mut message, &["toolCalls", "tool_calls"]);
                calls.extend(
                    listed.map_or_else(
                        || Ok(Vec::new()),
                        |calls| required_list("toolCalls", calls),
                    )?,
                );
            }
            None if ["tool", "toolsetTool", "toolset_tool"]
                .iter()
                .any(|key| output.contains_key(key)) =>
            {
                calls.push(output.into());
            }
            None if OUTPUTS.iter().any(|key| output.contains_key(key)) => {}
            None => {
                return Err(wrong_value_error(
                    "message",
                    "an output of a session with `toolCalls`",
                    None,
                ));
            }
        }
    }
    calls.into_iter().map(message_call).collect()
}

fn message_call(call: Value) -> Result<MessageCall, EnvelopeError> {
    let mut call = required_object("toolCalls", call)?;
    let arguments = take_first_non_null(&mut call, &["args"]);
    let text = |name: &str| call.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    let toolset = ["toolsetTool", "toolset_tool"].iter().find_map(|name| call.get(name));
    let part = |names: &[&str]| names.iter().find_map(|name| toolset?.get(name)?.as_str());
    let tool = part(&["toolId", "tool_id"]);
    let mut names: Vec<String> = Vec::new();
    let mut bare_name = None;
    if let (Some(toolset), Some(tool)) = (part(&["toolset"]), tool) {
        // A tool of another toolset that has the same name behind a prefix is not meant.
        names.push(format!("{}-{tool}", last_resource_segment(toolset)));
        bare_name = Some(tool.to_owned());
    } else {
        names.extend(tool.map(str::to_owned));
        let display_name = ["displayName", "display_name"].iter().find_map(|name| text(name));
        names.extend(display_name.map(str::to_owned));
        names.extend(text("tool").map(|tool| last_resource_segment(tool).to_owned()));
    }
    let id = call.get("id").cloned();
    Ok(MessageCall {
        names,
        is_indirect: true,
        bare_name,
        ..MessageCall::new(id, None, call).with_arguments(arguments)
    })
}

/// Repeats the members that name the call in its response.
fn tool_response(answer: &AnsweredCall<'_>) -> Value {
    let mut response = Object::new();
    for (name, other) in NAMES {
        let value = answer.origin.get(name).or_else(|| answer.origin.get(other));
        response.insert_if_some(name, value.filter(|value| !value.is_null()).cloned());
    }
    let (key, value) = match double_safe_result(&answer.result, |_| false) {
        ResultValue::Failed(error) => ("error", error),
        ResultValue::Fine(value, _) => ("output", value),
    };
    let mut output = Object::from([(key, value)]);
    output.extend(defaults_and_notes(&answer.result));
    response.insert("response", output.into());
    response.into()
}

/// The members of an output that holds no calls.
const OUTPUTS: [&str; 9] = [
    "text",
    "audio",
    "citations",
    "googleSearchSuggestions",
    "endSession",
    "payload",
    "turnIndex",
    "turnCompleted",
    "diagnosticInfo",
];
/// Members that name a call, each with its alternative spelling.
const NAMES: [(&str, &str); 6] = [
    ("id", "id"),
    ("tool", "tool"),
    ("toolsetTool", "toolset_tool"),
    ("displayName", "display_name"),
    ("agentName", "agent_name"),
    ("parentToolCallId", "parent_tool_call_id"),
];
