//! Further routes, as programs add them: one makes a call, one looks for a tool, one keeps a state, and one shows the digest
//! of its request.

use std::collections::BTreeMap;

use callgate_executor::Execution;
use callgate_tool::{Arguments, ToolCall, Value, json};

use super::{Client, sidecar::Sidecar};
use crate::{Problem, ProblemKind, RouteRequest, Routes, SessionInput};

pub(super) fn routes() -> Routes {
    Routes::new()
        .post("/v1/sessions/{id}:call", call)
        .post("/v1/sessions/{id}:digest", digest)
        .post("/v1/sessions/{id}:keep", keep)
        .post("/v1/sessions/{id}:lose", lose)
        .post("/v1/tools/{name}:find", find)
        .pages(super::pages::show)
}

/// Calls the tool that the body names.
async fn call(request: RouteRequest, body: Value) -> Result<Value, Problem> {
    let input =
        SessionInput::read(body.get("session").cloned())?.with_id(request.path_parameter("id"));
    let session = request.session(input.as_opening_session()).await?;
    let tool = body.get("tool").and_then(Value::as_str).unwrap_or_default();
    let call = ToolCall::new("1", tool, Arguments::new());
    let results = request.calls(session, Execution::Server, [call])?.run().await;
    let results = serde_json::to_string(&results).unwrap();
    Ok(Value::parse(&results).unwrap())
}

async fn digest(request: RouteRequest, _: Value) -> Result<Value, Problem> {
    let idempotency = request.idempotency_key_and_hasher()?;
    Ok(idempotency.map(|(_, hasher)| format!("{:?}", hasher.finish().as_bytes())).into())
}

async fn find(request: RouteRequest, _: Value) -> Result<Value, Problem> {
    let name = request.path_parameter("name");
    let entry = request.find_usable_tool(name).ok_or_else(|| request.absent_tool_problem(name))?;
    Ok(json!({"toolset": entry.toolset()}))
}

async fn keep(request: RouteRequest, body: Value) -> Result<Value, Problem> {
    if request.replace_state_if_unchanged(request.path_parameter("id"), &body, None).await? {
        return Ok(Value::Null);
    }
    Err(Problem::new(ProblemKind::new("https://example.com/kept", 409, "It is kept"), "once"))
}

/// Keeps a state that JSON has no form for.
async fn lose(request: RouteRequest, _: Value) -> Result<Value, Problem> {
    let state = BTreeMap::from([((1, 2), 3)]);
    request
        .replace_state_if_unchanged(request.path_parameter("id"), &state, None)
        .await
        .map(Value::from)
}

#[tokio::test]
async fn a_state_without_a_form_in_json_is_refused_and_not_stored() {
    let sidecar = Sidecar::start("toolsets: {pets: {openapi: pets.yaml}}").await;
    let client = Client::builder().no_proxy().build().unwrap();
    let status = async |path: &str| {
        let request = client.post(format!("{}{path}", sidecar.calls[0])).json(&json!({}));
        request.send().await.unwrap().status().as_u16()
    };
    assert_eq!(status("/v1/sessions/s:lose").await, 503);
    assert_eq!(status("/v1/sessions/s:keep").await, 200, "nothing was kept before");
}
