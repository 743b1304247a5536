//! Turns under an idempotency key: neither the model nor a tool is asked again.

#![cfg(feature = "agents")]

use crate::prelude::*;

use callgate_testkit::{Received, Service as Provider};

const PATH: &str = "/v1/agents/buyer/turns";

/// Calls the tool that the user names, and answers after its result. A failure has no reply.
fn reply(request: &Received) -> (u16, String) {
    let body: Value = serde_json::from_str(&request.body).unwrap();
    let last = body["messages"].as_array().unwrap().last().unwrap().clone();
    let message = match (last["role"].as_str(), last["content"].as_str()) {
        (Some("user"), Some("fail")) => {
            return (401, r#"{"error":{"message":"no"}}"#.to_owned());
        }
        (Some("user"), Some(tool)) => {
            let function = json!({"name": tool, "arguments": "{}"});
            json!({"role": "assistant", "content": null, "tool_calls": [{"id": "c1", "type": "function", "function": function}]})
        }
        _ => json!({"role": "assistant", "content": "Done."}),
    };
    (200, json!({"choices": [{"message": message}]}).to_string())
}

async fn service(confirm: &str) -> (Service, Provider) {
    let provider = Provider::start(reply).await;
    let keys = format!(
        "models: {{main: {{dialect: openai, url: '{}/v1', model: m-1, auth: none}}}}\nagents: {{buyer: {{model: main, confirm: {confirm}}}}}",
        provider.origin
    );
    (Service::of(&keys, "").await, provider)
}

fn said(session: &str, text: &str) -> String {
    json!({"session": {"id": session}, "input": text}).to_string()
}

async fn take(sidecar: &Sidecar, key: &str, body: &str) -> Answered {
    sidecar.send("POST", PATH, &[JSON, ("idempotency-key", key)], body).await
}

#[tokio::test]
async fn a_turn_repeated_under_its_key_gets_the_first_answer_and_does_nothing() {
    let (service, provider) = service("never").await;
    let sidecar = &service.sidecar;
    let first = take(sidecar, "k-1", &said("s-1", "order")).await;
    assert_eq!((first.status, service.n_orders()), (200, 1), "{}", first.text);
    let n_asked = provider.received().len();
    let again = take(sidecar, "k-1", &said("s-1", "order")).await;
    assert_eq!((again.status, &again.text), (200, &first.text));
    let headers = [JSON, ("idempotency-key", "k-1"), ("accept", "text/event-stream")];
    let events = sidecar.send("POST", PATH, &headers, &said("s-1", "order")).await.events();
    assert_eq!(events, [("end".to_owned(), first.json())]);
    assert_eq!((service.n_orders(), provider.received().len()), (1, n_asked));

    let other = take(sidecar, "k-2", &said("s-1", "order")).await;
    assert_eq!((other.status, service.n_orders()), (200, 2), "{}", other.text);
    let reused = take(sidecar, "k-1", &said("s-2", "order")).await;
    assert_eq!(reused.json()["type"], "urn:callgate:problem:key-reused", "{}", reused.text);
    for malformed in ["", "a\tb"] {
        assert_eq!(take(sidecar, malformed, &said("s-1", "order")).await.status, 400);
    }
    assert_eq!(service.n_orders(), 2);
}

#[tokio::test]
async fn events_under_a_key_are_repeated_as_the_calls_that_wait_and_the_end() {
    let (service, _provider) = service("writes").await;
    let headers = [JSON, ("idempotency-key", "k-1"), ("accept", "text/event-stream")];
    let body = said("s-1", "order");
    let mut first = service.sidecar.send("POST", PATH, &headers, &body).await.events();
    let again = service.sidecar.send("POST", PATH, &headers, &body).await.events();
    first.retain(|(name, _)| name == "pending" || name == "end");
    assert_eq!(again, first);
    assert_eq!((first.len(), service.n_orders()), (2, 0), "{first:?}");

    // The decision is a turn too, and its key makes the call once.
    let id = first[0].1["id"].clone();
    let decision =
        json!({"session": {"id": "s-1"}, "approvals": [{"id": id, "decision": "approve"}]})
            .to_string();
    let decided = take(&service.sidecar, "k-2", &decision).await;
    let repeated = take(&service.sidecar, "k-2", &decision).await;
    assert_eq!((decided.status, repeated.status), (200, 200), "{}", decided.text);
    assert_eq!((repeated.text, service.n_orders()), (decided.text, 1));
}

#[tokio::test]
async fn a_turn_whose_first_request_still_runs_is_refused_and_a_caller_that_left_gets_its_end() {
    let (service, _provider) = service("never").await;
    let (service, body) = (Arc::new(service), said("s-1", "slow"));
    let (caller, asked) = (Arc::clone(&service), body.clone());
    let running = tokio::spawn(async move { take(&caller.sidecar, "k-1", &asked).await });
    service.waiting(1).await;
    let refused = take(&service.sidecar, "k-1", &body).await;
    assert_eq!(refused.json()["type"], "urn:callgate:problem:key-running", "{}", refused.text);
    assert_eq!(refused.status, 409);
    running.abort();
    service.waiting(0).await;
    let mut ended = take(&service.sidecar, "k-1", &body).await;
    while ended.status == 409 {
        tokio::task::yield_now().await;
        ended = take(&service.sidecar, "k-1", &body).await;
    }
    assert_eq!(ended.json()["end"]["reason"], "cancelled", "{}", ended.text);
}

#[tokio::test]
async fn a_turn_without_a_reply_of_the_model_frees_its_key() {
    let (service, provider) = service("never").await;
    for n_asked in 1..=2 {
        let failed = take(&service.sidecar, "k-1", &said("s-1", "fail")).await;
        assert_eq!(failed.json()["end"]["reason"], "model_failed", "{}", failed.text);
        assert_eq!(provider.received().len(), n_asked);
    }
    let absent = json!({"session": {"id": "s-1"}, "toolResults": [{"id": "x", "output": 1}]});
    for _ in 0..2 {
        let refused = take(&service.sidecar, "k-2", &absent.to_string()).await;
        assert_eq!(refused.json()["type"], "urn:callgate:problem:unknown-call", "{}", refused.text);
    }
}
