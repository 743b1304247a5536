//! The published tool service of Customer Engagement Suite: `:executeTool`, `:retrieveToolSchema`, `:retrieveTools`. Calls
//! run like those of `/v1/calls`.

mod mocks;
mod schema;

use std::sync::Arc;

use axum::{
    extract::State,
    response::{IntoResponse, Response},
};
use callgate_call::wording;
use callgate_config::Built;
use callgate_executor::{Entry, Execution};
use callgate_tool::{Journal, Object, Outcome, Session, Tool, ToolResult, Value, json};
use http::HeaderMap;

use self::mocks::{Mocked, mocked};
use crate::{
    answer::JsonText,
    caller::Caller,
    calls::{Batch, Mode, RequestedCall, idempotency_key, wrong},
    ces_paths::{AppPath, unknown},
    described::OfApp,
    dialects::entry,
    gateway::Gateway,
    json_body::{JsonBody, malformed},
    observe::trace_of,
    problem::{Problem, ProblemKind},
    runs::{named, read, response, take},
    sessions::Inline,
    tools::absent,
};

/// Calls one tool.
#[utoipa::path(
    post,
    path = "/v1/projects/{project}/locations/{location}/apps/{app}:executeTool",
    operation_id = "executeTool",
    tag = "calls",
    params(OfApp),
    request_body(content = ref("#/components/schemas/ExecuteToolRequest"), content_type = "application/json", description = "The call"),
    responses(
        (status = 200, description = "How the call ended", body = ref("#/components/schemas/ExecuteToolAnswer"), content_type = "application/json"),
        (status = 404, description = "There is no such tool, or the path has no such verb"),
    ),
)]
pub(crate) async fn of_app(
    State(gateway): State<Gateway>,
    caller: Caller,
    path: AppPath,
    headers: HeaderMap,
    body: JsonBody,
) -> Result<Response, Problem> {
    let Value::Object(members) = body.value else {
        return Err(wrong("the body", "an object", Some(&body.value)));
    };
    match &*path.verb {
        "executeTool" => execute(&gateway, &caller, &headers, &path, members).await,
        "retrieveToolSchema" => retrieve_schema(&gateway.built(), &caller, &members),
        _ => Err(unknown()),
    }
}

/// Returns the schemas of one tool.
#[utoipa::path(
    post,
    path = "/v1/projects/{project}/locations/{location}/apps/{app}:retrieveToolSchema",
    operation_id = "retrieveToolSchema",
    tag = "tools",
    params(OfApp),
    request_body(content = ref("#/components/schemas/NamedTool"), content_type = "application/json", description = "The tool"),
    responses(
        (status = 200, description = "The schemas in the words of Customer Engagement Suite", body = ref("#/components/schemas/ToolSchemaAnswer"), content_type = "application/json"),
        (status = 404, description = "There is no such tool, or the path has no such verb"),
    ),
)]
fn retrieve_schema(built: &Built, caller: &Caller, members: &Object) -> Result<Response, Problem> {
    let call = Value::Object(members.clone());
    let (mut answer, name) = (named(members), meant(built, caller, &call)?.0.call.tool);
    answer.remove("displayName");
    let tool = entry(built, caller, &name).and_then(Entry::declaration);
    let tool = tool.ok_or_else(|| absent(built, caller, &name))?;
    answer.insert("inputSchema", schema::of(&tool.input_schema.to_value()));
    if let Some(output) = tool.output_schema() {
        answer.insert("outputSchema", schema::of(&output.to_value()));
    }
    Ok(JsonText(Value::Object(answer).to_string()).into_response())
}

