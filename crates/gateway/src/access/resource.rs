//! The sidecar as a resource of OAuth 2.1: its metadata (RFC 9728), and the parameters of a challenge for a client
//! that needs to request a token (RFC 6750 §3, MCP 2026-07-28, authorization).

use std::collections::BTreeSet;

use axum::response::{IntoResponse, Response};
use callgate_config::{AccessConfig, Built};
use callgate_tool::{Value, json};
use http::{header, request::Parts};

use crate::{
    answer::JsonText,
    peer::Encrypted,
    problem::{Problem, ProblemKind},
};

/// The path of metadata; the path they describe follows it (RFC 9728 §3.1).
const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";

/// True for the path of metadata, which everybody may read.
pub(crate) fn is_metadata_path(path: &str) -> bool {
    metadata_resource_path(path).is_some()
}

pub(crate) fn is_mcp_path(path: &str) -> bool {
    let below = path.strip_prefix("/mcp").unwrap_or("-");
    below.is_empty() || below.strip_prefix('/').is_some_and(|name| !name.contains('/'))
}

/// Returns the metadata of the sidecar, of `/mcp` or of `/mcp/{toolset}`. The response does not reveal whether a toolset
/// exists.
pub(crate) fn answer_metadata(built: &Built, head: &Parts) -> Result<Response, Problem> {
    let access = built.serving.access.as_ref().filter(|access| !access.issuers.is_empty());
    let metadata_inputs =
        access.zip(metadata_resource_path(head.uri.path())).zip(sidecar_origin(built, head));
    let Some(((access, path), origin)) = metadata_inputs else {
        let detail = "no issuer of tokens is configured: `access: {jwt: […]}`";
        return Err(Problem::new(ProblemKind::UNKNOWN_PATH, detail));
    };
    Ok(JsonText(resource_metadata(access, &format!("{origin}{path}")).to_string()).into_response())
}

fn resource_metadata(access: &AccessConfig, resource: &str) -> Value {
    let issuers = distinct_texts(access.issuers.iter().map(|issuer| &issuer.issuer));
    let scopes =
        distinct_texts(access.issuers.iter().flat_map(|issuer| issuer.scopes.values().flatten()));
    let mut metadata = json!({
        "resource": resource,
        "resource_name": "callgate",
        "authorization_servers": Value::Array(issuers),
        "bearer_methods_supported": ["header"],
    });
    if let Some(members) = metadata.as_object_mut().filter(|_| !scopes.is_empty()) {
        members.insert("scopes_supported", Value::Array(scopes));
    }
    metadata
}

/// Each text once, in order.
fn distinct_texts<'t>(texts: impl Iterator<Item = &'t String>) -> Vec<Value> {
    let texts: BTreeSet<_> = texts.collect();
    texts.into_iter().map(|text| Value::from(&**text)).collect()
}

fn metadata_resource_path(path: &str) -> Option<&str> {
    let path = path.strip_prefix(WELL_KNOWN)?;
    (path.is_empty() || is_mcp_path(path)).then_some(path)
}

/// The parameters of a challenge: the address of this path's metadata, and the scopes that a token needs. `None` if no
/// issuer makes tokens.
pub(crate) fn challenge_parameters(
    built: &Built,
    head: &Parts,
    scopes: &[String],
) -> Option<String> {
    let access = built.serving.access.as_ref().filter(|access| !access.issuers.is_empty())?;
    let path = head.uri.path();
    let toolset = path.strip_prefix("/mcp/").unwrap_or_default();
    let path = if is_mcp_path(path) { path } else { "" };
    let origin = sidecar_origin(built, head)?;
    let mut challenge = format!(r#"resource_metadata="{origin}{WELL_KNOWN}{path}""#);
    let of_toolset = access.issuers.iter().filter_map(|issuer| issuer.scopes.get(toolset));
    let wanted: BTreeSet<_> = of_toolset.flatten().chain(scopes).map(String::as_str).collect();
    if !wanted.is_empty() {
        let wanted = wanted.into_iter().collect::<Vec<_>>().join(" ");
        challenge.push_str(&format!(r#", scope="{wanted}""#));
    }
    Some(challenge)
}

/// The origin under which the caller knows the sidecar: the configured one, else that of the request, whose `Host` was checked.
fn sidecar_origin(built: &Built, head: &Parts) -> Option<String> {
    if let Some(url) = built.serving.access.as_ref().and_then(|access| access.url.clone()) {
        return Some(url);
    }
    let of_header = || head.headers.get(header::HOST)?.to_str().ok();
    let authority = head.uri.authority().map(http::uri::Authority::as_str).or_else(of_header)?;
    let is_quotable =
        authority.bytes().all(|byte| byte.is_ascii_graphic() && !b"\"\\".contains(&byte));
    let scheme = if head.extensions.get::<Encrypted>().is_some() { "https" } else { "http" };
    is_quotable.then(|| format!("{scheme}://{authority}"))
}
