//! The service of tools of Customer Engagement Suite: one call, its mocks, schemas and lists.

use crate::prelude::*;

const APP: &str = "/v1/projects/p/locations/us/apps/a";
const CONFIGURATION: &str = "
toolsets:
  pets:
    openapi: ../fixtures/pets/spec.yaml
    auth: { api_key: { in: header, name: X-Api-Key, value: 'literal:demo-key' } }
    upstream: replay
  app:
    functions:
      - name: get_nearest_store
        description: The nearest store
        input: {type: object, properties: {zip_code: {type: string}}, required: [zip_code]}
        output: {type: object, properties: {name: {type: [string, 'null']}}}
";

async fn execute(sidecar: &Sidecar, body: &Value) -> Answered {
    sidecar.post(&format!("{APP}:executeTool"), body).await
}

fn toolset_tool(id: &str) -> Value {
    json!({"toolset": "projects/p/locations/us/apps/a/toolsets/pets", "toolId": id})
}

/// The example of `executeTool` of the product's documentation, with the pets of the fixtures.
#[tokio::test]
async fn a_tool_is_called_and_answered_field_by_field() {
    let sidecar = Sidecar::of(CONFIGURATION).await;
    let tool = toolset_tool("getPet");
    let variables = json!({"customer_id": "42"});
    let body = json!({"toolsetTool": tool, "args": {"petId": 7}, "variables": variables, "ofANewerVersion": 1});
    let answered = execute(&sidecar, &body).await.ok();
    assert_eq!(answered["response"]["output"]["name"], "Rex");
    let expected =
        json!({"toolsetTool": tool, "response": answered["response"], "variables": variables});
    assert_eq!(answered, expected);
    // Nothing is stored.
    assert_eq!(sidecar.get("/v1/sessions/42").await.status, 404);
    let body = json!({"toolset_tool": tool, "args": {"petId": "seven"}});
    let error = execute(&sidecar, &body).await.json()["response"]["error"].clone();
    assert_eq!(error["code"], "invalid_arguments");
    let body = json!({"tool": "projects/p/locations/us/apps/a/tools/nothing"});
    let error = execute(&sidecar, &body).await.json()["response"]["error"].clone();
    assert_eq!(error["code"], "unknown_tool");
    // A tool of the same name in another toolset is not meant.
    let other =
        json!({"toolset": "projects/p/locations/us/apps/a/toolsets/app", "toolId": "getPet"});
    let error =
        execute(&sidecar, &json!({"toolsetTool": other, "args": {"petId": 7}})).await.json();
    assert_eq!(error["response"]["error"]["code"], "unknown_tool");
    let body = json!({"tool": "app-get_nearest_store", "args": {"zip_code": "1"}});
    let error = execute(&sidecar, &body).await.json()["response"]["error"].clone();
    assert_eq!(error["code"], "not_supported");
    for body in [
        json!([]),
        json!({"args": {}, "variables": {}, "context": {}}),
        json!({"tool": "pets-getPet", "variables": 7}),
        json!({"tool": "pets-getPet", "mockConfig": 7}),
        json!({"tool": "pets-getPet", "args": {"petId": 7}, "execution": "client"}),
    ] {
        assert_eq!(execute(&sidecar, &body).await.status, 400, "{body}");
    }
    let mocks = json!({"unmatchedToolCallBehavior": "MAYBE"});
    let refused = execute(&sidecar, &json!({"tool": "pets-getPet", "mockConfig": mocks})).await;
    assert_eq!(refused.status, 400);
    assert!(refused.text.contains("`FAIL` or `PASS_THROUGH`, got: `MAYBE`"), "{}", refused.text);
}

#[tokio::test]
async fn a_mocked_call_makes_no_request() {
    let service = Service::start().await;
    let sidecar = &service.sidecar;
    let mock = |behavior: &str| {
        json!({
            "mockedToolCalls": [
                {"toolId": "projects/p/locations/us/apps/a/tools/other", "mockResponse": {"output": 0}},
                {"toolId": "projects/p/locations/us/apps/a/tools/order", "expectedArgsPattern": {"item": "tea"}, "mockResponse": {"output": {"id": 1}}},
            ],
            "unmatchedToolCallBehavior": behavior,
        })
    };
    let body = |args: Value, behavior: &str| {
        let mocks = mock(behavior);
        json!({"tool": "order", "args": args, "mockConfig": mocks})
    };
    let answered = execute(sidecar, &body(json!({"item": "tea", "n": 1}), "FAIL")).await.json();
    assert_eq!(answered["response"], json!({"output": {"id": 1}}));
    let answered = execute(sidecar, &body(json!({}), "FAIL")).await.json();
    assert_eq!(answered["response"]["error"]["code"], "refused", "{answered}");
    assert_eq!(service.n_orders(), 0);
    let answered = execute(sidecar, &body(json!({}), "PASS_THROUGH")).await.json();
    assert!(answered["response"].get("output").is_some(), "{answered}");
    assert_eq!(service.n_orders(), 1);
}

#[tokio::test]
async fn schemas_and_tools_are_listed_in_the_format_of_ces() {
    let sidecar = Sidecar::of(CONFIGURATION).await;
    let path = format!("{APP}:retrieveToolSchema");
    let answered = sidecar.post(&path, &json!({"tool": "x/tools/app-get_nearest_store"})).await;
    let input = json!({"type": "OBJECT", "properties": {"zip_code": {"type": "STRING"}}, "required": ["zip_code"]});
    let output =
        json!({"type": "OBJECT", "properties": {"name": {"type": "STRING", "nullable": true}}});
    let expected = json!({"tool": "x/tools/app-get_nearest_store", "inputSchema": input, "outputSchema": output});
    assert_eq!(answered.json(), expected);
    for (unknown, expected) in [
        (json!({"tool": "nothing"}), "there is no tool `nothing`; `GET /v1/tools` lists"),
        (json!({"tool": "x/tools/pets-getPe"}), "`pets-getPe`; the nearest are `pets-getPet`"),
        (json!({"toolsetTool": (toolset_tool("getPe"))}), "the nearest are `pets-getPet`"),
    ] {
        let refused = sidecar.post(&path, &unknown).await;
        assert_eq!(refused.status, 404);
        assert!(refused.text.contains(expected), "{}", refused.text);
    }
    let path = format!("{APP}/toolsets/pets:retrieveTools");
    let all = sidecar.post(&path, &json!({})).await.json();
    assert!(all["tools"].as_array().unwrap().len() > 3, "{all}");
    let one = sidecar.post(&path, &json!({"tool_ids": ["getPet"]})).await.json();
    let tool = &one["tools"][0];
    assert_eq!(tool["name"], "projects/p/locations/us/apps/a/toolsets/pets/tools/getPet");
    assert_eq!(tool["displayName"], "pets-getPet");
    assert_eq!(tool["openApiTool"]["name"], "getPet");
    assert_eq!(one["tools"].as_array().unwrap().len(), 1);
    let functions =
        sidecar.post(&format!("{APP}/toolsets/app:retrieveTools"), &json!({})).await.json();
    assert_eq!(functions["tools"][0]["clientFunction"]["name"], "get_nearest_store");
    for path in ["/toolsets/none:retrieveTools", "/toolsets/pets:walk", ":walk"] {
        assert_eq!(sidecar.post(&format!("{APP}{path}"), &json!({})).await.status, 404, "{path}");
    }
}
