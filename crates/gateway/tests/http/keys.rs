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

/// The id of a call that waits for an approval.
async fn ask(service: &Service, tool: &str) -> String {
    let body = json!({"calls": [{"tool": tool}]});
    let answered = service.sidecar.post("/v1/calls", &body).await.json();
    answered["results"][0]["pending"]["id"].as_str().unwrap().to_owned()
}

async fn decide(service: &Service, id: &str, decision: &str) -> Answered {
    let (path, body) = (format!("/v1/approvals/{id}"), json!({"decision": decision}));
    service.sidecar.send("POST", &path, &[JSON, KEY], &body.to_string()).await
}

#[tokio::test]
async fn an_approval_under_a_key_makes_its_call_once_and_another_word_is_refused() {
    let service = Service::of("", ", confirm: writes").await;
    let id = ask(&service, "order").await;
    let first = decide(&service, &id, "approve").await;
    assert_eq!((first.status, service.n_orders()), (200, 1), "{}", first.text);
    let again = decide(&service, &id, "approve").await;
    assert_eq!((again.status, again.text), (200, first.text));
    let other = ask(&service, "order").await;
    for (id, decision) in [(&id, "reject"), (&other, "approve")] {
        let refused = decide(&service, id, decision).await;
        assert_eq!(refused.status, 422, "{}", refused.text);
        assert!(refused.text.contains("key-reused"), "{}", refused.text);
    }
    assert_eq!(service.n_orders(), 1);
}

#[tokio::test]
async fn an_approval_is_refused_while_an_equal_one_runs_and_gets_its_result_then() {
    let service = Service::of("", ", confirm: writes").await;
    let id = ask(&service, "slow").await;
    let repetitions = async {
        service.waiting(1).await;
        let again = decide(&service, &id, "approve").await;
        assert_eq!((again.status, again.header("retry-after")), (409, "1"), "{}", again.text);
        assert!(again.text.contains("key-running"), "{}", again.text);
        service.answer();
    };
    let (first, ()) = tokio::join!(decide(&service, &id, "approve"), repetitions);
    assert_eq!(first.status, 200, "{}", first.text);
    // Nothing answers a second call of the service.
    let again = decide(&service, &id, "approve").await;
    assert_eq!((again.status, again.text), (200, first.text));
}
