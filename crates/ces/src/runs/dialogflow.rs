//! The body of a `:run` in the form of Dialogflow CX, in either spelling of Protocol Buffers' JSON: `queryResult` with the
//! calls of its `responseMessages`, or `queryInput` with the `toolCallResult` of a waiting call, and `queryParams`.

use callgate_executor::ClientAnswer;
use callgate_gateway::{Problem, SessionInput};
use callgate_tool::{Object, Value, json};

use super::{
    NEEDS_MODEL,
    inputs::{Inputs, ToolResponse, take_execution},
    turn::{CallState, WaitingTurn},
};
use crate::members::{
    optional_array, optional_object, required_object, take_member, wrong_member_problem,
};

pub(super) fn read_inputs(body: Value, id: &str) -> Result<Inputs, Problem> {
    let mut members = required_object("the body", Some(body))?;
    let query = ["queryParams", "query_params"].iter().find_map(|name| members.get(name));
    let parameter = |name| query.and_then(|query| query.get(name)).filter(|it| !it.is_null());
    let variables = optional_object("queryParams.parameters", parameter("parameters").cloned())?;
    let payload = parameter("payload").cloned();
    let mut session = members.remove("session");
    if let Some(payload) = payload {
        let session_value = session.get_or_insert_with(|| json!({}));
        if let Some(session_members) = session_value
            .as_object_mut()
            .filter(|session_members| !session_members.contains_key("payload"))
        {
            session_members.insert("payload", payload);
        }
    }
    let execution = take_execution(&mut members)?;
    let calls = result_calls(take_member(&mut members, &["queryResult", "query_result"]))?;
    let responses = client_response(take_member(&mut members, &["queryInput", "query_input"]))?
        .map(|one| vec![one]);
    if responses.is_some() && !calls.is_empty() {
        let detail = "expected `queryInput.toolCallResult` or calls under `queryResult`, got both: answer the calls that wait first";
        return Err(Problem::malformed_body(detail));
    }
    let session = SessionInput::read(session)?.with_id(id);
    let variables = variables.unwrap_or_default();
    Ok(Inputs { calls, responses, variables, session, execution, repeatable: None })
}

/// The calls in a query's result; the other messages are for the user.
fn result_calls(result: Option<Value>) -> Result<Vec<Value>, Problem> {
    let mut result = optional_object("queryResult", result)?.unwrap_or_default();
    let messages = take_member(&mut result, &["responseMessages", "response_messages"]);
    let messages = optional_array("queryResult.responseMessages", messages)?;
    let call =
        |mut message: Value| take_member(message.as_object_mut()?, &["toolCall", "tool_call"]);
    Ok(messages.into_iter().filter_map(call).collect())
}

/// The client's answer in a query's input.
fn client_response(input: Option<Value>) -> Result<Option<ToolResponse>, Problem> {
    let Some(mut input) = optional_object("queryInput", input)? else { return Ok(None) };
    let at = "queryInput.toolCallResult";
    let result =
        optional_object(at, take_member(&mut input, &["toolCallResult", "tool_call_result"]))?;
    let Some(mut result) = result else {
        if NEED_A_MODEL.iter().any(|name| input.contains_key(name)) {
            let detail = "`queryInput`: this input needs a model, and callgate has none; send `toolCallResult`";
            return Err(Problem::new(NEEDS_MODEL, detail));
        }
        return Ok(None);
    };
    let mut named = Object::new();
    for name in ["tool", "action"] {
        match take_member(&mut result, &[name]) {
            Some(Value::String(text)) => drop(named.insert(name, Value::String(text))),
            other => {
                return Err(wrong_member_problem(
                    &format!("{at}.{name}"),
                    "that of the call",
                    other.as_ref(),
                ));
            }
        }
    }
    let output = take_member(&mut result, &["outputParameters", "output_parameters"]);
    let (answer, status) = match (take_member(&mut result, &["error"]), output) {
        (Some(error), None) => {
            (ClientAnswer::Failed(error.get("message").cloned().unwrap_or(error)), None)
        }
        (Some(_), Some(_)) => {
            let detail = format!("`{at}`: expected `outputParameters` or `error`, got both");
            return Err(Problem::malformed_body(detail));
        }
        (None, output) => {
            answer_with_status(required_object(&format!("{at}.outputParameters"), output)?)
        }
    };
    Ok(Some(ToolResponse { id: String::new(), named, answer, status }))
}

/// The output of a tool, and the status it is listed under if an OpenAPI tool answered; a failure from 400 on.
fn answer_with_status(output: Object) -> (ClientAnswer, Option<u16>) {
    let only = output.iter().next().filter(|_| output.len() == 1);
    let under = only.and_then(|(name, body)| Some((name.parse::<u16>().ok()?, body.clone())));
    match under {
        Some((status @ 100..400, body)) => (ClientAnswer::Output(body), Some(status)),
        Some((400..600, body)) => (ClientAnswer::Failed(body), None),
        _ => (ClientAnswer::Output(Value::Object(output)), None),
    }
}

/// The answer with the id of the first call that waits for it: Dialogflow identifies a call by its tool and its action.
pub(super) fn with_waiting_call_id(
    mut response: ToolResponse,
    open: Option<&WaitingTurn>,
) -> ToolResponse {
    if response.named.contains_key("action") {
        let mut calls = open.iter().flat_map(|turn| &turn.calls);
        let id = calls.find_map(|call| match &call.state {
            CallState::Waits(id, _) if call.named == response.named => Some(id.clone()),
            _ => None,
        });
        response.id = id.unwrap_or_default();
    }
    response
}

/// `session.proto`: members of `QueryInput` that a model reads.
const NEED_A_MODEL: [&str; 5] = ["text", "intent", "audio", "event", "dtmf"];
