//! `/healthz` and `/readyz`: report if the process is alive, and if it is ready for calls. Everybody sees the state; only
//! permitted callers see the reason for each toolset.

use axum::{
    extract::State,
    response::{IntoResponse, Response},
};
use callgate_config::{Built, BuiltToolset, Finding, OpenedSource};
use callgate_tool::{Value, json};
use http::StatusCode;
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    answer::JsonText,
    bodies,
    caller::{Caller, Details},
    functions,
    gateway::Gateway,
    reloads::{End, ReloadBody},
};

#[derive(Serialize, ToSchema)]
pub(crate) struct Health {
    #[schema(inline)]
    status: Life,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum Life {
    Ok,
}

/// The state of the sidecar; the other members only for those who may see them
#[derive(Serialize, ToSchema)]
pub(crate) struct Readiness<'b> {
    #[schema(inline)]
    status: Status,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(inline, nullable = false)]
    toolsets: Option<Vec<ToolsetState<'b>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(inline, nullable = false)]
    configuration: Option<Configuration>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    reload: Option<ReloadBody<'b>>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum Status {
    NotReady,
    Ready,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum Configuration {
    Current,
    LastGood,
}

#[derive(Serialize, ToSchema)]
struct ToolsetState<'b> {
    name: &'b str,
    #[schema(inline)]
    status: ToolsetStatus,
    /// True if the sidecar is not ready without it
    required: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    why: Option<&'b str>,
    /// The findings that keep calls of the toolset from working, or files from being searched, as `callgate check` reports them
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<bodies::Finding>, inline)]
    findings: Vec<Value>,
}

/// `stale`: the last description stays in use while there is no new one
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum ToolsetStatus {
    Failed,
    Ready,
    Stale,
}

/// Says that the process lives.
#[utoipa::path(
    get, path = "/healthz",
    operation_id = "showHealth", tag = "operation",
    responses((status = 200, description = "The process lives", body = Health)),
)]
pub(crate) async fn live() -> JsonText {
    JsonText::from_body(&Health { status: Life::Ok })
}

/// Reports whether calls are served, and to callers with the right to see it, why not.
#[utoipa::path(
    get, path = "/readyz",
    operation_id = "showReadiness", tag = "operation",
    responses(
        (status = 200, description = "Calls are served", body = Readiness<'_>),
        (status = 503, description = "Calls should go elsewhere for now", body = Readiness<'_>),
    ),
)]
pub(crate) async fn ready(State(gateway): State<Gateway>, caller: Caller) -> Response {
    let built = gateway.current_build();
    let is_ready = are_required_toolsets_ready(&built) && !gateway.drain().is_draining();
    let status = if is_ready { Status::Ready } else { Status::NotReady };
    let mut body = Readiness { status, toolsets: None, configuration: None, reload: None };
    let reloads = gateway.reloads().last_reloads();
    if caller.details == Details::Shown {
        let described = built
            .toolsets
            .iter()
            .filter(|described_toolset| caller.may_use(&described_toolset.name));
        let others = functions::function_only_toolsets(&built)
            .into_iter()
            .filter(|name| caller.may_use(name));
        body.toolsets = Some(
            described
                .map(toolset_state)
                .chain(others.map(|name| source_or_function_state(&built, name)))
                .collect(),
        );
        // The last reload names tools of all toolsets.
        let sees_all = caller.is_admin || caller.toolsets.is_none();
        if sees_all && let Some(reload) = reloads.first() {
            body.configuration = Some(match reload.end {
                End::Refused(_) => Configuration::LastGood,
                End::Replaced(..) => Configuration::Current,
            });
            body.reload = Some(reload.reload_body());
        }
    }
    let status = if is_ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    (status, JsonText::from_body(&body)).into_response()
}

/// True unless a toolset that the operator requires has no description, or no database. Every toolset was tried before.
fn are_required_toolsets_ready(built: &Built) -> bool {
    let is_lacking = |toolset: &BuiltToolset| toolset.is_required && toolset.failure().is_some();
    let is_down = |source: &OpenedSource| source.is_required && source.failure.is_some();
    !built.toolsets.iter().any(is_lacking) && !built.sources.iter().any(is_down)
}

fn toolset_state(toolset: &BuiltToolset) -> ToolsetState<'_> {
    let (status, why) = match (toolset.failure(), toolset.stale.as_deref()) {
        (Some(why), _) => (ToolsetStatus::Failed, Some(why)),
        (None, Some(why)) => (ToolsetStatus::Stale, Some(why)),
        (None, None) => (ToolsetStatus::Ready, None),
    };
    let findings = toolset.findings().iter().map(finding_json).collect();
    ToolsetState { name: &toolset.name, status, required: toolset.is_required, why, findings }
}

fn finding_json(finding: &Finding) -> Value {
    json!({
        "code": finding.code,
        "severity": finding.severity.as_str(),
        "message": finding.message.as_str(),
        "help": finding.help.as_str(),
    })
}

/// The state of a toolset without a description: that of its source, if it has one, with the findings about its contents.
/// Functions are always there.
fn source_or_function_state<'b>(built: &'b Built, name: &'b str) -> ToolsetState<'b> {
    let source = built.sources.iter().find(|source| source.name == name);
    let why = source.and_then(|source| source.failure.as_deref());
    let status = if why.is_some() { ToolsetStatus::Failed } else { ToolsetStatus::Ready };
    let required = source.is_some_and(|source| source.is_required);
    let findings = source.map(OpenedSource::findings).unwrap_or_default();
    let findings = findings.iter().take(MOST_FINDINGS).map(finding_json).collect();
    ToolsetState { name, status, required, why, findings }
}

/// The most findings of one toolset: a folder may have many files.
const MOST_FINDINGS: usize = 50;
