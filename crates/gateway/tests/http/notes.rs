//! The notes of a result over each way in: one call with an optional empty list, which the request cannot have, and the
//! sentence about it in each answer.

use crate::prelude::*;
use axum::Json;
use callgate_testkit::{rows, serve, temporary_file};

const SENTENCE: &str = "`tags` is empty and was left out";

/// A sidecar with the tool `find`, which has an optional list in its query.
async fn finder() -> (Sidecar, TempDir) {
    let router = Router::new().fallback(|| async { Json(json!({"found": 3})) });
    let server = serve(router).await;
    let tags = json!({"name": "tags", "in": "query", "schema": {"type": "array", "items": {"type": "string"}}});
    let find = json!({"operationId": "find", "parameters": [tags], "responses": {"200": {"description": "found"}}});
    let description = json!({"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "paths": {"/x": {"get": find}}});
    let (folder, file) = temporary_file("spec.json", description.to_string());
    let file = file.display();
    let text = format!(
        "toolsets: {{shop: {{openapi: '{file}', server: '{server}', prefix: ''}}}}\nmcp: {{mode: direct}}"
    );
    (Sidecar::of(&text).await, folder)
}

/// A call in the words of each dialect. `ARGS` are its arguments and `TEXT` those as a text.
const MESSAGES: &str = r#"
    openai => {"role": "assistant", "tool_calls": [{"id": "a", "type": "function", "function": {"name": "find", "arguments": TEXT}}]}
    anthropic => {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "find", "input": ARGS}]}
    gemini => {"role": "model", "parts": [{"functionCall": {"name": "find", "args": ARGS}}]}
    json => {"tool": "find", "args": ARGS}
    responses => [{"type": "function_call", "call_id": "a", "name": "find", "arguments": TEXT}]
    bedrock => {"role": "assistant", "content": [{"toolUse": {"toolUseId": "a", "name": "find", "input": ARGS}}]}
    mcp => {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "find", "arguments": ARGS}}
    ces => {"toolCalls": {"toolCalls": [{"id": "a", "tool": "projects/p/locations/l/apps/a/tools/t", "displayName": "find", "args": ARGS}]}}
    dialogflow => {"toolCall": {"tool": "projects/p/locations/l/agents/a/tools/t", "action": "find", "inputParameters": ARGS}}
    semantic_kernel => {"role": "assistant", "items": [{"content_type": "function_call", "id": "a", "plugin_name": "", "function_name": "find", "name": "find", "arguments": TEXT}]}
"#;

/// The ways in beside messages of models: a path, what is accepted, and a body.
fn ways() -> Vec<(&'static str, &'static str, Value)> {
    let args = json!({"tags": []});
    let json = "application/json";
    let calls = json!({"calls": [{"id": "a", "tool": "find", "args": args}]});
    let events = "text/event-stream";
    let mcp = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "find", "arguments": args}});
    vec![
        ("/v1/calls", json, calls.clone()),
        ("/v1/calls", events, calls),
        ("/mcp", "application/json, text/event-stream", mcp),
    ]
}

#[tokio::test]
async fn every_dialect_reports_omitted_arguments() {
    let (sidecar, _folder) = finder().await;
    for [dialect, message] in rows(MESSAGES) {
        let path = format!("/v1/dialects/{dialect}/calls");
        let message = message.replace("ARGS", r#"{"tags": []}"#);
        let message = message.replace("TEXT", r#""{\"tags\":[]}""#);
        let message: Value = serde_json::from_str(&message).unwrap();
        let answered = sidecar.post(&path, &json!({"message": message})).await;
        let is_there = answered.status == 200 && answered.text.contains(SENTENCE);
        assert!(is_there && answered.text.contains("found"), "{dialect}: {}", answered.text);
    }
}

#[tokio::test]
async fn every_entrance_reports_omitted_arguments() {
    let (sidecar, _folder) = finder().await;
    for (path, accept, body) in ways() {
        let headers = [JSON, ("accept", accept), ("mcp-protocol-version", "2025-11-25")];
        let answered = sidecar.send("POST", path, &headers, &body.to_string()).await;
        let is_there = answered.status == 200 && answered.text.contains(SENTENCE);
        assert!(is_there && answered.text.contains("found"), "{path} {accept}: {}", answered.text);
    }
}

#[tokio::test]
async fn mcp_reports_omitted_arguments_in_text_and_structured_content() {
    let (sidecar, _folder) = finder().await;
    let (path, _, body) = ways().remove(2);
    let answered = sidecar.mcp(path, &body.to_string()).await.json();
    let content = answered["result"]["content"].to_string();
    assert!(content.contains(SENTENCE), "{answered}");
    assert_eq!(answered["result"]["structuredContent"]["notes"], json!([SENTENCE]), "{answered}");
}

#[tokio::test]
async fn a_call_repeated_under_its_key_reports_omitted_arguments_again() {
    let (sidecar, _folder) = finder().await;
    let call = json!({"id": "a", "tool": "find", "args": {"tags": []}, "idempotencyKey": "k"});
    let body = json!({"calls": [call]});
    let first = sidecar.post("/v1/calls", &body).await.json();
    let second = sidecar.post("/v1/calls", &body).await.json();
    assert_eq!(first["results"][0]["notes"], json!([SENTENCE]), "{first}");
    assert_eq!(second["results"][0]["notes"], first["results"][0]["notes"], "{second}");
    assert_eq!(second["results"][0]["response"], json!({"found": 3}), "{second}");
}
