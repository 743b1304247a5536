//! `GET /v1/tools` and `GET /v1/tools/{name}`: what a model may call.

use axum::extract::{Path, State};
use callgate_dialect::Dialect;
use callgate_executor::Entry;
use callgate_tool::{Value, json};

use crate::{
    answer::JsonText,
    gateway::Gateway,
    problem::{Problem, ProblemKind},
};

/// The declarations of all tools.
pub(crate) async fn list(State(gateway): State<Gateway>) -> JsonText {
    let built = gateway.built();
    let tools = built.executor.entries().filter_map(Entry::declaration);
    let tools = tools.map(|tool| Dialect::Json.declaration(tool)).collect();
    JsonText(json!({"tools": Value::Array(tools)}).to_string())
}

/// One tool.
pub(crate) async fn show(
    State(gateway): State<Gateway>,
    Path(name): Path<String>,
) -> Result<JsonText, Problem> {
    let built = gateway.built();
    let entry = built.executor.find(&name);
    let tool = entry.and_then(Entry::declaration).ok_or_else(|| {
        Problem::new(ProblemKind::AbsentResource, "`GET /v1/tools` lists the tools there are")
    })?;
    Ok(JsonText(Dialect::Json.declaration(tool).to_string()))
}
