//! Further routes, as programs add them: one makes a call, one looks for a tool, one keeps a state, and one shows the digest
//! of its request.

use callgate_executor::Execution;
use callgate_tool::{Arguments, ToolCall, Value, json};

use crate::{Problem, ProblemKind, RouteRequest, Routes, SessionInput};

pub(super) fn routes() -> Routes {
    Routes::new()
        .post("/v1/sessions/{id}:call", call)
        .post("/v1/sessions/{id}:digest", digest)
        .post("/v1/sessions/{id}:keep", keep)
        .post("/v1/tools/{name}:find", find)
}

/// Calls the tool that the body names.
async fn call(request: RouteRequest, body: Value) -> Result<Value, Problem> {
    let input = SessionInput::read(body.get("session").cloned())?.of(request.parameter("id"));
    let session = request.session(input.opening()).await?;
    let tool = body.get("tool").and_then(Value::as_str).unwrap_or_default();
    let call = ToolCall::new("1", tool, Arguments::new());
    let results = request.calls(session, Execution::Server, [call])?.run().await;
    let results = serde_json::to_string(&results).unwrap();
    Ok(Value::parse(&results).unwrap())
}

async fn digest(request: RouteRequest, _: Value) -> Result<Value, Problem> {
    let idempotency = request.idempotency()?;
    Ok(idempotency.map(|(_, hasher)| format!("{:?}", hasher.finish().as_bytes())).into())
}

async fn find(request: RouteRequest, _: Value) -> Result<Value, Problem> {
    let name = request.parameter("name");
    let entry = request.find(name).ok_or_else(|| request.no_tool(name))?;
    Ok(json!({"toolset": entry.toolset()}))
}

async fn keep(request: RouteRequest, body: Value) -> Result<Value, Problem> {
    if request.put_state(request.parameter("id"), &body, None).await? {
        return Ok(Value::Null);
    }
    Err(Problem::new(ProblemKind::new("https://example.com/kept", 409, "It is kept"), "once"))
}
