//! Tests that no record of a call answers another call: every way in, with every way of giving the value that decides for
//! whom the call is, for results and for approvals that wait under an idempotency key.

use std::sync::{Arc, Mutex};

use axum::{Router, extract::Query, routing};
use http::HeaderMap;
use reqwest::Client;
use serde_json::{Value, json};

use super::{
    Sidecar,
    sidecar::{pets, service},
};

/// The service answers whom it was asked for: the values of its inputs, and the token.
const DESCRIPTION: &str = "
openapi: 3.1.0
info: {title: Pets, version: '1'}
components: {securitySchemes: {token: {type: http, scheme: bearer}}}
paths:
  /pets:
    get:
      operationId: list
      security: [{token: []}]
      parameters:
        - {name: customer, in: query, schema: {type: string, x-agent-input-parameter: customerId}}
        - {name: variable, in: query, schema: {type: string, x-ces-session-context: $context.variables.who}}
        - {name: payload, in: query, schema: {type: string, x-agent-input-parameter: $request.payload.who}}
      responses: {'200': {description: Pets}}
";

/// The ways in which a request gives the value.
const GIVEN: [&str; 7] =
    ["parameter", "variable", "payload", "credential", "header", "stored", "stored credential"];

/// The ways in: paths, with the message that calls the tool there.
fn ways() -> Vec<(&'static str, Value)> {
    let call = json!({"tool": "pets-list", "args": {}});
    let keyed = json!({"tool": "pets-list", "args": {}, "idempotencyKey": "own-key"});
    let openai = json!({"id": "1", "type": "function", "function": {"name": "pets-list", "arguments": "{}"}});
    let item =
        json!({"type": "function_call", "call_id": "1", "name": "pets-list", "arguments": "{}"});
    let kernel = json!({"$type": "FunctionCallContent", "id": "1", "plugin_name": "pets", "function_name": "list", "arguments": {}});
    let messages = [
        ("openai", json!({"role": "assistant", "tool_calls": [openai]})),
        ("responses", json!([item])),
        (
            "anthropic",
            json!({"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "pets-list", "input": {}}]}),
        ),
        (
            "bedrock",
            json!({"role": "assistant", "content": [{"toolUse": {"toolUseId": "1", "name": "pets-list", "input": {}}}]}),
        ),
        (
            "gemini",
            json!({"role": "model", "parts": [{"functionCall": {"name": "pets-list", "args": {}}}]}),
        ),
        (
            "ces",
            json!({"toolCalls": {"toolCalls": [{"id": "1", "displayName": "pets-list", "args": {}}]}}),
        ),
        (
            "dialogflow",
            json!({"toolCall": {"tool": "pets", "action": "list", "inputParameters": {}}}),
        ),
        (
            "mcp",
            json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "pets-list", "arguments": {}}}),
        ),
        ("json", call.clone()),
        ("semantic_kernel", json!({"role": "assistant", "items": [kernel]})),
    ];
    let mut ways = vec![("calls", json!({"calls": [call]})), ("calls", json!({"calls": [keyed]}))];
    ways.extend(messages.map(|(dialect, message)| (dialect, json!({"message": message}))));
    ways
}

struct World {
    sidecar: Sidecar,
    /// Whom the service was asked for.
    asked: Arc<Mutex<Vec<String>>>,
}

impl World {
    async fn start(confirm: &str) -> Self {
        let asked = Arc::<Mutex<Vec<String>>>::default();
        let seen = Arc::clone(&asked);
        let answer = async move |Query(query): Query<Vec<(String, String)>>, headers: HeaderMap| {
            let mut whom: Vec<_> = query.into_iter().map(|(_, value)| value).collect();
            let token = headers["authorization"].to_str().unwrap().to_owned();
            whom.push(token.trim_start_matches("Bearer ").to_owned());
            seen.lock().unwrap().push(whom.concat());
            // Without the token, which is masked.
            whom.pop();
            axum::Json(json!({"of": whom.concat()}))
        };
        let router = Router::new().route("/pets", routing::get(answer));
        let pets = pets(service(router).await)
            .replace("pets.yaml", "pets.yaml, auth: {bearer: {token: $session.credentials.token}}");
        let pets = pets.replace("pets.yaml", &format!("pets.yaml{confirm}"));
        let text = format!("sessions: {{headers: {{customerId: x-customer}}}}\n{pets}");
        Self { sidecar: Sidecar::describing(&text, DESCRIPTION).await, asked }
    }

    fn n_asked(&self) -> usize {
        self.asked.lock().unwrap().len()
    }

