//! `/v1/admin/*`: what an operator asks of a running sidecar. Who is one was decided before.

use axum::extract::State;
use callgate_tool::{Value, json};

use crate::{
    answer::JsonText,
    gateway::Gateway,
    problem::{Problem, ProblemKind},
};

/// `GET /v1/admin/changes`: the last reloads, the newest first, and what each changed for agents.
pub(crate) async fn changes(State(gateway): State<Gateway>) -> JsonText {
    let reloads = gateway.reloads().last();
    let reloads = reloads.iter().map(|reload| reload.to_value()).collect();
    JsonText(json!({"reloads": Value::Array(reloads)}).to_string())
}

/// `POST /v1/admin/reload`: reads everything again, and answers how that ended.
pub(crate) async fn reload(State(gateway): State<Gateway>) -> Result<JsonText, Problem> {
    let reload = gateway.reloads().ask().await.ok_or_else(|| {
        let detail = "this sidecar is part of a program that reads nothing again";
        Problem::new(ProblemKind::AbsentResource, detail)
    })?;
    Ok(JsonText(reload.to_value().to_string()))
}
