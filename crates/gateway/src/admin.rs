//! `/v1/admin/*`: an operator's requests to a running sidecar. The operator was identified before.

mod calls;
mod report;

use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

pub(crate) use self::{
    calls::{__path_list_calls, __path_show_call, list_calls, show_call},
    report::{__path_show_report, show_report},
};
use crate::{
    answer::JsonText,
    gateway::Gateway,
    problem::{Problem, ProblemKind},
    reloads::ReloadBody,
};

#[derive(Serialize, ToSchema)]
pub(crate) struct Reloads<'r> {
    /// The newest first
    reloads: Vec<ReloadBody<'r>>,
}

/// Lists the last reloads, the newest first, and what each changed for agents.
#[utoipa::path(
    get, path = "/v1/admin/changes",
    operation_id = "listReloads", tag = "operation",
    responses(
        (status = 200, description = "The last reloads", body = Reloads<'_>),
        (status = 403, description = "The caller is no admin"),
    ),
)]
pub(crate) async fn changes(State(gateway): State<Gateway>) -> JsonText {
    let reloads = gateway.reloads().last_reloads();
    JsonText::from_body(&Reloads {
        reloads: reloads.iter().map(|reload| reload.reload_body()).collect(),
    })
}

/// Reloads the configuration and its descriptions, and reports the outcome.
#[utoipa::path(
    post, path = "/v1/admin/reload",
    operation_id = "reload", tag = "operation",
    responses(
        (status = 200, description = "How the reload ended: the new configuration is served, or the last good one stays", body = ReloadBody<'_>),
        (status = 403, description = "The caller is no admin"),
        (status = 404, description = "The program that serves this reads nothing again"),
    ),
)]
pub(crate) async fn reload(State(gateway): State<Gateway>) -> Result<JsonText, Problem> {
    let reload = gateway.reloads().request_reload().await.ok_or_else(|| {
        let detail = "this sidecar is part of a program that reads nothing again";
        Problem::new(ProblemKind::ABSENT_RESOURCE, detail)
    })?;
    Ok(JsonText::from_body(&reload.reload_body()))
}
