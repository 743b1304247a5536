//! The header `Idempotency-Key` on the paths of both products: equal requests make one write, another body is refused, and so is a
//! repetition while the first one runs, as on `/v1/calls`.

use crate::prelude::*;

/// The paths, each with a body that calls a tool; bodies of other numbers differ.
fn paths(tool: &str, n: u64) -> [(&'static str, Value); 3] {
    let call = json!({"id": "1", "tool": tool, "displayName": tool, "args": {}});
    let action = json!({"tool": "shop", "action": tool, "inputParameters": {}});
    let run = json!({"inputs": [{"toolCalls": {"toolCalls": [call]}}], "newer": n});
    let intent = json!({"queryResult": {"responseMessages": [{"toolCall": action}]}, "newer": n});
    let execute = json!({"tool": tool, "args": {}, "newer": n});
    [
        ("/v1/sessions/s:run", run),
        ("/v3/projects/p/locations/l/agents/a/sessions/d:detectIntent", intent),
        ("/v1/projects/p/locations/l/apps/a:executeTool", execute),
    ]
}

async fn send(service: &Service, key: &str, (path, body): &(&str, Value)) -> Answered {
    let headers = [JSON, ("idempotency-key", key)];
    service.sidecar.send("POST", path, &headers, &body.to_string()).await
}

#[track_caller]
fn check_refusal(answered: &Answered, status: u16, kind: &str) {
    assert_eq!(answered.status, status, "{}", answered.text);
    assert!(answered.text.contains(kind), "{}", answered.text);
}

#[tokio::test]
async fn equal_requests_under_a_key_make_one_write_and_another_body_none() {
    for at in 0..paths("order", 1).len() {
        let service = Service::start().await;
        let (request, other) = (&paths("order", 1)[at], &paths("order", 2)[at]);
        let first = send(&service, "k", request).await;
        assert_eq!((first.status, service.n_orders()), (200, 1), "{}", first.text);
        assert!(first.text.contains("number"), "{}", first.text);
        let again = send(&service, "k", request).await;
        assert_eq!((again.text, service.n_orders()), (first.text, 1), "{request:?}");
        check_refusal(&send(&service, "k", other).await, 422, "key-reused");
        assert_eq!(service.n_orders(), 1, "{request:?}");
        let fresh = send(&service, "l", request).await;
        assert_eq!((fresh.status, service.n_orders()), (200, 2), "{}", fresh.text);
    }
}

#[tokio::test]
async fn a_repetition_is_refused_while_the_first_request_runs() {
    for at in 0..paths("slow", 1).len() {
        let service = Service::start().await;
        let (request, other) = (&paths("slow", 1)[at], &paths("slow", 2)[at]);
        let repetitions = async {
            service.waiting(1).await;
            let again = send(&service, "k", request).await;
            check_refusal(&again, 409, "key-running");
            assert_eq!(again.header("retry-after"), "1");
            check_refusal(&send(&service, "k", other).await, 422, "key-reused");
            service.answer();
        };
        let (first, ()) = tokio::join!(send(&service, "k", request), repetitions);
        assert_eq!(first.status, 200, "{}", first.text);
        // Nothing answers a second call of the service.
        let again = send(&service, "k", request).await;
        assert_eq!((again.status, again.text), (200, first.text));
    }
}
