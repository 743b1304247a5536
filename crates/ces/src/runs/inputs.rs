//! The body of a `:run`: `inputs` in the form of Customer Engagement Suite, in either spelling of Protocol Buffers' JSON.
//! Unknown members are ignored, because newer versions of the format may have more; inputs that need a model are refused.

use std::collections::BTreeSet;

use callgate_executor::{ClientAnswer, Execution};
use callgate_gateway::{Problem, SessionInput};
use callgate_tool::{InvalidValue, Object, Value};

use super::{NEEDS_MODEL, repetition::Repeatable};
use crate::members::{
    optional_array, optional_object, required_object, take_member, wrong_member_problem,
};

#[derive(Debug)]
pub(super) struct Inputs {
    /// The calls to make, unchanged from the request.
    pub(super) calls: Vec<Value>,
    /// The client's answers to waiting calls; `None` if the request has none.
    pub(super) responses: Option<Vec<ToolResponse>>,
    pub(super) variables: Object,
    /// Values for this request only.
    pub(super) session: SessionInput,
    /// The side that runs the calls, as the request asks.
    pub(super) execution: Execution,
    /// The request, if it may be repeated.
    pub(super) repeatable: Option<Repeatable>,
}

/// The client's answer to one call.
#[derive(Clone, Debug)]
pub(super) struct ToolResponse {
    pub(super) id: String,
    /// The members that name the tool: `tool` or `toolsetTool`, and `displayName`; or `tool` and `action`.
    pub(super) named: Object,
    pub(super) answer: ClientAnswer,
    /// The status of the answer, if the client called a service.
    pub(super) status: Option<u16>,
}

impl Inputs {
    pub(super) fn from_body(body: Value, id: &str) -> Result<Self, Problem> {
        let mut members = required_object("the body", Some(body))?;
        let config = members.remove("config");
        let named = config.as_ref().and_then(|config| config.get("session"));
        let named = named.and_then(Value::as_str).filter(|name| !name.is_empty());
        if named.is_some_and(|name| last_segment(name) != id) {
            return Err(Problem::malformed_body(
                "`config.session`: expected the session of the path",
            ));
        }
        let mut inputs = Self {
            calls: Vec::new(),
            responses: None,
            variables: Object::new(),
            execution: take_execution(&mut members)?,
            session: SessionInput::read(members.remove("session"))?.with_id(id),
            repeatable: None,
        };
        let listed = optional_array("inputs", take_member(&mut members, &["inputs"]))?;
        for (at, input) in listed.into_iter().enumerate() {
            inputs.add_input(&format!("inputs[{at}]"), input)?;
        }
        if inputs.responses.is_some() && !inputs.calls.is_empty() {
            let detail = "`inputs`: expected `toolResponses` or `toolCalls`, got both: answer the calls that wait first";
            return Err(Problem::malformed_body(detail));
        }
        Ok(inputs)
    }

    fn add_input(&mut self, at: &str, input: Value) -> Result<(), Problem> {
        let mut input = required_object(at, Some(input))?;
        if let Some(name) =
            NEED_A_MODEL.iter().find(|name| take_member(&mut input, &[**name]).is_some())
        {
            let detail = format!(
                "`{at}.{name}`: this input needs a model, and callgate has none; send `toolCalls`, `toolResponses` or `variables`"
            );
            return Err(Problem::new(NEEDS_MODEL, detail));
        }
        let calls = take_member(&mut input, &["toolCalls", "tool_calls"]);
        let responses = take_member(&mut input, &["toolResponses", "tool_responses"]);
        let variables = take_member(&mut input, &["variables"]);
        let n_set = [&calls, &responses, &variables].into_iter().flatten().count();
        if n_set > 1 {
            let expected = "one of `toolCalls`, `toolResponses` and `variables`, got several";
            return Err(Problem::malformed_body(format!("`{at}`: expected {expected}")));
        }
        if let Some(calls) = calls {
            let at = format!("{at}.toolCalls");
            self.calls.extend(list_items(&at, calls, &["toolCalls", "tool_calls"])?);
        }
        if let Some(responses) = responses {
            let at = format!("{at}.toolResponses");
            let tool_responses = self.responses.get_or_insert_default();
            let listed = list_items(&at, responses, &["toolResponses", "tool_responses"])?;
            for (index, response) in listed.into_iter().enumerate() {
                tool_responses.push(tool_response(&format!("{at}[{index}]"), response)?);
            }
            let mut ids = BTreeSet::new();
            if let Some(twice) = tool_responses.iter().find(|response| !ids.insert(&response.id)) {
                let id = &twice.id;
                return Err(Problem::malformed_body(format!(
                    "`{at}`: expected one response a call, got two of: `{id}`"
                )));
            }
        }
        let variables = optional_object(&format!("{at}.variables"), variables)?;
        self.variables.extend(variables.unwrap_or_default());
        Ok(())
    }
}

