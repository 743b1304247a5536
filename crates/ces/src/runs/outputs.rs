//! Writes ended and waiting calls: one output for a turn, one response for each call.

use callgate_tool::{
    Fault, Journal, Object, Outcome, PendingKind, ToolCall, ToolResult, Value, json,
};

use super::{
    form::RequestForm,
    inputs::{last_segment, tool_naming_members},
    turn::{CallState, PendingCall, WaitingTurn},
};

pub(super) fn with_missing_ids(calls: Vec<Value>) -> Vec<Value> {
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
pub(super) fn pending_call(
    form: RequestForm,
    call: &Value,
    made: Option<(&ToolCall, &ToolResult)>,
    response: &Value,
) -> PendingCall {
    let tool = made.map(|(_, result)| result.tool.clone()).unwrap_or_default();
    let arguments = made.map(|(requested, _)| requested.arguments.clone()).unwrap_or_default();
    let waits = made.and_then(|(_, result)| match &result.outcome {
        Outcome::Pending(pending) if pending.kind == PendingKind::Client => Some(pending),
        _ => None,
    });
    let (id, named, response) = match form {
        RequestForm::Ces => {
            let mut named = call.as_object().map(tool_naming_members).unwrap_or_default();
            if waits.is_some() {
                add_missing_names(&mut named, &tool);
            }
            let id = response.get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
            (id, named, response.get("response").cloned().unwrap_or_default())
        }
        RequestForm::Dialogflow => {
            let name = |name: &str| {
                let given = call
                    .get(name)
                    .filter(|value| value.as_str().is_some_and(|text| !text.is_empty()));
                (name.to_owned(), given.cloned().unwrap_or_else(|| Value::from(&*tool)))
            };
            let id = made.map(|(requested, _)| requested.id.clone()).unwrap_or_default();
            (
                id,
                ["tool", "action"].map(name).into_iter().collect(),
                result_without_tool_and_action(response),
            )
        }
    };
    let state = match waits {
        Some(pending) => CallState::Waits(pending.id.clone(), pending.request.clone()),
        None => CallState::Ended(response, None),
    };
    PendingCall { id, named, tool, arguments, state }
}

/// Adds the names that the client needs to run a call.
fn add_missing_names(named: &mut Object, tool: &str) {
    if !named.contains_key("tool") && !named.contains_key("toolsetTool") {
        named.insert("tool", Value::from(tool));
    }
    if !named.contains_key("displayName") {
        // The last part of its resource's name if it has one, else its own name.
        let resource = named.get("tool").and_then(Value::as_str).filter(|name| name.contains('/'));
        let name = resource.map_or(tool, last_segment).to_owned();
        named.insert("displayName", Value::from(name));
    }
}

fn result_without_tool_and_action(result: &Value) -> Value {
    let mut members = result.as_object().cloned().unwrap_or_default();
    for name in ["tool", "action"] {
        members.remove(name);
    }
    Value::Object(members)
}

pub(super) fn end_waiting_calls(
    turn: &mut WaitingTurn,
    fault: impl Fn(&PendingCall) -> Box<Fault>,
) {
    for call in turn.calls.iter_mut().filter(|call| call.is_waiting()) {
        let fault = fault(call);
        end_with_fault(call, fault);
    }
}

pub(super) fn end_with_fault(call: &mut PendingCall, fault: Box<Fault>) {
    let response = dialect_response(call, &unsent_call_result(&call.id, &call.tool, fault));
    let waited = match &call.state {
        CallState::Waits(id, _) => Some(id.clone()),
        CallState::Ended(_, id) => id.clone(),
    };
    call.state = CallState::Ended(response, waited);
}

/// The result of a call that failed before it was made.
pub(crate) fn unsent_call_result(id: &str, tool: &str, fault: Box<Fault>) -> ToolResult {
    let (outcome, journal) = (Outcome::Failed(fault), Journal::default());
    ToolResult { id: id.to_owned(), tool: tool.to_owned(), outcome, journal }
}

/// The `response` of a call with this result; for a call of Dialogflow, its `toolCallResult` without names.
pub(super) fn dialect_response(call: &PendingCall, result: &ToolResult) -> Value {
    if call.is_of_dialogflow() {
        let message = RequestForm::Dialogflow.calls_message(&[Value::Object(call.named.clone())]);
        return result_without_tool_and_action(&only_response(
            RequestForm::Dialogflow,
            message,
            result,
        ));
    }
    ces_response(result)
}

/// The `response` of a result in the format of Customer Engagement Suite.
pub(crate) fn ces_response(result: &ToolResult) -> Value {
    let message = RequestForm::Ces.calls_message(&[json!({"id": result.id, "tool": result.tool})]);
    only_response(RequestForm::Ces, message, result).get("response").cloned().unwrap_or_default()
}

/// The response to the only call of a message.
fn only_response(form: RequestForm, message: Value, result: &ToolResult) -> Value {
    let read = form.dialect().read(message, |_| None);
    let written = read
        .map(|read| form.tool_responses(form.dialect().write(&read, std::slice::from_ref(result))));
    written.ok().and_then(|written| written.into_iter().next()).unwrap_or_default()
}

/// The output that asks the client to run calls.
pub(super) fn waiting_output(turn: &WaitingTurn) -> Value {
    let calls = turn.requested_calls();
    if turn.is_of_dialogflow() {
        let messages =
            calls.iter().map(|call| json!({"source": "VIRTUAL_AGENT", "toolCall": call}));
        return json!({"queryResult": {"responseMessages": messages.collect::<Vec<_>>()}});
    }
    ces_turn_output("toolCalls", &calls, turn.index)
}

pub(super) fn ended_turn_output(turn: &WaitingTurn) -> Value {
    let responses = turn.responses();
    if turn.is_of_dialogflow() {
        let messages = responses.iter().map(|result| json!({"toolCallResult": result}));
        return json!({"messages": messages.collect::<Vec<_>>()});
    }
    ces_turn_output("toolResponses", &responses, turn.index)
}

fn ces_turn_output(name: &str, list: &[Value], index: u64) -> Value {
    json!({name: {name: list}, "turnIndex": index, "turnCompleted": true})
}