/// Lists tools of a toolset.
#[utoipa::path(
    post,
    path = "/v1/projects/{project}/locations/{location}/apps/{app}/toolsets/{toolset}:retrieveTools",
    operation_id = "retrieveTools",
    tag = "tools",
    params(
        OfApp,
        ("toolset" = String, Path, description = "The toolset's name"),
    ),
    request_body(content = ref("#/components/schemas/RetrieveToolsRequest"), content_type = "application/json", description = "Which tools; all without"),
    responses(
        (status = 200, description = "The tools", body = ref("#/components/schemas/RetrieveToolsAnswer"), content_type = "application/json"),
        (status = 404, description = "There is no such toolset, or the path has no such verb"),
    ),
)]
pub(crate) async fn of_toolset(
    State(gateway): State<Gateway>,
    caller: Caller,
    path: AppPath,
    body: JsonBody,
) -> Result<Response, Problem> {
    let (Some(toolset), "retrieveTools") = (&path.below, &*path.verb) else {
        return Err(unknown());
    };
    let Value::Object(mut members) = body.value else {
        return Err(wrong("the body", "an object", Some(&body.value)));
    };
    let ids = match take(&mut members, &["toolIds", "tool_ids"]) {
        None => Vec::new(),
        Some(Value::Array(ids)) => ids,
        other => return Err(wrong("toolIds", "an array", other.as_ref())),
    };
    let built = gateway.built();
    let entries = built.executor.entries();
    let mut entries = entries
        .filter(|entry| entry.toolset() == toolset && caller.may_use(entry.toolset()))
        .peekable();
    if entries.peek().is_none() {
        let detail = "`GET /v1/tools` lists the tools there are, with their toolsets";
        return Err(Problem::new(ProblemKind::ABSENT_RESOURCE, detail));
    }
    let resource = path.toolset();
    let listed = entries.filter_map(|entry| {
        let (tool, id) = (entry.declaration()?, id_of(entry, toolset));
        let is_asked = ids.is_empty() || ids.iter().any(|asked| asked.as_str() == Some(id));
        is_asked.then(|| shown(entry, tool, &resource, id))
    });
    let answer = json!({"tools": Value::Array(listed.collect())});
    Ok(JsonText(answer.to_string()).into_response())
}

/// The name of a tool within its toolset: the `operationId`, or the tool's name without the toolset's.
fn id_of<'e>(entry: Entry<'e>, toolset: &str) -> &'e str {
    let name = entry.name().as_str();
    let operation = entry.operation().and_then(|operation| operation.operation_id.as_deref());
    let own = || name.strip_prefix(toolset).and_then(|rest| rest.strip_prefix('-'));
    operation.or_else(own).unwrap_or(name)
}

fn shown(entry: Entry<'_>, tool: &Tool, toolset: &str, id: &str) -> Value {
    let mut shown = Object::new();
    shown.insert("name", Value::String(format!("{toolset}/tools/{id}")));
    shown.insert("displayName", Value::from(tool.name.as_str()));
    shown.insert("executionType", Value::from("SYNCHRONOUS"));
    let about = json!({"name": id, "description": tool.description});
    if entry.operation().is_some() {
        shown.insert("openApiTool", about);
        return shown.into();
    }
    let mut function = about;
    if let Some(members) = function.as_object_mut() {
        members.insert("parameters", schema::of(&tool.input_schema.to_value()));
        if let Some(output) = tool.output_schema() {
            members.insert("response", schema::of(&output.to_value()));
        }
    }
    shown.insert("clientFunction", function);
    shown.into()
}

async fn execute(
    gateway: &Gateway,
    caller: &Caller,
    headers: &HeaderMap,
    path: &AppPath,
    mut members: Object,
) -> Result<Response, Problem> {
    let built = gateway.built();
    let mock = take(&mut members, &["mockConfig", "mock_config"]);
    let variables = object("variables", take(&mut members, &["variables"]))?;
    let context = object("context", take(&mut members, &["context"]))?;
    if variables.is_some() && context.is_some() {
        return Err(malformed("expected `variables` or `context`, got both"));
    }
    let mut answer = named(&members);
    answer.remove("displayName");
    let (asked, arguments) = meant(&built, caller, &Value::Object(members))?;
    let is_meant = |mock: &Object| is_mock_of(&built, caller, mock, &asked.call.tool);
    let ended = match mocked(mock, &arguments, is_meant)? {
        Mocked::Answered(response) => response,
        Mocked::Refused => failed(&asked, wording::client::not_mocked()),
        Mocked::PassedThrough => {
            let session = inline(variables.clone(), context).in_context(&path.context());
            let sessions = gateway.sessions();
            let session = session.completed(sessions, &built.sessions, caller, headers).await?;
            made(&batch(gateway, caller, headers, built, session)?, asked).await
        }
    };
    answer.insert("response", ended);
    answer.insert("variables", Value::Object(variables.unwrap_or_default()));
    Ok(JsonText(Value::Object(answer).to_string()).into_response())
}

