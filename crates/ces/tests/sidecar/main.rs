//! The paths of Customer Engagement Suite and Dialogflow CX, by requests to a sidecar that has them as further routes.

#![cfg(test)]

mod keys;
#[path = "../../../gateway/tests/http/prelude.rs"]
#[expect(unused_imports, reason = "tests of the gateway's own paths need more of it")]
mod prelude;
mod runs;
mod runs_again;
mod runs_of_dialogflow;
mod runs_removed;
mod runs_unkept;
#[path = "../../../gateway/tests/http/service.rs"]
mod service;
#[path = "../../../gateway/tests/http/sidecar.rs"]
#[expect(dead_code, reason = "tests of the gateway's own paths need more of it")]
mod sidecar;
#[path = "../../../gateway/tests/http/away/store.rs"]
#[expect(dead_code, reason = "tests of the gateway's own paths need more of it")]
mod store;
mod subjects;
mod tool_service;
mod ways;

use callgate_ces::routes;
use callgate_config::{Config, Description, ServerUrl, ToolsetConfig};
use callgate_testkit::temporary_file;

use crate::prelude::*;

const JSON: (&str, &str) = ("content-type", "application/json");

#[tokio::test]
async fn paths_that_share_a_segment_allow_their_own_methods() {
    let sidecar = Sidecar::of_pets().await;
    for (method, path, allowed) in [
        ("OPTIONS", "/v1/sessions/s-1", "GET,HEAD,PUT,PATCH,DELETE"),
        ("POST", "/v1/sessions/s-1", "GET,HEAD,PUT,PATCH,DELETE"),
        ("OPTIONS", "/v1/sessions/s-1:run", "POST"),
        ("OPTIONS", "/v1/calls", "POST"),
    ] {
        let refused = sidecar.send(method, path, &[], "").await;
        assert_eq!((refused.status, refused.header("allow")), (405, allowed), "{method} {path}");
    }
    for path in ["/v1/sessions/s-1:fly", "/v1/projects/p/locations/l/apps/a"] {
        assert_eq!(sidecar.post(path, &json!({})).await.status, 404, "{path}");
    }
}

#[tokio::test]
async fn no_path_ignores_a_query_that_it_does_not_read() {
    let sidecar = Sidecar::of_pets().await;
    let operations = sidecar.operations().await;
    assert!(operations.iter().any(|(_, path)| path == "/v1/sessions/x:run"), "{operations:?}");
    // Those of monitoring take any.
    let probes = ["/healthz", "/metrics", "/readyz"];
    for (method, path) in operations.iter().filter(|(_, path)| !probes.contains(&path.as_str())) {
        sidecar.refuses_query(method, path).await;
    }
}

#[tokio::test]
async fn a_malformed_toolset_tool_is_not_echoed_in_the_answer() {
    let sidecar = Sidecar::of_pets().await;
    for unnamed in [json!({}), json!({"toolset": "pets"}), json!({"toolId": 7}), json!(7)] {
        let body = json!({"tool": "pets-getPet", "toolsetTool": unnamed, "args": {"petId": 7}});
        let path = "/v1/projects/p/locations/l/apps/a:executeTool";
        let answered = sidecar.post(path, &body).await;
        let answer = answered.json();
        assert_eq!(answer.get("toolsetTool"), None, "{unnamed}: {answer}");
    }
}

#[tokio::test]
async fn a_call_that_needs_an_approval_is_refused_without_an_approver() {
    let sidecar = Sidecar::of(&format!("{PETS}    confirm: always\n")).await;
    let call = json!({"id": "a", "tool": "pets-getPet", "args": {"petId": 7}});
    let body = json!({"inputs": [{"toolCalls": {"toolCalls": [call]}}]});
    let run = sidecar.post("/v1/sessions/s-1:run", &body).await;
    assert!(run.text.contains("needs_approval"), "{}", run.text);
    let body = json!({"tool": "pets-getPet", "args": {"petId": 7}});
    let executed = sidecar.post("/v1/projects/p/locations/l/apps/a:executeTool", &body).await;
    assert!(executed.text.contains("needs_approval"), "{}", executed.text);
}

#[tokio::test]
async fn every_path_says_what_was_left_out_of_a_request() {
    let answer = || async { axum::Json(json!({"found": 3})) };
    let server = callgate_testkit::serve(Router::new().fallback(answer)).await;
    let (_folder, file) = temporary_file("spec.yaml", FINDER);
    let file = file.display();
    let text = format!("toolsets: {{shop: {{openapi: '{file}', server: '{server}', prefix: ''}}}}");
    let sidecar = Sidecar::of(&text).await;
    let args = json!({"tags": []});
    let ces = json!({"id": "a", "tool": "projects/p/locations/l/apps/a/tools/t", "displayName": "find", "args": args});
    let dialogflow = json!({"tool": "projects/p/locations/l/agents/a/tools/t", "action": "find", "inputParameters": args});
    let tool = json!({"toolset": "projects/p/locations/us/apps/a/toolsets/shop", "toolId": "find"});
    let intent = json!({"queryResult": {"responseMessages": [{"toolCall": dialogflow}]}});
    let execute = json!({"toolsetTool": tool, "args": args});
    for (path, body) in [
        ("/v1/sessions/s:run", json!({"inputs": [{"toolCalls": {"toolCalls": [ces]}}]})),
        ("/v1/sessions/d:run", intent),
        ("/v1/projects/p/locations/us/apps/a:executeTool", execute),
    ] {
        let answered = sidecar.post(path, &body).await;
        let is_noted = answered.text.contains("`tags` is empty and was left out");
        assert!(is_noted && answered.text.contains("found"), "{path}: {}", answered.text);
    }
}

#[tokio::test]
async fn callgate_loads_the_description_with_these_paths_without_findings() {
    let text = Sidecar::of_pets().await.get("/openapi.json").await.text;
    let document: Value = serde_json::from_str(&text).unwrap();
    let named = text.split(r##""$ref":"#/components/schemas/"##).skip(1);
    for name in named.map(|rest| rest.split('"').next().unwrap()) {
        assert!(document["components"]["schemas"].get(name).is_some(), "{name}");
    }
    let server = ServerUrl::new("https://sidecar.example.com").unwrap();
    let toolset = ToolsetConfig::new(Description::text(text)).with_server(server);
    let config = Config::new().with_toolset(toolset);
    let mut built = config.build(&Environment::new(), None).await.unwrap();
    let mut toolset = built.toolsets.remove(0);
    toolset.report.add_schema_findings(&toolset.operations, |_, _| {});
    assert_eq!(toolset.report.diagnostics, []);
    let exposed = toolset.operations.iter().map(|operation| operation.tool_name.as_str());
    let exposed: Vec<_> = exposed.collect();
    let texts = "detectIntent executeTool retrieveToolSchema retrieveTools runAppSession
        runSession";
    for tool in texts.split_whitespace() {
        assert!(exposed.contains(&tool), "{tool} {exposed:?}");
    }
}

const PETS: &str = "
toolsets:
  pets:
    openapi: ../fixtures/pets/spec.yaml
    auth: { api_key: { in: header, name: X-Api-Key, value: 'literal:demo-key' } }
    upstream: replay
";
const FINDER: &str = "
openapi: 3.1.0
info: {title: t, version: '1'}
paths:
  /x:
    get:
      operationId: find
      parameters: [{name: tags, in: query, schema: {type: array, items: {type: string}}}]
      responses: {'200': {description: found}}
";
