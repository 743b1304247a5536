//! Tests clients of MCP that wait for changes of the tools.

use super::*;

const VERSION: &str = "2026-07-28";

async fn listener(sidecar: &Sidecar) -> Response {
    listener_with(sidecar, "").await
}

async fn listener_with(sidecar: &Sidecar, authorization: &str) -> Response {
    let name = |last: &str| format!("io.modelcontextprotocol/{last}");
    let meta = json!({
        name("protocolVersion"): VERSION,
        name("clientCapabilities"): {},
        name("clientInfo"): {"name": "test", "version": "1"},
    });
    let params = json!({"notifications": {"toolsListChanged": true}, "_meta": meta});
    let message =
        json!({"jsonrpc": "2.0", "id": 7, "method": "subscriptions/listen", "params": params});
    let client = Client::builder().no_proxy().build().unwrap();
    let mut request = client.post(format!("{}/mcp", sidecar.calls[0])).json(&message);
    for (name, value) in [
        ("accept", "application/json, text/event-stream"),
        ("mcp-protocol-version", VERSION),
        ("mcp-method", "subscriptions/listen"),
        ("authorization", authorization),
    ] {
        request = request.header(name, value);
    }
    request.send().await.unwrap()
}

/// The next message of a stream of events; `None` at its end.
async fn next(stream: &mut Response) -> Option<Value> {
    loop {
        let piece = timeout(Duration::from_secs(10), stream.chunk()).await.unwrap().unwrap()?;
        let text = String::from_utf8(piece.to_vec()).unwrap();
        let mut data = text.lines().filter_map(|line| line.strip_prefix("data: "));
        if let Some(message) = data.find_map(|data| serde_json::from_str(data).ok()) {
            return Some(message);
        }
    }
}

#[tokio::test]
async fn mcp_subscribers_are_notified_of_a_reload_and_use_no_request_permit() {
    let sidecar = Sidecar::start(&format!("{}limits: {{requests: 1}}\n", nothing())).await;
    let mut streams = [listener(&sidecar).await, listener(&sidecar).await];
    for stream in &mut streams {
        let acknowledged = next(stream).await.unwrap();
        assert_eq!(acknowledged["method"], "notifications/subscriptions/acknowledged");
        assert_eq!(acknowledged["params"]["notifications"]["toolsListChanged"], true);
    }
    assert_eq!(sidecar.status("/v1/tools", &[]).await, 200);
    for _ in 0..2 {
        sidecar.reload().await;
        for stream in &mut streams {
            let told = next(stream).await.unwrap();
            assert_eq!(told["method"], "notifications/tools/list_changed", "{told}");
            let subscription = &told["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"];
            assert_eq!(subscription, 7, "{told}");
        }
    }
    sidecar.gateway.drain().begin_drain();
    for stream in &mut streams {
        let ended = next(stream).await.unwrap();
        assert_eq!((&ended["id"], ended["result"].is_object()), (&json!(7), true), "{ended}");
        assert_eq!(next(stream).await, None);
    }
}

#[tokio::test]
async fn a_subscription_ends_with_its_principal() {
    let named = |name: &str| {
        let token = format!("a-token-of-{name}-0123456789");
        format!("access: {{principals: {{{name}: {{bearer: 'literal:{token}'}}}}}}\n{}", nothing())
    };
    let sidecar = Sidecar::start(&named("kim")).await;
    let mut stream = listener_with(&sidecar, "Bearer a-token-of-kim-0123456789").await;
    let acknowledged = next(&mut stream).await.unwrap();
    assert_eq!(acknowledged["method"], "notifications/subscriptions/acknowledged");
    sidecar.reload().await;
    let told = next(&mut stream).await.unwrap();
    assert_eq!(told["method"], "notifications/tools/list_changed", "{told}");
    sidecar.reload_text(&named("lee")).await;
    let ended = next(&mut stream).await.unwrap();
    assert!(ended["result"].is_object(), "{ended}");
    assert_eq!(next(&mut stream).await, None);
}
