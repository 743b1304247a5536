//! `GET /v1/admin/report`: the toolsets with their health, and the findings about each with its place in the text. The findings of
//! descriptions are made once for a build: they take as long as loading it.

use std::{path::Path, sync::Arc};

use axum::extract::State;
use callgate_config::{Built, BuiltToolset, Finding, OpenedSource};
use callgate_tool::{Object, Value, json};
use serde::Serialize;
use tokio::task;
use utoipa::ToSchema;

use crate::{
    answer::JsonText,
    bodies,
    caller::Caller,
    functions,
    gateway::Gateway,
    problem::{Problem, ProblemKind},
    query::Query,
    report_cache::{ExaminedToolset, MOST_FINDINGS},
};

/// The toolsets, and the findings about the configuration
#[derive(Serialize, ToSchema)]
pub(crate) struct LoadReport {
    #[schema(value_type = Vec<bodies::ReportedToolset>, inline)]
    toolsets: Vec<Value>,
    /// The findings about the configuration, and about secrets and logins that are missing
    #[schema(value_type = Vec<bodies::LocatedFinding>, inline)]
    diagnostics: Vec<Value>,
}

/// Shows how the toolsets were loaded: their health, and each finding with its place in the text.
#[utoipa::path(
    get, path = "/v1/admin/report",
    operation_id = "showReport", tag = "operation",
    params(("toolset" = Option<String>, Query, description = "Only this toolset")),
    responses(
        (status = 200, description = "The toolsets and the findings", body = LoadReport),
        (status = 403, description = "The caller is no admin"),
        (status = 404, description = "There is no such toolset"),
    ),
)]
pub(crate) async fn show_report(
    State(gateway): State<Gateway>,
    caller: Caller,
    mut query: Query,
) -> Result<JsonText, Problem> {
    let toolset = query.take_parameter("toolset")?;
    query.refuse_remaining("`toolset`")?;
    let _permit = gateway.listing_permit(&caller).await?;
    let built = gateway.current_build();
    let described = described_toolsets(&gateway, &built).await?;
    let is_shown = |name: &str| {
        caller.may_use(name) && toolset.as_deref().is_none_or(|toolset| toolset == name)
    };
    let name_of = |toolset: &Value| toolset.get("name").and_then(Value::as_str).map(str::to_owned);
    let mut toolsets: Vec<Value> = described.iter().cloned().collect();
    let others = functions::function_only_toolsets(&built).into_iter();
    toolsets.extend(others.map(|name| source_toolset_report(&built, name)));
    toolsets.retain(|toolset| name_of(toolset).is_some_and(|name| is_shown(&name)));
    if let Some(toolset) = toolset.as_ref().filter(|_| toolsets.is_empty()) {
        let detail = format!("`toolset`: expected one that is served, got: `{toolset}`");
        return Err(Problem::new(ProblemKind::ABSENT_RESOURCE, detail));
    }
    let own = built.warnings.iter().chain(&built.lacking);
    let diagnostics = own.map(|finding| finding_json(&built, finding)).collect();
    Ok(JsonText::from_body(&LoadReport { toolsets, diagnostics }))
}

async fn described_toolsets(
    gateway: &Gateway,
    built: &Arc<Built>,
) -> Result<Arc<Vec<Value>>, Problem> {
    let cache = gateway.report_cache();
    if let Some(toolsets) = cache.cached_toolsets(built) {
        return Ok(toolsets);
    }
    let (of_build, mut examined) = (Arc::clone(built), cache.take_examined(built));
    let reported = task::spawn_blocking(move || {
        if examined.is_empty() {
            examined = of_build.toolsets.iter().map(ExaminedToolset::examine).collect();
        }
        let each = of_build.toolsets.iter().zip(examined);
        each.map(|(toolset, examined)| described_toolset(&of_build, toolset, examined)).collect()
    });
    let toolsets: Vec<Value> = reported.await.map_err(|_| {
        Problem::new(ProblemKind::UNAVAILABLE, "the report was ended before it was made")
    })?;
    Ok(cache.keep_toolsets(built, toolsets))
}

