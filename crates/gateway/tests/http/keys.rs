//! The header `Idempotency-Key` on every path that makes calls: a request that comes twice makes them once.

use crate::prelude::*;

const KEY: (&str, &str) = ("idempotency-key", "order-17");
const EVENTS: (&str, &str) = ("accept", "text/event-stream");

#[tokio::test]
async fn a_request_that_comes_twice_under_its_key_makes_its_calls_once_on_every_path() {
    let function = json!({"name": "order", "arguments": "{}"});
    let message = json!({"role": "assistant", "tool_calls": [{"id": "c1", "type": "function", "function": function}]});
    let call = json!({"calls": [{"tool": "order"}]}).to_string();
    let two = json!({"calls": [{"tool": "order"}, {"tool": "order"}]}).to_string();
    let message = json!({"message": message}).to_string();
    let mcp = request("tools/call", &json!({"name": "order", "arguments": {}}));
    let version = ("mcp-protocol-version", "2025-11-25");
    for (path, headers, body, n_calls) in [
        ("/v1/calls", vec![JSON], &call, 1),
        ("/v1/calls", vec![JSON], &two, 2),
        ("/v1/calls", vec![JSON, EVENTS], &two, 2),
        ("/v1/dialects/openai/calls", vec![JSON], &message, 1),
        ("/mcp", vec![JSON, EITHER, version], &mcp, 1),
    ] {
        // Whether or not the configuration sets bounds.
        for keys in ["", "idempotency: {}"] {
            let service = Service::of(keys, "").await;
            let headers: Vec<_> = headers.iter().copied().chain([KEY]).collect();
            let first = service.sidecar.send("POST", path, &headers, body).await;
            let again = service.sidecar.send("POST", path, &headers, body).await;
            assert_eq!((first.status, again.status), (200, 200), "{path}: {}", first.text);
            assert_eq!(service.n_orders(), n_calls, "{path}: {} {}", first.text, again.text);
        }
    }
}
