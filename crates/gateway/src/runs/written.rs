//! Writes ended and waiting calls: one output for a turn, one response for each call.

use callgate_tool::{Fault, Journal, Object, Outcome, PendingKind, ToolResult, Value, json};

use super::{
    form::Form,
    inputs::{last_segment, named},
    turn::{Fate, PendingCall, Turn},
};
use crate::calls::RequestedCall;

/// Adds an id to each call without one.
pub(super) fn with_ids(calls: Vec<Value>) -> Vec<Value> {
    let mut calls = calls;
    for (at, call) in calls.iter_mut().enumerate() {
        let Some(members) = call.as_object_mut() else { continue };
        let is_set = |id: &Value| id.as_str().is_none_or(|id| !id.is_empty()) && !id.is_null();
        if !members.get("id").is_some_and(is_set) {
            members.insert("id", Value::String(format!("call_{}", at + 1)));
        }
    }
    calls
}

/// A call in the form for a store. `made` is the call as it was read and its result, if it was made.
pub(super) fn kept(
    form: Form,
    call: &Value,
    made: Option<(&RequestedCall, &ToolResult)>,
    response: &Value,
) -> PendingCall {
    match form {
        Form::Ces => kept_of_ces(call, made, response),
        Form::Dialogflow => kept_of_dialogflow(call, made, response),
    }
}

fn kept_of_ces(
    call: &Value,
    made: Option<(&RequestedCall, &ToolResult)>,
    response: &Value,
) -> PendingCall {
    let members = call.as_object().cloned().unwrap_or_default();
    let mut named = named(&members);
    let id = response.get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
    let response = response.get("response").cloned().unwrap_or_default();
    let Some((asked, result)) = made else {
        let (tool, arguments) = (String::new(), Object::new());
        return PendingCall { id, named, tool, arguments, fate: Fate::Ended(response, None) };
    };
    let fate = match &result.outcome {
        Outcome::Pending(pending) if pending.kind == PendingKind::Client => {
            if !named.contains_key("tool") && !named.contains_key("toolsetTool") {
                named.insert("tool", Value::from(&*result.tool));
            }
            if !named.contains_key("displayName") {
                named.insert("displayName", Value::from(display_name(&result.tool, &named)));
            }
            Fate::Waits(pending.id.clone(), pending.request.clone())
        }
        _ => Fate::Ended(response, None),
    };
    let arguments = asked.call.arguments.clone();
    PendingCall { id, named, tool: result.tool.clone(), arguments, fate }
}

fn kept_of_dialogflow(
    call: &Value,
    made: Option<(&RequestedCall, &ToolResult)>,
    response: &Value,
) -> PendingCall {
    let tool = made.map(|(_, result)| result.tool.clone()).unwrap_or_default();
    let name = |name: &str| {
        let given =
            call.get(name).filter(|value| value.as_str().is_some_and(|text| !text.is_empty()));
        (name.to_owned(), given.cloned().unwrap_or_else(|| Value::from(&*tool)))
    };
    let named: Object = ["tool", "action"].map(name).into_iter().collect();
    let fate = match made.map(|(_, result)| &result.outcome) {
        Some(Outcome::Pending(pending)) if pending.kind == PendingKind::Client => {
            Fate::Waits(pending.id.clone(), pending.request.clone())
        }
        _ => Fate::Ended(without_names(response), None),
    };
    let id = made.map(|(asked, _)| asked.call.id.clone()).unwrap_or_default();
    let arguments = made.map(|(asked, _)| asked.call.arguments.clone()).unwrap_or_default();
    PendingCall { id, named, tool, arguments, fate }
}

/// A `toolCallResult` without the members that name its call.
fn without_names(result: &Value) -> Value {
    let mut members = result.as_object().cloned().unwrap_or_default();
    for name in ["tool", "action"] {
        members.remove(name);
    }
    Value::Object(members)
}

/// The client's name for a tool: the last part of its resource's name if it has one, else its own name.
fn display_name(tool: &str, named: &Object) -> String {
    let resource = named.get("tool").and_then(Value::as_str).filter(|name| name.contains('/'));
    resource.map_or(tool, last_segment).to_owned()
}

/// Ends all waiting calls with a fault.
pub(super) fn end_all(turn: &mut Turn, fault: impl Fn(&PendingCall) -> Box<Fault>) {
    for call in &mut turn.calls {
        if matches!(call.fate, Fate::Waits(..)) {
            let fault = fault(call);
            end(call, fault);
        }
    }
}

pub(super) fn end(call: &mut PendingCall, fault: Box<Fault>) {
    let waited = match &call.fate {
        Fate::Waits(id, _) => Some(id.clone()),
        Fate::Ended(..) => None,
    };
    let response = response_of(call, &failed(call, fault));
    call.fate = Fate::Ended(response, waited);
}

pub(super) fn failed(call: &PendingCall, fault: Box<Fault>) -> ToolResult {
    let (id, tool) = (call.id.clone(), call.tool.clone());
    ToolResult { id, tool, outcome: Outcome::Failed(fault), journal: Journal::default() }
}

/// The `response` of a call with this result; for a call of Dialogflow, its `toolCallResult` without names.
pub(super) fn response_of(call: &PendingCall, result: &ToolResult) -> Value {
    if call.is_of_dialogflow() {
        let message = Form::Dialogflow.message(&[Value::Object(call.named.clone())]);
        return without_names(&written(Form::Dialogflow, message, result));
    }
    response(&call.id, &call.tool, result)
}

/// The `response` of a result in the format of Customer Engagement Suite.
pub(crate) fn response(id: &str, tool: &str, result: &ToolResult) -> Value {
    let message = Form::Ces.message(&[json!({"id": id, "tool": tool})]);
    written(Form::Ces, message, result).get("response").cloned().unwrap_or_default()
}

/// The response to the only call of a message.
fn written(form: Form, message: Value, result: &ToolResult) -> Value {
    let read = form.dialect().read(message, |_| None);
    let written =
        read.map(|read| form.responses(form.dialect().write(&read, std::slice::from_ref(result))));
    written.ok().and_then(|written| written.into_iter().next()).unwrap_or_default()
}

/// The output that asks the client to run calls.
pub(super) fn waiting(turn: &Turn) -> Value {
    if turn.is_of_dialogflow() {
        let calls = turn.asked();
        let calls = calls.as_array().into_iter().flatten();
        let messages = calls.map(|call| json!({"source": "VIRTUAL_AGENT", "toolCall": call}));
        return json!({"queryResult": {"responseMessages": messages.collect::<Vec<_>>()}});
    }
    output("toolCalls", &turn.asked(), turn.index)
}

/// The output of a turn whose calls have all ended.
pub(super) fn ended(turn: &Turn) -> Value {
    if turn.is_of_dialogflow() {
        let results = turn.responses();
        let results = results.as_array().into_iter().flatten();
        let messages = results.map(|result| json!({"toolCallResult": result}));
        return json!({"messages": messages.collect::<Vec<_>>()});
    }
    output("toolResponses", &turn.responses(), turn.index)
}

fn output(name: &str, list: &Value, index: u64) -> Value {
    json!({name: {name: list}, "turnIndex": index, "turnCompleted": true})
}
