//! Calls over MCP under an idempotency key, which is the one of a call over HTTP.

use crate::prelude::*;

/// The parameters of a call with a key.
fn keyed(tool: &str, key: &Value) -> Value {
    json!({"name": tool, "arguments": {}, "_meta": {"callgate/idempotencyKey": key}})
}

#[tokio::test]
async fn a_call_under_one_key_is_made_once_in_all_revisions_and_over_http() {
    let service = Service::start().await;
    let sidecar = &service.sidecar;
    let body = json!({"calls": [{"tool": "order", "idempotencyKey": "order-17"}]});
    let first = sidecar.post("/v1/calls", &body).await.json();
    assert_eq!(first["results"][0]["response"]["number"], 1, "{first}");
    let key = json!("order-17");
    let call = request("tools/call", &keyed("order", &key));
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let headers = [JSON, EITHER, ("mcp-protocol-version", version)];
        let again = sidecar.send("POST", "/mcp", &headers, &call).await;
        assert!(again.text.contains(r#"\"number\": 1"#), "{version}: {}", again.text);
    }
    let headers = [JSON, EITHER, ("mcp-protocol-version", "2025-03-26")];
    let batch = sidecar.send("POST", "/mcp", &headers, &format!("[{call},{call}]")).await.json();
    assert_eq!(batch[0]["result"], batch[1]["result"]);
    let mut params = keyed("order", &key);
    let modern = sidecar.ask_2026("tools/call", &params, &json!({}), &[]).await.json();
    assert_eq!(modern["result"]["structuredContent"]["number"], 1, "{modern}");
    // The library answers those that want to hear of progress.
    params["_meta"]["progressToken"] = json!(7);
    let watched = sidecar.ask_2026("tools/call", &params, &json!({}), &[]).await.text;
    assert!(watched.contains(r#"\"number\": 1"#), "{watched}");
    assert_eq!(service.n_orders(), 1);
    let other = sidecar.ask("tools/call", keyed("order", &json!("order-18"))).await;
    assert_eq!(other["result"]["structuredContent"]["number"], 2, "{other}");
}

#[tokio::test]
async fn a_key_of_another_call_and_one_of_another_type_are_refused() {
    let service = Service::of("idempotency: {}", ", confirm: {tools: {slow: always}}").await;
    let sidecar = &service.sidecar;
    let key = json!("order-17");
    sidecar.ask("tools/call", keyed("order", &key)).await;
    let other = sidecar.ask("tools/call", keyed("large", &key)).await["result"].take();
    assert!(other["isError"] == true && other.to_string().contains("key_reused"), "{other}");
    for (key, got) in [(json!(17), "number"), (json!(""), "an empty text"), (Value::Null, "null")] {
        let call = request("tools/call", &keyed("order", &key));
        let refused = sidecar.mcp("/mcp", &call).await.json()["error"].take();
        let message = refused["message"].as_str().unwrap();
        assert!(message.starts_with("`_meta`, `callgate/idempotencyKey`: expected"), "{message}");
        assert!(message.ends_with(&format!("got: {got}")), "{message}");
        assert!(refused["code"] == -32602, "{message}");
    }
    assert_eq!(service.n_orders(), 1);
}

#[tokio::test]
async fn a_call_that_is_approved_later_is_made_under_its_key() {
    let service = Service::of("idempotency: {}", ", confirm: {tools: {order: always}}").await;
    let sidecar = &service.sidecar;
    let call = keyed("order", &json!("order-17"));
    let asked = sidecar.ask("tools/call", call.clone()).await.to_string();
    let at = asked.find("approval_").unwrap_or_else(|| panic!("{asked}"));
    let path = format!("/v1/approvals/{}", asked.get(at..at + 41).unwrap());
    let decided = sidecar.post(&path, &json!({"decision": "approve"})).await.json();
    assert_eq!(decided["response"]["number"], 1, "{decided}");
    let again = sidecar.ask("tools/call", call).await;
    assert_eq!(again["result"]["structuredContent"]["number"], 1, "{again}");
    assert_eq!(service.n_orders(), 1);
}

#[tokio::test]
async fn the_header_of_a_request_is_the_key_of_its_call() {
    let service = Service::start().await;
    let sidecar = &service.sidecar;
    let plain = request("tools/call", &json!({"name": "order", "arguments": {}}));
    let own = request("tools/call", &keyed("order", &json!("order-17")));
    let headers = [JSON, EITHER, ("mcp-protocol-version", "2025-11-25"), KEY];
    for body in [&plain, &own, &plain] {
        let answered = sidecar.send("POST", "/mcp", &headers, body).await;
        assert!(answered.text.contains(r#"\"number\": 1"#), "{}", answered.text);
    }
    let params = json!({"name": "order", "arguments": {}, "_meta": {"progressToken": 7}});
    let watched = sidecar.ask_2026("tools/call", &params, &json!({}), &[KEY]).await.text;
    assert!(watched.contains(r#"\"number\": 1"#), "{watched}");
    assert_eq!(service.n_orders(), 1);

    let other = request("tools/call", &keyed("order", &json!("order-18")));
    let headers = [JSON, EITHER, ("mcp-protocol-version", "2025-03-26"), KEY];
    for (body, expected) in [
        (&other, "expected one key, got two"),
        (&format!("[{plain},{plain}]"), "give each call of a batch its own key"),
    ] {
        let refused = sidecar.send("POST", "/mcp", &headers, body).await;
        assert_eq!(refused.status, 400, "{}", refused.text);
        assert!(refused.text.contains(expected), "{}", refused.text);
    }
    assert_eq!(service.n_orders(), 1);
}

const KEY: (&str, &str) = ("idempotency-key", "order-17");