/// The settings for the single call of a request.
fn batch(
    gateway: &Gateway,
    caller: &Caller,
    headers: &HeaderMap,
    built: Arc<Built>,
    session: Session,
) -> Result<Batch, Problem> {
    Ok(Batch {
        built,
        caller: caller.clone(),
        session,
        is_dry_run: false,
        mode: Mode::Parallel,
        execution: Execution::Server,
        trace: trace_of(headers),
        key: idempotency_key(headers)?,
        stop: gateway.drain().stop(),
        keeper: None,
    })
}

/// Makes the call.
async fn made(batch: &Batch, asked: RequestedCall) -> Value {
    let asked = [asked];
    let results = batch.results(&asked).await;
    let [asked] = &asked;
    match results.first() {
        Some(ToolResult { outcome: Outcome::Pending(_), .. }) | None => {
            failed(asked, wording::client::nobody_runs())
        }
        Some(result) => response(&result.id, &result.tool, result),
    }
}

/// The call that a request means, and its arguments.
fn meant(built: &Built, caller: &Caller, call: &Value) -> Result<(RequestedCall, Object), Problem> {
    let message = json!({"toolCalls": {"toolCalls": [call.clone()]}});
    let read = read(built, caller, message)?;
    let call = read.to_make().first().map(|&call| call.clone());
    let call =
        call.ok_or_else(|| malformed("expected `tool` or `toolsetTool`, and `args` as an object"))?;
    let arguments = call.arguments.clone();
    Ok((RequestedCall::from(call), arguments))
}

/// True if a mock is for a tool: `toolId` or `tool` gives its resource's name, `toolset` both names.
fn is_mock_of(built: &Built, caller: &Caller, mock: &Object, tool: &str) -> bool {
    let text = ["toolId", "tool_id", "tool"].iter().find_map(|name| mock.get(name)?.as_str());
    let toolset = ["toolset", "toolsetTool", "toolset_tool"].iter().find_map(|name| mock.get(name));
    let call = match (text, toolset) {
        (Some(name), _) => json!({"tool": name}),
        (None, Some(toolset)) => json!({"toolsetTool": toolset.clone()}),
        (None, None) => return false,
    };
    meant(built, caller, &call).is_ok_and(|(asked, _)| asked.call.tool == tool)
}

fn inline(variables: Option<Object>, context: Option<Object>) -> Inline {
    let mut members = Object::new();
    let mut context = context.unwrap_or_default();
    if let Some(variables) = variables {
        context.insert("variables", Value::Object(variables.clone()));
        members.insert("parameters", Value::Object(variables));
    }
    members.insert("context", Value::Object(context));
    Inline::of_members(members)
}

fn failed(asked: &RequestedCall, fault: Box<callgate_tool::Fault>) -> Value {
    let (id, tool) = (asked.call.id.clone(), asked.call.tool.clone());
    let (outcome, journal) = (Outcome::Failed(fault), Journal::default());
    let result = ToolResult { id, tool, outcome, journal };
    response(&result.id, &result.tool, &result)
}

fn object(at: &str, value: Option<Value>) -> Result<Option<Object>, Problem> {
    match value {
        None => Ok(None),
        Some(Value::Object(members)) => Ok(Some(members)),
        other => Err(wrong(at, "an object", other.as_ref())),
    }
}