    async fn send(
        &self,
        method: &str,
        path: &str,
        body: &Value,
        headers: &[(&str, &str)],
    ) -> String {
        let client = Client::builder().no_proxy().build().unwrap();
        let url = format!("{}{path}", self.sidecar.calls[0]);
        let mut request = client.request(method.parse().unwrap(), url).json(body);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.send().await.unwrap().text().await.unwrap()
    }

    /// Makes the call for a customer, given in this way, under one key.
    async fn call(&self, way: (&str, &Value), given: &str, customer: &str, key: &str) -> String {
        let mut body = way.1.clone();
        let mut token = "canary-of-all";
        let mut headers = vec![("idempotency-key", key)];
        let mut session = json!({"id": key});
        match given {
            "parameter" => session["parameters"] = json!({"customerId": customer}),
            "variable" => session["context"] = json!({"variables": {"who": customer}}),
            "payload" => session["payload"] = json!({"who": customer}),
            "header" => headers.push(("x-customer", customer)),
            "credential" | "stored credential" => token = customer,
            _ => {}
        }
        let credentials = json!({"token": format!("canary-{token}")});
        if given.starts_with("stored") {
            let mut stored = json!({"credentials": credentials});
            if given == "stored" {
                stored["parameters"] = json!({"customerId": customer});
            }
            self.send("PUT", &format!("/v1/sessions/{key}"), &stored, &[]).await;
        } else {
            session["credentials"] = credentials;
        }
        body["session"] = session;
        let path = match way.0 {
            "calls" => "/v1/calls".to_owned(),
            dialect => format!("/v1/dialects/{dialect}/calls"),
        };
        if let Some(call) = body.pointer_mut("/calls/0/idempotencyKey") {
            *call = json!(key);
            headers.remove(0);
        }
        self.send("POST", &path, &body, &headers).await
    }
}

#[tokio::test]
async fn no_kept_result_answers_a_call_for_another_customer() {
    let world = World::start("").await;
    for (at, (path, body)) in ways().iter().enumerate() {
        for given in GIVEN {
            let key = format!("{at}-{given}").replace(' ', "-");
            let call = async |customer| world.call((path, body), given, customer, &key).await;
            let before = world.n_asked();
            let first = call("alice").await;
            assert_eq!(world.n_asked(), before + 1, "{path} {given}: {first}");
            let again = call("alice").await;
            assert!(again.contains("alice") || given != "parameter", "{path} {given}: {again}");
            assert_eq!(world.n_asked(), before + 1, "{path} {given}: the same call is made once");
            let other = call("bob").await;
            assert!(!other.contains("alice"), "{path} {given}: {other}");
            let is_refused = other.contains("key_reused") || other.contains("key-reused");
            let is_made = world.n_asked() == before + 2;
            assert!(is_refused != is_made, "{path} {given}: {other}");
            assert!(is_refused, "{path} {given}: {other}");
        }
    }
}

#[tokio::test]
async fn no_approval_that_waits_answers_a_call_for_another_customer() {
    let world = World::start(", confirm: always").await;
    for (at, (path, body)) in ways().iter().enumerate() {
        for given in GIVEN {
            let key = format!("{at}-{given}").replace(' ', "-");
            let call = async |customer| world.call((path, body), given, customer, &key).await;
            let first = call("alice").await;
            let id = first.find("approval_").and_then(|at| first.get(at..at + 41));
            let id = id.unwrap_or_else(|| panic!("{path} {given}: {first}"));
            let other = call("bob").await;
            assert!(!other.contains(id) && !other.contains("alice"), "{path} {given}: {other}");
            assert_eq!(world.n_asked(), 0, "{path} {given}: {other}");
        }
    }
}

/// The approved call is sent with the credential of the person it was asked for, or not at all.
#[tokio::test]
async fn an_approval_is_of_the_person_whose_credential_was_stored() {
    let world = World::start(", confirm: always").await;
    let stored = |token: &str| json!({"credentials": {"token": format!("canary-{token}")}});
    world.send("PUT", "/v1/sessions/s", &stored("alice"), &[]).await;
    let body = json!({"calls": [{"tool": "pets-list", "args": {}}], "session": {"id": "s", "parameters": {"customerId": "c"}}});
    let first = world.send("POST", "/v1/calls", &body, &[]).await;
    let at = first.find("approval_").unwrap_or_else(|| panic!("{first}"));
    let path = format!("/v1/approvals/{}", first.get(at..at + 41).unwrap());
    world.send("PUT", "/v1/sessions/s", &stored("bob"), &[]).await;
    let decided = world.send("POST", &path, &json!({"decision": "approve"}), &[]).await;
    assert_eq!(world.n_asked(), 0, "{decided}");
    assert!(decided.contains("approval_"), "the person is asked again: {decided}");
}
