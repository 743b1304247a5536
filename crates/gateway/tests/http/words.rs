//! Words of requests: each object that a path takes refuses a member that it does not have, and names it. None is dropped.

#![cfg(feature = "agents")]

use crate::prelude::*;
use callgate_testkit::{list, rows};

/// Each path with a body: its method, its path and as it is sent, a body that it takes, and the objects in it with members of their own.
const BODIES: &str = r#"
    post => /v1/calls => /v1/calls => {"calls": [{"id": "1", "tool": "pets-getPet", "args": {"petId": 7}}], "session": {"id": "s-1", "parameters": {}}, "dryRun": true} => /calls/0 | /session
    post => /v1/dialects/{dialect}/calls => /v1/dialects/openai/calls => {"message": {"role": "assistant", "tool_calls": [{"id": "1", "type": "function", "function": {"name": "pets-getPet", "arguments": "{\"petId\": 7}"}}]}, "session": {"id": "s-1", "parameters": {}}} => /session
    post => /v1/agents/{agent}/turns => /v1/agents/keeper/turns => {"session": {"id": "s-1", "parameters": {}}, "approvals": [{"id": "c1", "decision": "approve"}], "toolResults": [{"id": "c2", "output": 1}]} => /session | /approvals/0 | /toolResults/0
    post => /v1/approvals/{id} => /v1/approvals/approval_00 => {"decision": "approve"} =>
    post => /v1/drafts => /v1/drafts => {"exchanges": [{"url": "https://api.example/pets/7"}]} => /exchanges/0
    post => /v1/tools:search => /v1/tools:search => {"query": "pet"} =>
    put => /v1/sessions/{id} => /v1/sessions/s-1 => {"parameters": {}} =>
    patch => /v1/sessions/{id} => /v1/sessions/s-1 => {"parameters": {}} =>
"#;

/// Paths whose bodies are not JSON of the sidecar's own.
const OTHERS: [&str; 2] = ["/v1/admin/reload", "/v1/results"];

#[tokio::test]
async fn a_member_that_no_path_knows_is_refused_by_its_name_at_any_depth() {
    let text = format!(
        "models:\n  main: {{ dialect: openai, url: 'http://127.0.0.1:9/v1', model: m, auth: none }}\n\
         agents:\n  keeper: {{ model: main }}\n{PETS}"
    );
    let sidecar = Sidecar::of(&text).await;
    let described = sidecar.get("/openapi.json").await.json();
    let mut bodies = Vec::new();
    for (path, item) in described["paths"].as_object().unwrap() {
        let has_body = |(_, operation): &(&String, &Value)| operation.get("requestBody").is_some();
        let methods = item.as_object().unwrap().iter().filter(has_body).map(|(method, _)| method);
        bodies.extend(methods.map(|method| (method.clone(), path.clone())));
    }
    bodies.retain(|(_, path)| !OTHERS.contains(&&**path) && !path.contains(":run"));
    bodies.retain(|(_, path)| !path.contains(":executeTool") && !path.contains(":retrieveTools"));
    for (method, path) in &bodies {
        let is_it = |row: [&str; 5]| row[0] == method && row[1] == path;
        assert!(rows(BODIES).any(is_it), "`{method} {path}` has no row");
    }
    for [method, _, path, body, objects] in rows(BODIES) {
        for at in [vec![""], list(objects)].concat() {
            let mut changed: Value = serde_json::from_str(body).unwrap();
            changed.pointer_mut(at).unwrap()["nosuch"] = json!(1);
            let method = method.to_uppercase();
            let answered = sidecar.send(&method, path, &[JSON], &changed.to_string()).await;
            assert_eq!(answered.status, 400, "{method} {path} {at}: {}", answered.text);
            assert!(answered.text.contains("nosuch"), "{method} {path} {at}: {}", answered.text);
        }
    }
}
