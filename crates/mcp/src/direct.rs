//! Answers calls over HTTP without the library if the request is plain and one message answers it, because the library starts a
//! task and a loop for each. The library handles all requests that it must judge (other revisions, headers that do not match,
//! progress).

use bytes::Bytes;
use callgate_config::McpSchemas;
use callgate_tool::Value;
use http::{HeaderMap, HeaderValue, Response, StatusCode, header, request::Parts};
use rmcp::{ErrorData, model::ErrorCode};

use crate::{
    abilities::{Abilities, Channel},
    calls::{Answer, Incoming, handle_call},
    elicitation::CallOrigin,
    host::Host,
    message::ExactCall,
};

/// The abilities of a call's client, if the call can be answered here.
pub(crate) fn client_abilities_if_direct(
    head: &Parts,
    exact: &ExactCall,
    schemas: McpSchemas,
) -> Option<Abilities> {
    let headers = &head.headers;
    let tool = exact.tool.as_deref().filter(|_| exact.is_plain)?;
    // Only clients that see whole schemas learn of arguments in headers.
    let has_schemas = schemas == McpSchemas::Portable;
    let takes = single_header(headers, &header::ACCEPT)?;
    let is_json = single_header(headers, &header::CONTENT_TYPE)? == JSON;
    let takes_both = takes.contains(JSON) && takes.contains(EVENTS);
    if !(has_schemas && is_json && takes_both) || exact.meta.contains_key("progressToken") {
        return None;
    }
    let asked = exact.meta.get(VERSION).map(Value::as_str);
    match (single_header(headers, "mcp-protocol-version")?, asked) {
        (MODERN, Some(Some(MODERN))) => {
            let is_named = single_header(headers, "mcp-method")? == "tools/call"
                && single_header(headers, "mcp-name")? == tool
                && !headers.keys().any(|name| name.as_str().starts_with("mcp-param-"));
            let capabilities = exact.meta.get(CAPABILITIES).filter(|_| is_named)?;
            Abilities::from_declared(capabilities)
        }
        (version, None) if LEGACY.contains(&version) => {
            let is_bare = ["mcp-method", "mcp-name", "mcp-session-id"]
                .iter()
                .all(|name| !headers.contains_key(*name));
            is_bare.then(Abilities::none)
        }
        _ => None,
    }
}

pub(crate) async fn answer_call_directly(
    host: &dyn Host,
    head: &Parts,
    exact: &ExactCall,
    abilities: Abilities,
) -> Response<Bytes> {
    let incoming =
        Incoming { head: Some(head), origin: CallOrigin { exact, abilities, peer: None } };
    let is_modern = abilities.channel == Channel::Rounds;
    let (status, member, text) = match Box::pin(handle_call(host, incoming)).await {
        Ok(Answer::Ended(result)) => (StatusCode::OK, "result", result.into_text(is_modern)),
        Ok(Answer::Asks(asks)) => {
            (StatusCode::OK, "result", json_or_null(serde_json::to_string(&asks)))
        }
        Err(error) => (error_status(&error), "error", json_or_null(serde_json::to_string(&error))),
    };
    // An id is a text or a number, so its text is JSON.
    let id = exact.id.to_string();
    let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"{member}":{text}}}"#);
    let mut response = Response::new(Bytes::from(text));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(JSON));
    response
}

/// The status of an error (MCP 2026-07-28, transports): 200 for an error of a call, except for an undeclared capability.
fn error_status(error: &ErrorData) -> StatusCode {
    match error.code {
        ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY => StatusCode::BAD_REQUEST,
        _ => StatusCode::OK,
    }
}

fn json_or_null(written: serde_json::Result<String>) -> String {
    written.unwrap_or_else(|_| "null".to_owned())
}

/// The value of a header that occurs once.
fn single_header(headers: &HeaderMap, name: impl header::AsHeaderName) -> Option<&str> {
    let mut values = headers.get_all(name).iter();
    values.next().filter(|_| values.next().is_none())?.to_str().ok()
}

const MODERN: &str = "2026-07-28";
/// Revisions whose results have structured content.
const LEGACY: [&str; 2] = ["2025-06-18", "2025-11-25"];
const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";
