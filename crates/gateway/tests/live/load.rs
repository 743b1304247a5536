//! Calls while everything is read again: none fails, and each gets what its tool answers.

use crate::prelude::*;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use axum::extract::Path;

/// Calls that go on until they are over.
#[derive(Debug, Default)]
struct Calls {
    are_over: AtomicBool,
    number: AtomicUsize,
}

impl Calls {
    async fn run(&self, caller: usize, client: &reqwest::Client, address: &str) {
        while !self.are_over.load(Ordering::Relaxed) {
            let id = format!("{caller}-{}", self.number.fetch_add(1, Ordering::Relaxed));
            let call = json!({"id": "1", "tool": "pets-getPet", "args": {"id": id}});
            let request = client.post(format!("{address}/v1/calls"));
            let request = request.header("content-type", "application/json");
            let answer = request.body(json!({"calls": [call]}).to_string()).send().await;
            let answer = answer.unwrap().text().await.unwrap();
            let answer: Value = serde_json::from_str(&answer).unwrap();
            assert_eq!(answer["results"][0]["response"]["id"], json!(id), "{answer}");
        }
    }
}

async fn service() -> String {
    let answer = get(|Path(id): Path<String>| async move { axum::Json(json!({"id": id})) });
    callgate_testkit::serve(Router::new().route("/pets/{id}", answer)).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_call_fails_in_a_hundred_reloads() {
    let server = service().await;
    let description = "openapi: 3.1.0
info: {title: t, version: '1'}
paths:
  /pets/{id}:
    get:
      operationId: getPet
      parameters: [{name: id, in: path, required: true, schema: {type: string}}]
      responses: {'200': {description: ok}}
";
    let sidecar = Sidecar::with(|folder| {
        let text = format!("reload: {{watch: false}}\ntoolsets: {{pets: {{openapi: pets.yaml, server: '{server}'}}}}");
        fs::write(folder.join("callgate.yaml"), text).unwrap();
        fs::write(folder.join("pets.yaml"), description).unwrap();
    })
    .await;
    let calls = Arc::new(Calls::default());
    let callers = (0..8).map(|caller| {
        let (client, address) = (sidecar.client.clone(), sidecar.address.clone());
        let calls = Arc::clone(&calls);
        tokio::spawn(async move { calls.run(caller, &client, &address).await })
    });
    let callers: Vec<_> = callers.collect();
    for number in 0..100 {
        // Every other one brings a tool more.
        let more = if number % 2 == 0 {
            ""
        } else {
            "  /more: {get: {operationId: more, responses: {'200': {description: ok}}}}\n"
        };
        sidecar.write("pets.yaml", &format!("{description}{more}"));
        assert_eq!(sidecar.post("/v1/admin/reload").await["outcome"], "replaced");
    }
    calls.are_over.store(true, Ordering::Relaxed);
    for caller in callers {
        caller.await.unwrap();
    }
    assert!(calls.number.load(Ordering::Relaxed) > 100);
}
