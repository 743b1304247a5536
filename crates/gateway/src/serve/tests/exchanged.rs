//! Tests the exchange of a caller's token for a token of the service, with a real issuer, token endpoint and service: the
//! caller's token reaches only the endpoint, whichever way a call comes.

use super::*;
use std::collections::BTreeMap;

use axum::{Json, extract::Form};

/// The requests that reached the token endpoint, and those that reached the service.
#[derive(Default)]
struct Seen {
    exchanged: Mutex<Vec<String>>,
    called_with: Mutex<Vec<String>>,
}

struct World {
    sidecar: Sidecar,
    seen: Arc<Seen>,
    idp: Idp,
    signer: Signer,
}

impl World {
    async fn start(more: &str) -> Self {
        let seen = Arc::new(Seen::default());
        let (endpoint, called) = (Arc::clone(&seen), Arc::clone(&seen));
        let token = move |Form(form): Form<BTreeMap<String, String>>| {
            let mut exchanged = endpoint.exchanged.lock().unwrap();
            exchanged.push(form["subject_token"].clone());
            let token = format!("exchanged-{}", exchanged.len());
            drop(exchanged);
            async move { Json(json!({"access_token": token, "token_type": "Bearer", "expires_in": 60})) }
        };
        let pets = move |headers: HeaderMap| {
            called.called_with.lock().unwrap().push(format!("{headers:?}"));
            async { Json(json!(["Rex"])) }
        };
        let routes = Router::new().route("/token", routing::post(token));
        let address = service(routes.route("/pets", routing::get(pets))).await;
        let signer = Signer::new("one");
        let idp = Idp::start(&[&signer]).await;
        let exchange =
            format!("{{token_url: 'http://{address}/token', subject_token: $caller.token}}");
        let text = format!(
            "toolsets: {{pets: {{openapi: a.yaml, server: 'http://{address}', auth: {{token_exchange: {exchange}}}{more}}}}}\n\
             access: {{jwt: [{{issuer: '{}', audience: callgate}}], principals: {{agent: {{bearer: 'literal:{NAMED}'}}}}}}\n",
            idp.issuer
        );
        Self { sidecar: Sidecar::start(&text).await, seen, idp, signer }
    }

    /// A token of `kim` in the form of `Authorization`.
    fn token(&self, id: &str) -> String {
        self.signer.bearer_token(&self.idp.claims(&json!({"jti": id})))
    }

    async fn post(&self, path: &str, token: &str, body: &Value) -> String {
        let client = Client::builder().no_proxy().build().unwrap();
        let request = client.post(format!("{}{path}", self.sidecar.calls[0])).json(body);
        let request = request.header("accept", "application/json, text/event-stream");
        let request = request.header("mcp-protocol-version", "2025-11-25");
        let answer = request.header("authorization", token).send().await.unwrap();
        answer.text().await.unwrap()
    }

    fn exchanged(&self) -> Vec<String> {
        self.seen.exchanged.lock().unwrap().clone()
    }

    fn called_with(&self) -> Vec<String> {
        self.seen.called_with.lock().unwrap().clone()
    }
}

fn call(more: &Value) -> Value {
    let mut body = json!({"calls": [{"id": "1", "tool": "pets-list", "args": {}}]});
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    body
}

/// The token without its scheme.
fn bare(token: &str) -> String {
    token.trim_start_matches("Bearer ").to_owned()
}

#[tokio::test]
async fn the_token_of_a_caller_is_sent_only_to_the_token_endpoint() {
    let world = World::start("").await;
    let token = world.token("1");
    let mcp = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "pets-list", "arguments": {}}});
    let mut answers = Vec::new();
    for (path, body) in [
        ("/v1/calls", call(&json!({"dryRun": true}))),
        ("/v1/calls", call(&json!({"session": {"id": "s", "parameters": {"customerId": "c"}}}))),
        ("/v1/calls", call(&json!({}))),
        ("/mcp", mcp),
        ("/v1/sessions/s:call", json!({"tool": "pets-list"})),
    ] {
        answers.push(world.post(path, &token, &body).await);
    }
    let stored = world.sidecar.get("/v1/sessions/s", &[("authorization", &token)]).await;
    answers.push(stored.text().await.unwrap());
    assert_eq!(world.exchanged(), [bare(&token)], "{answers:?}");
    let called_with = world.called_with();
    assert_eq!(called_with.len(), 4, "{answers:?}");
    assert!(called_with.iter().all(|headers| headers.contains("Bearer exchanged-1")));
    let shown = format!("{answers:?} {called_with:?}");
    assert!(!shown.contains(&bare(&token)) && !answers.concat().contains("exchanged-1"), "{shown}");
}

#[tokio::test]
async fn a_caller_without_a_jwt_is_answered_sign_in_required() {
    let world = World::start("").await;
    let answer = world.post("/v1/calls", &format!("Bearer {NAMED}"), &call(&json!({}))).await;
    assert!(answer.contains("sign_in_required"), "{answer}");
    assert!(answer.contains("the caller must show a token (JWT)"), "{answer}");
    assert!(world.exchanged().is_empty() && world.called_with().is_empty());
}

#[tokio::test]
async fn the_token_of_the_approver_is_exchanged_for_an_approved_call() {
    let world = World::start(", confirm: always").await;
    let (first, second) = (world.token("1"), world.token("2"));
    let waiting = world.post("/v1/calls", &first, &call(&json!({}))).await;
    let waiting: Value = serde_json::from_str(&waiting).unwrap();
    let id = waiting["results"][0]["pending"]["id"].as_str().unwrap();
    assert!(world.exchanged().is_empty());
    let path = format!("/v1/approvals/{id}");
    let answer = world.post(&path, &second, &json!({"decision": "approve"})).await;
    assert!(answer.contains("Rex"), "{answer}");
    assert_eq!(world.exchanged(), [bare(&second)]);
}

const NAMED: &str = "a-token-of-the-operator-1";
