//! MCP by requests as they come in. What clients and the conformance suite say is the business of `tests/interop/mcp`.

use serde_json::{Value, json};

use crate::sidecar::Sidecar;

fn request(method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
}

async fn asked(sidecar: &Sidecar, path: &str, body: &str) -> (u16, Value) {
    let headers = [
        ("content-type", "application/json"),
        ("accept", "application/json, text/event-stream"),
        ("mcp-protocol-version", "2025-11-25"),
    ];
    let answered = sidecar.send("POST", path, &headers, body).await;
    (answered.status, serde_json::from_str(&answered.text).unwrap_or_default())
}

#[tokio::test]
async fn the_tools_of_one_toolset_are_served_at_its_path() {
    let sidecar = Sidecar::of_pets().await;
    let list = request("tools/list", &json!({})).to_string();
    let (status, all) = asked(&sidecar, "/mcp", &list).await;
    assert_eq!(status, 200, "{all}");
    let (_, pets) = asked(&sidecar, "/mcp/pets", &list).await;
    let names = |list: &Value| {
        let tools = list["result"]["tools"].as_array().unwrap();
        tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert!(names(&pets).iter().all(|name| name.starts_with("pets-")));
    assert!(names(&all).len() >= names(&pets).len());
    let (status, problem) = asked(&sidecar, "/mcp/nope", &list).await;
    assert_eq!((status, &problem["status"]), (404, &json!(404)), "{problem}");
}

#[tokio::test]
async fn an_argument_that_stands_twice_is_refused_before_anything_is_sent() {
    let sidecar = Sidecar::of_pets().await;
    let call = request("tools/call", &json!({"name": "pets-getPet", "arguments": {"petId": 7}}));
    let twice = call.to_string().replace(r#""petId":7"#, r#""petId":7,"petId":8"#);
    let (status, problem) = asked(&sidecar, "/mcp", &twice).await;
    assert_eq!(status, 400, "{problem}");
    let (status, answer) = asked(&sidecar, "/mcp", &call.to_string()).await;
    assert_eq!(status, 200, "{answer}");
    assert_eq!(answer["result"]["structuredContent"]["id"], 7, "{answer}");
}
