//! Calls of a service that counts: what is repeated is made once, what streams is handed on, what is large is kept, and who
//! leaves stops the call.

use crate::prelude::*;

#[tokio::test]
async fn a_request_that_is_repeated_is_answered_and_not_made_again() {
    let service = Service::start().await;
    let sidecar = &service.sidecar;
    let body = json!({"calls": [{"tool": "order"}, {"tool": "order"}]}).to_string();
    let headers = [JSON, ("idempotency-key", "k-1")];
    let first = sidecar.send("POST", "/v1/calls", &headers, &body).await;
    let again = sidecar.send("POST", "/v1/calls", &headers, &body).await;
    assert_eq!((first.status, &first.text), (200, &again.text));
    assert_eq!(service.n_orders(), 2);

    let other = json!({"calls": [{"tool": "order"}]}).to_string();
    let other = sidecar.send("POST", "/v1/calls", &headers, &other).await;
    assert_eq!(other.json()["type"], "urn:callgate:problem:key-reused");
    assert_eq!((other.status, service.n_orders()), (422, 2));
    let long = "x".repeat(256);
    for key in ["", long.as_str()] {
        let headers = [JSON, ("idempotency-key", key)];
        let refused = sidecar.send("POST", "/v1/calls", &headers, &body).await;
        assert_eq!(refused.json()["type"], "urn:callgate:problem:malformed-header");
    }
}

#[tokio::test]
async fn calls_beside_one_that_waits_for_an_approval_are_not_made_again_by_a_repetition() {
    // A program need not say that keys are kept.
    let service = Service::of("", ", confirm: {tools: {slow: always}}").await;
    let body = json!({"calls": [{"tool": "order"}, {"tool": "slow"}, {"tool": "order"}]});
    let headers = [JSON, ("idempotency-key", "k-1")];
    let send = async || {
        service.sidecar.send("POST", "/v1/calls", &headers, &body.to_string()).await.json()
    };
    let (first, again) = (send().await, send().await);
    assert_eq!(first["results"][1]["pending"]["kind"], "approval", "{first}");
    assert_eq!((&first["results"], service.n_orders()), (&again["results"], 2));
}

#[tokio::test]
async fn a_call_that_is_repeated_under_its_own_key_is_not_made_again() {
    let service = Service::start().await;
    let call = |key: &str, id: &str| json!({"calls": [{"id": id, "tool": "order", "idempotencyKey": key}]});
    let first = service.sidecar.post("/v1/calls", &call("k-1", "a")).await.json();
    let again = service.sidecar.post("/v1/calls", &call("k-1", "b")).await.json();
    let other = service.sidecar.post("/v1/calls", &call("k-2", "c")).await.json();
    assert_eq!(first["results"][0]["response"], again["results"][0]["response"]);
    assert_eq!(again["results"][0]["id"], "b");
    assert_eq!(other["results"][0]["response"]["number"], 2);
}

#[tokio::test]
async fn a_repeated_request_gets_a_retry_time_while_the_first_runs() {
    let service = Service::start().await;
    let body = json!({"calls": [{"tool": "slow"}]}).to_string();
    let headers = [JSON, ("idempotency-key", "k-1")];
    let first = service.sidecar.send("POST", "/v1/calls", &headers, &body);
    let second = async {
        service.waiting(1).await;
        let second = service.sidecar.send("POST", "/v1/calls", &headers, &body).await;
        service.answer();
        second
    };
    let (first, second) = tokio::join!(first, second);
    assert_eq!(first.json()["results"][0]["status"], 200);
    assert_eq!(second.json()["type"], "urn:callgate:problem:key-running");
    assert_eq!((second.status, second.header("retry-after")), (409, "1"));
}

#[tokio::test]
async fn an_abandoned_call_is_not_made_again_by_its_repetition() {
    let service = Service::start().await;
    let body = json!({"calls": [{"tool": "slow"}]}).to_string();
    let headers = [JSON, ("idempotency-key", "k-1")];
    tokio::select! {
        _ = service.sidecar.send("POST", "/v1/calls", &headers, &body) => panic!("it was answered"),
        () = service.waiting(1) => {}
    }
    // The caller has left, and so does the call.
    service.waiting(0).await;
    let again = service.sidecar.send("POST", "/v1/calls", &headers, &body).await;
    let error = &again.json()["results"][0]["error"];
    assert_eq!(error["reached"], "maybe", "{error}");
}

#[tokio::test]
async fn values_of_a_streaming_service_come_as_events() {
    let service = Service::start().await;
    let body = json!({"calls": [{"id": "s", "tool": "events"}]}).to_string();
    let headers = [JSON, ("accept", "text/event-stream")];
    let answered = service.sidecar.send("POST", "/v1/calls", &headers, &body).await;
    let events = answered.events();
    let names: Vec<_> = events.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["value", "value", "result", "end"]);
    assert_eq!(events[0].1["id"], "s");
    assert_eq!(events[1].1["value"]["data"]["n"], 2);
    assert_eq!(events[2].1["status"], 200);
}

#[tokio::test]
async fn the_whole_of_a_cut_result_is_read_in_parts_by_its_session() {
    let service = Service::start().await;
    let body = json!({"calls": [{"tool": "large"}], "session": {"id": "s"}});
    let answered = service.sidecar.post("/v1/calls", &body).await.json();
    let result = &answered["results"][0];
    let path = format!("/v1/results/{}", result["handle"].as_str().unwrap());
    let whole = service.sidecar.get(&format!("{path}?session=s")).await;
    assert_eq!((whole.status, whole.header("content-type")), (200, "application/json"));
    assert_eq!(whole.json().as_array().unwrap().len(), 4000);
    assert_eq!(whole.header("x-content-type-options"), "nosniff");
    let range = [("range", "bytes=1-8")];
    let part = service.sidecar.send("GET", &format!("{path}?session=s"), &range, "").await;
    assert_eq!((part.status, part.text.as_str()), (206, r#"{"n": 0}"#));
    let length = whole.text.len();
    assert_eq!(part.header("content-range"), format!("bytes 1-8/{length}"));
    let range = [("range", "bytes=99999999-")];
    let behind = service.sidecar.send("GET", &format!("{path}?session=s"), &range, "").await;
    assert_eq!(behind.status, 416);
    assert_eq!(behind.header("content-range"), format!("bytes */{length}"));
    for other in ["", "?session=t"] {
        assert_eq!(service.sidecar.get(&format!("{path}{other}")).await.status, 404, "{other}");
    }
}

#[tokio::test]
async fn a_timeout_of_a_call_shortens_its_time() {
    let service = Service::start().await;
    let body = json!({"calls": [{"tool": "slow", "timeout": "50ms"}]});
    let answered = service.sidecar.post("/v1/calls", &body).await.json();
    assert_eq!(answered["results"][0]["error"]["code"], "timed_out");
    assert_eq!(answered["results"][0]["error"]["reached"], "maybe");
}
