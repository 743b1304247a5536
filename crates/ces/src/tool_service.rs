//! The published tool service of Customer Engagement Suite: `:executeTool`, `:retrieveToolSchema`, `:retrieveTools`. Calls
//! run like those of `/v1/calls`.

mod mocks;
mod schema;

use callgate_call::wording;
use callgate_dialect::Dialect;
use callgate_executor::{Entry, Execution};
use callgate_gateway::{Problem, ProblemKind, RouteRequest, SessionInput};
use callgate_tool::{Object, Outcome, Tool, ToolCall, ToolResult, Value, json};

use self::mocks::{MockEffect, mock_effect};
use crate::{
    members::{
        optional_array, optional_object, project_location_and_app, required_object, take_member,
    },
    runs::{ces_response, read_message, tool_naming_members, unsent_call_result},
};

pub(crate) async fn execute_tool(request: RouteRequest, body: Value) -> Result<Value, Problem> {
    let mut members = required_object("the body", Some(body.clone()))?;
    let mock = take_member(&mut members, &["mockConfig", "mock_config"]);
    let variables = optional_object("variables", take_member(&mut members, &["variables"]))?;
    let context = optional_object("context", take_member(&mut members, &["context"]))?;
    if variables.is_some() && context.is_some() {
        return Err(Problem::malformed_body("expected `variables` or `context`, got both"));
    }
    if members.contains_key("execution") {
        let detail = "expected no `execution`: this path has no way to answer for a client";
        return Err(Problem::malformed_body(detail));
    }
    let mut answer = tool_naming_members(&members);
    answer.remove("displayName");
    let call = read_tool_call(&request, &Value::Object(members))?;
    let is_of_call = |mock: &Object| mock_names_tool(&request, mock, &call.tool);
    let ended = match mock_effect(mock, &call.arguments, is_of_call)? {
        MockEffect::Answered(response) => response,
        MockEffect::Refused => {
            ces_response(&unsent_call_result(&call.id, &call.tool, wording::client::not_mocked()))
        }
        MockEffect::PassedThrough => {
            let input = session_input(variables.clone(), context);
            make_call(&request, &call, input, &body).await?
        }
    };
    answer.insert("response", ended);
    answer.insert("variables", Value::Object(variables.unwrap_or_default()));
    Ok(Value::Object(answer))
}

pub(crate) fn tool_schema(request: &RouteRequest, body: Value) -> Result<Value, Problem> {
    let members = required_object("the body", Some(body))?;
    let mut answer = tool_naming_members(&members);
    answer.remove("displayName");
    let name = read_tool_call(request, &Value::Object(members))?.tool;
    let tool = request.find_usable_tool(&name).and_then(Entry::declaration);
    let tool = tool.ok_or_else(|| request.absent_tool_problem(&name))?;
    add_schemas(&mut answer, tool, ["inputSchema", "outputSchema"]);
    Ok(Value::Object(answer))
}

pub(crate) fn list_tools(request: &RouteRequest, body: Value) -> Result<Value, Problem> {
    let mut members = required_object("the body", Some(body))?;
    let ids = optional_array("toolIds", take_member(&mut members, &["toolIds", "tool_ids"]))?;
    let toolset = request.path_parameter("toolset");
    let entries = request.served_build().executor.entries();
    let mut entries = entries
        .filter(|entry| entry.toolset() == toolset && request.may_use(entry.toolset()))
        .peekable();
    if entries.peek().is_none() {
        let detail = "`GET /v1/tools` lists the tools there are, with their toolsets";
        return Err(Problem::new(ProblemKind::ABSENT_RESOURCE, detail));
    }
    let listed = entries.filter_map(|entry| {
        let (tool, id) = (entry.declaration()?, id_in_toolset(entry, toolset));
        let is_wanted = ids.is_empty() || ids.iter().any(|wanted| wanted.as_str() == Some(id));
        is_wanted.then(|| tool_value(request, entry, tool, id))
    });
    Ok(json!({"tools": Value::Array(listed.collect())}))
}