/// Reads whether the client runs every call: from `execution`, or from Dialogflow's name for it.
pub(super) fn take_execution(members: &mut Object) -> Result<Execution, Problem> {
    let query = take_member(members, &["queryParams", "query_params"]);
    let state = query.as_ref().and_then(|query| {
        query.get("playbookStateOverride").or_else(|| query.get("playbook_state_override"))
    });
    let mode = state.and_then(|state| {
        state.get("playbookExecutionMode").or_else(|| state.get("playbook_execution_mode"))
    });
    if mode.and_then(Value::as_str) == Some("ALWAYS_CLIENT_EXECUTION") {
        return Ok(Execution::Client);
    }
    match members.remove("execution") {
        None => Ok(Execution::Server),
        Some(Value::String(side)) if side == "client" => Ok(Execution::Client),
        other => {
            Err(InvalidValue::new_showing_value("execution", "`client`", other.as_ref()).into())
        }
    }
}

/// A list, or the message that holds it.
fn list_items(at: &str, value: Value, names: &[&str]) -> Result<Vec<Value>, Problem> {
    match value {
        Value::Array(items) => Ok(items),
        Value::Object(mut message) => optional_array(at, take_member(&mut message, names)),
        other => Err(wrong_member_problem(at, "an object with the list", Some(&other))),
    }
}

fn tool_response(at: &str, response: Value) -> Result<ToolResponse, Problem> {
    let mut members = required_object(at, Some(response))?;
    let id = match take_member(&mut members, &["id"]) {
        Some(Value::String(id)) => id,
        other => {
            return Err(wrong_member_problem(
                &format!("{at}.id"),
                "the id of a call that waits",
                other.as_ref(),
            ));
        }
    };
    let response =
        required_object(&format!("{at}.response"), take_member(&mut members, &["response"]))?;
    Ok(ToolResponse {
        id,
        named: tool_naming_members(&members),
        answer: client_answer(response),
        status: None,
    })
}

/// `client_function.proto`: `output` is the result and `error` the failure; without them the whole object is the result.
fn client_answer(mut response: Object) -> ClientAnswer {
    if let Some(error) = take_member(&mut response, &["error"]) {
        return ClientAnswer::Failed(error);
    }
    match take_member(&mut response, &["output"]) {
        Some(output) => ClientAnswer::Output(output),
        None => ClientAnswer::Output(Value::Object(response)),
    }
}

/// The members that name the tool of a call, in the spelling of responses.
pub(crate) fn tool_naming_members(call: &Object) -> Object {
    let mut named = Object::new();
    for (name, other) in NAMES {
        let value = call.get(name).or_else(|| call.get(other));
        let value = value.filter(|value| !value.is_null() && value.as_str() != Some(""));
        let Some(value) = value else { continue };
        let value = match value {
            Value::Object(members) if name == "toolsetTool" => {
                toolset_tool(members).map(Value::Object)
            }
            Value::String(_) if name != "toolsetTool" => Some(value.clone()),
            _ => None,
        };
        named.insert_if_some(name, value);
    }
    named
}

fn toolset_tool(members: &Object) -> Option<Object> {
    let mut made = Object::new();
    for (name, other) in [("toolset", "toolset"), ("toolId", "tool_id")] {
        let value = members.get(name).or_else(|| members.get(other)).and_then(Value::as_str);
        made.insert_if_some(name, value);
    }
    made.contains_key("toolId").then_some(made)
}

/// The last part of a resource's name.
pub(super) fn last_segment(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

/// Members that name the tool of a call, each with its other spelling.
const NAMES: [(&str, &str); 3] =
    [("tool", "tool"), ("toolsetTool", "toolset_tool"), ("displayName", "display_name")];
/// `session_service.proto`: inputs that a model reads.
const NEED_A_MODEL: [&str; 6] = ["text", "dtmf", "audio", "image", "blob", "event"];
