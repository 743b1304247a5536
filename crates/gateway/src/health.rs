//! `/healthz` and `/readyz`: report if the process is alive, and if it is ready for calls. Everybody sees the state; only
//! permitted callers see the reason for each toolset.

use axum::{
    extract::State,
    response::{IntoResponse, Response},
};
use callgate_config::{Built, BuiltToolset, Finding};
use callgate_tool::{Object, Value, json};
use http::StatusCode;

use crate::{answer::JsonText, caller::Caller, functions, gateway::Gateway, reloads::End};

/// Says that the process lives.
#[utoipa::path(
    get,
    path = "/healthz",
    operation_id = "showHealth",
    tag = "operation",
    responses(
        (status = 200, description = "The process lives", body = ref("#/components/schemas/Health"), content_type = "application/json"),
    ),
)]
pub(crate) async fn live() -> JsonText {
    JsonText(json!({"status": "ok"}).to_string())
}

/// Reports whether calls are served, and to callers with the right to see it, why not.
#[utoipa::path(
    get,
    path = "/readyz",
    operation_id = "showReadiness",
    tag = "operation",
    responses(
        (status = 200, description = "Calls are served", body = ref("#/components/schemas/Readiness"), content_type = "application/json"),
        (status = 503, description = "Calls should go elsewhere for now", body = ref("#/components/schemas/Readiness"), content_type = "application/json"),
    ),
)]
pub(crate) async fn ready(State(gateway): State<Gateway>, caller: Caller) -> Response {
    let built = gateway.built();
    let is_ready = is_ready(&built) && !gateway.drain().is_draining();
    let mut members = Object::new();
    members.insert("status", if is_ready { "ready" } else { "not_ready" }.into());
    if caller.sees_details {
        let described = built.toolsets.iter().filter(|known| caller.may_use(&known.name));
        let others = functions::toolsets(&built).into_iter().filter(|name| caller.may_use(name));
        let toolsets = described.map(toolset).chain(others.map(of_functions));
        members.insert("toolsets", Value::Array(toolsets.collect()));
        // The last reload names tools of all toolsets.
        let sees_all = caller.is_admin || caller.toolsets.is_none();
        if sees_all && let Some(reload) = gateway.reloads().last().first() {
            members.insert("configuration", configuration(&reload.end));
            members.insert("reload", reload.to_value());
        }
    }
    let body = JsonText(Value::Object(members).to_string());
    let status = if is_ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    (status, body).into_response()
}

/// True unless a toolset that the operator requires has no description. Every toolset was tried before.
fn is_ready(built: &Built) -> bool {
    !built.toolsets.iter().any(|toolset| toolset.is_required && toolset.failure().is_some())
}

fn toolset(toolset: &BuiltToolset) -> Value {
    let (status, why) = match (toolset.failure(), toolset.stale.as_deref()) {
        (Some(why), _) => ("failed", Some(why)),
        (None, Some(why)) => ("stale", Some(why)),
        (None, None) => ("ready", None),
    };
    let mut value = json!({
        "name": toolset.name.as_str(),
        "status": status,
        "required": toolset.is_required,
    });
    if let (Some(members), Some(why)) = (value.as_object_mut(), why) {
        members.insert("why", why.into());
    }
    let findings = toolset.findings();
    if let Some(members) = value.as_object_mut().filter(|_| !findings.is_empty()) {
        members.insert("findings", Value::Array(findings.iter().map(finding).collect()));
    }
    value
}

/// A finding that keeps calls from working, as `callgate check` reports it.
fn finding(finding: &Finding) -> Value {
    json!({
        "code": finding.code,
        "severity": finding.severity.as_str(),
        "message": finding.message.as_str(),
        "help": finding.help.as_str(),
    })
}

/// The state of a toolset without a description: it always has its tools.
fn of_functions(name: &str) -> Value {
    json!({"name": name, "status": "ready", "required": false})
}

/// The state of the configuration: current if the last reload succeeded.
fn configuration(end: &End) -> Value {
    match end {
        End::Refused(_) => "last_good".into(),
        End::Replaced(..) => "current".into(),
    }
}