/// A toolset with a description: its operations by their status, and its findings.
fn described_toolset(built: &Built, toolset: &BuiltToolset, examined: ExaminedToolset) -> Value {
    let ExaminedToolset { mut report, n_tokens, n_exposed, n_degraded, n_refused, n_more } =
        examined;
    if !report.diagnostics.is_empty()
        && let Ok(text) = toolset.text()
    {
        toolset.locate(&text, &mut report.diagnostics);
    }
    let mut findings = Vec::new();
    if let Some(why) = toolset.failure().filter(|_| report.diagnostics.is_empty()) {
        findings.push(json!({"code": "unreadable-file", "severity": "error", "message": why}));
    }
    for diagnostic in &report.diagnostics {
        let file = match diagnostic.file.as_deref() {
            None => toolset.file.clone(),
            Some(address) if address.starts_with("https:") => address.into(),
            Some(name) => toolset.file.with_file_name(name),
        };
        let mut finding = finding_json(built, &Finding::of_diagnostic(file, diagnostic.clone()));
        if let (Some(operation), Some(members)) = (&diagnostic.operation, finding.as_object_mut()) {
            members.insert("operation", operation.as_str().into());
            members.insert("operations", json!(diagnostic.n_more + 1));
        }
        findings.push(finding);
    }
    let status = match (toolset.failure(), &toolset.stale) {
        (Some(_), _) => "failed",
        (None, Some(_)) => "stale",
        (None, None) => "ready",
    };
    let mut reported = Object::from([
        ("name", toolset.name.as_str().into()),
        ("status", status.into()),
        ("required", toolset.is_required.into()),
        ("file", path_below_configuration(built, &toolset.file).into()),
        ("version", toolset.version.as_str().into()),
        ("tools", json!(toolset.operations.len())),
        ("tokens", json!(n_tokens)),
        ("exposed", json!(n_exposed)),
        ("degraded", json!(n_degraded)),
        ("refused", json!(n_refused)),
        ("diagnostics", Value::Array(findings)),
        ("more", json!(n_more)),
    ]);
    reported.insert_if_some("why", toolset.failure().or(toolset.stale.as_deref()));
    reported.into()
}

/// A toolset without a description: that of its source, if it has one.
fn source_toolset_report(built: &Built, name: &str) -> Value {
    let source = built.sources.iter().find(|source| source.name == name);
    let failure = source.and_then(|source| source.failure.as_deref());
    let findings = source.map(OpenedSource::findings).unwrap_or_default();
    let n_more = findings.len().saturating_sub(MOST_FINDINGS);
    let unreachable = source.and_then(|source| source.unreachable.as_ref());
    let shown = unreachable.into_iter().chain(&findings).take(MOST_FINDINGS);
    let shown = shown.map(|finding| finding_json(built, finding)).collect();
    let tools = functions::function_entries(built).filter(|entry| entry.toolset() == name);
    let (mut n_tools, mut n_tokens) = (0_usize, 0_usize);
    for tool in tools.filter_map(callgate_executor::Entry::declaration) {
        n_tools += 1;
        n_tokens += tool.tokens();
    }
    let mut reported = Object::from([
        ("name", name.into()),
        ("kind", source.map_or("functions", |source| source.key).into()),
        ("status", if failure.is_some() { "failed" } else { "ready" }.into()),
        ("required", source.is_some_and(|source| source.is_required).into()),
        ("tools", json!(n_tools)),
        ("tokens", json!(n_tokens)),
        ("diagnostics", Value::Array(shown)),
        ("more", json!(n_more)),
    ]);
    reported.insert_if_some("why", failure);
    reported.into()
}

fn finding_json(built: &Built, finding: &Finding) -> Value {
    let mut members = Object::from([
        ("code", finding.code.into()),
        ("severity", finding.severity.as_str().into()),
        ("message", finding.message.as_str().into()),
    ]);
    let texts =
        [("help", finding.help.clone()), ("file", path_below_configuration(built, &finding.file))];
    for (name, text) in texts.into_iter().filter(|(_, text)| !text.is_empty()) {
        members.insert(name, text.into());
    }
    if let Some(position) = finding.position {
        members.insert("line", json!(position.line));
        members.insert("column", json!(position.column));
    }
    members.insert_unless_empty("pointer", finding.pointer.as_str());
    members.into()
}

/// The name of a file below the folder of the configuration; elsewhere its whole path.
fn path_below_configuration(built: &Built, file: &Path) -> String {
    file.strip_prefix(&built.base).unwrap_or(file).display().to_string()
}