/// The name of a tool within its toolset: the `operationId`, or the tool's name without the toolset's.
fn id_in_toolset<'e>(entry: Entry<'e>, toolset: &str) -> &'e str {
    let name = entry.name().as_str();
    let operation = entry.operation().and_then(|operation| operation.operation_id.as_deref());
    let own = || name.strip_prefix(toolset).and_then(|rest| rest.strip_prefix('-'));
    operation.or_else(own).unwrap_or(name)
}

fn tool_value(request: &RouteRequest, entry: Entry<'_>, tool: &Tool, id: &str) -> Value {
    let [project, location, app, toolset] =
        ["project", "location", "app", "toolset"].map(|name| request.path_parameter(name));
    let resource = format!("projects/{project}/locations/{location}/apps/{app}/toolsets/{toolset}");
    let mut members = Object::new();
    members.insert("name", Value::String(format!("{resource}/tools/{id}")));
    members.insert("displayName", Value::from(tool.name.as_str()));
    members.insert("executionType", Value::from("SYNCHRONOUS"));
    let mut about = Object::new();
    about.insert("name", Value::from(id));
    about.insert("description", Value::from(&*tool.description));
    let kind = if entry.operation().is_some() {
        "openApiTool"
    } else {
        add_schemas(&mut about, tool, ["parameters", "response"]);
        "clientFunction"
    };
    members.insert(kind, Value::Object(about));
    members.into()
}

fn add_schemas(members: &mut Object, tool: &Tool, [input, output]: [&str; 2]) {
    members.insert(input, schema::ces_schema(&tool.input_schema.to_value()));
    let result = tool.output_schema().map(|schema| schema::ces_schema(&schema.to_value()));
    members.insert_if_some(output, result);
}

/// Makes the call of a request with this body, once under its key. Returns its `response`.
async fn make_call(
    request: &RouteRequest,
    call: &ToolCall,
    input: SessionInput,
    body: &Value,
) -> Result<Value, Problem> {
    let session =
        request.session(input.with_context_defaults(&project_location_and_app(request))).await?;
    let calls = request.calls(session, Execution::Server, [call.clone()])?;
    let written = |results: &[ToolResult]| match results.first() {
        Some(ToolResult { outcome: Outcome::Pending(_), .. }) | None => {
            ces_response(&unsent_call_result(&call.id, &call.tool, wording::client::nobody_runs()))
        }
        Some(result) => ces_response(result),
    };
    calls.run_or_earlier_answer(body, written).await
}

fn read_tool_call(request: &RouteRequest, members: &Value) -> Result<ToolCall, Problem> {
    let message = json!({"toolCalls": {"toolCalls": [members.clone()]}});
    let read = read_message(request, Dialect::Ces, message)?;
    let call = read.to_make().first().map(|&call| call.clone());
    call.ok_or_else(|| {
        Problem::malformed_body("expected `tool` or `toolsetTool`, and `args` as an object")
    })
}

/// True if a mock is for a tool: `toolId` or `tool` gives its resource's name, `toolset` both names.
fn mock_names_tool(request: &RouteRequest, mock: &Object, tool: &str) -> bool {
    let text = ["toolId", "tool_id", "tool"].iter().find_map(|name| mock.get(name)?.as_str());
    let toolset = ["toolset", "toolsetTool", "toolset_tool"].iter().find_map(|name| mock.get(name));
    let members = match (text, toolset) {
        (Some(name), _) => json!({"tool": name}),
        (None, Some(toolset)) => json!({"toolsetTool": toolset.clone()}),
        (None, None) => return false,
    };
    read_tool_call(request, &members).is_ok_and(|call| call.tool == tool)
}

fn session_input(variables: Option<Object>, context: Option<Object>) -> SessionInput {
    let mut members = Object::new();
    let mut context = context.unwrap_or_default();
    if let Some(variables) = variables {
        context.insert("variables", Value::Object(variables.clone()));
        members.insert("parameters", Value::Object(variables));
    }
    members.insert("context", Value::Object(context));
    SessionInput::from_members(members)
}
