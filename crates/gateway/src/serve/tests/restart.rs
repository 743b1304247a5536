//! Tests of a sidecar with `state` whose process ends without a word: a new one on the files that it left.

use std::{
    fs,
    sync::atomic::{AtomicUsize, Ordering},
};

use tokio::sync::Notify;

use super::*;

const DESCRIPTION: &str = "
paths:
  /pets:
    get:
      operationId: list
      parameters: [{name: owner, in: query, schema: {type: string, x-agent-input-parameter: owner}}]
      responses: {'200': {description: Pets}}
    post:
      operationId: buy
      requestBody: {content: {text/plain: {schema: {type: string}}}}
      responses: {'200': {description: bought}}
";

/// A service that counts what is bought, and never answers who buys the word `slow`.
pub(super) struct Shop {
    address: SocketAddr,
    pub(super) bought: Arc<AtomicUsize>,
    slow: Arc<Notify>,
}

impl Shop {
    pub(super) async fn open() -> Self {
        let (bought, slow) = (Arc::new(AtomicUsize::new(0)), Arc::new(Notify::new()));
        let (count, is_slow) = (Arc::clone(&bought), Arc::clone(&slow));
        let buy = async move |body: String| {
            count.fetch_add(1, Ordering::SeqCst);
            if body == "slow" {
                is_slow.notify_one();
                std::future::pending::<()>().await;
            }
            format!("bought {body}")
        };
        let list = async |Query(query): Query<Vec<(String, String)>>| format!("{query:?}");
        let router = Router::new().route("/pets", routing::get(list).post(buy));
        Self { address: service(router).await, bought, slow }
    }

    async fn sidecar(&self, folder: &Path) -> Sidecar {
        self.try_sidecar(folder).await.unwrap()
    }

    async fn try_sidecar(&self, folder: &Path) -> Result<Sidecar, Failure> {
        self.sidecar_with("{file: state.db}", folder).await
    }

    pub(super) async fn sidecar_with(
        &self,
        state: &str,
        folder: &Path,
    ) -> Result<Sidecar, Failure> {
        let pets = format!("openapi: p.yaml, server: 'http://{}'", self.address);
        let text = format!(
            "state: {state}\ntoolsets: {{pets: {{{pets}}}, asked: {{{pets}, confirm: always}}}}\n"
        );
        Sidecar::started(&text, folder, DESCRIPTION).await
    }
}

pub(super) async fn send(sidecar: &Sidecar, method: &str, path: &str, body: &Value) -> Value {
    let client = Client::builder().no_proxy().build().unwrap();
    let url = format!("{}{path}", sidecar.calls[0]);
    let response = client.request(method.parse().unwrap(), url).json(body).send().await.unwrap();
    let (status, bytes) = (response.status(), response.bytes().await.unwrap());
    assert!(status.is_success(), "{method} {path}: {status}: {bytes:?}");
    serde_json::from_slice(&bytes).unwrap_or_default()
}

pub(super) async fn call(sidecar: &Sidecar, call: Value) -> Value {
    let body = json!({"calls": [call], "session": {"id": "s-1"}});
    send(sidecar, "POST", "/v1/calls", &body).await["results"][0].take()
}

/// What a process that ends without a word leaves in its folder.
fn left_by(folder: &Path) -> tempfile::TempDir {
    let copy = tempfile::tempdir().unwrap();
    for file in fs::read_dir(folder).unwrap() {
        let file = file.unwrap();
        fs::copy(file.path(), copy.path().join(file.file_name())).unwrap();
    }
    copy
}

#[tokio::test]
async fn a_new_process_has_the_sessions_approvals_and_keys_of_the_one_that_was_killed() {
    let (shop, folder) = (Shop::open().await, tempfile::tempdir().unwrap());
    let bought = || shop.bought.load(Ordering::SeqCst);
    let first = Arc::new(shop.sidecar(folder.path()).await);
    let session = json!({"parameters": {"owner": "kim"}, "credentials": {"token": "t0k3n"}});
    send(&first, "PUT", "/v1/sessions/s-1", &session).await;
    let keyed = json!({"tool": "pets-buy", "args": {"body": "cat"}, "idempotencyKey": "order-1"});
    assert_eq!(call(&first, keyed.clone()).await["response"], "bought cat");
    let asked = call(&first, json!({"tool": "asked-buy", "args": {"body": "dog"}})).await;
    let path = format!("/v1/approvals/{}", asked["pending"]["id"].as_str().unwrap());
    let slow = json!({"tool": "pets-buy", "args": {"body": "slow"}, "idempotencyKey": "order-2"});
    let (running, begun) = (Arc::clone(&first), slow.clone());
    let running = tokio::spawn(async move { call(&running, begun).await });
    shop.slow.notified().await;
    assert_eq!(bought(), 2);

    let left = left_by(folder.path());
    let second = shop.sidecar(left.path()).await;
    let pets = call(&second, json!({"tool": "pets-list", "args": {}})).await;
    assert_eq!(pets["response"], r#"[("owner", "kim")]"#);
    let shown = send(&second, "GET", "/v1/sessions/s-1", &json!({})).await;
    assert_eq!(shown["credentials"]["token"], "****");
    assert_eq!(call(&second, keyed).await["response"], "bought cat");
    let unknown = call(&second, slow).await;
    assert_eq!(unknown["error"]["reached"], "maybe", "{unknown}");
    assert_eq!(bought(), 2, "no call is made twice");
    let decided = send(&second, "POST", &path, &json!({"decision": "approve"})).await;
    assert_eq!(decided["response"], "bought dog", "{decided}");
    let again = send(&second, "POST", &path, &json!({"decision": "approve"})).await;
    assert_eq!(again["error"]["code"], "outcome_unknown", "{again}");
    assert_eq!(bought(), 3);
    running.abort();
}

#[tokio::test]
async fn a_second_sidecar_on_the_same_file_is_refused() {
    let (shop, folder) = (Shop::open().await, tempfile::tempdir().unwrap());
    let first = shop.sidecar(folder.path()).await;
    first.reload().await;
    let Err(Failure::Configuration(error)) = shop.try_sidecar(folder.path()).await else {
        panic!("two processes would have one state");
    };
    let shown = error.to_string();
    assert!(shown.contains("another process uses this file of state"), "{shown}");
}

/// The response to a call over MCP (revision 2026-07-28) of a client that can ask a person.
async fn over_mcp(sidecar: &Sidecar, mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}},
    });
    let name = params["name"].as_str().unwrap().to_owned();
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    let client = Client::builder().no_proxy().build().unwrap();
    let request = client.post(format!("{}/mcp", sidecar.calls[0])).json(&message);
    let request = request
        .header("accept", "application/json, text/event-stream")
        .header("mcp-protocol-version", "2026-07-28")
        .header("mcp-method", "tools/call")
        .header("mcp-name", name);
    let text = request.send().await.unwrap().text().await.unwrap();
    serde_json::from_str(&text).unwrap_or_else(|_| panic!("{text}"))
}

#[tokio::test]
async fn a_call_that_waits_for_its_mcp_client_ends_on_a_process_with_a_newer_key_and_once() {
    let (shop, folder) = (Shop::open().await, tempfile::tempdir().unwrap());
    let bought = || shop.bought.load(Ordering::SeqCst);
    let (old, new) = ("a".repeat(32), "b".repeat(32));
    let state = format!("{{file: state.db, key: 'literal:{old}'}}");
    let first = shop.sidecar_with(&state, folder.path()).await.unwrap();
    let call = json!({"name": "asked-buy", "arguments": {"body": "cat"}});
    let asked = over_mcp(&first, call.clone()).await["result"].take();
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let page = send(&first, "GET", "/v1/tools?limit=1", &json!({})).await;

    let left = left_by(folder.path());
    let state = format!("{{file: state.db, key: 'literal:{new}', old_keys: ['literal:{old}']}}");
    let second = shop.sidecar_with(&state, left.path()).await.unwrap();
    let mut answer = call;
    answer["requestState"] = asked["requestState"].clone();
    answer["inputResponses"] = json!({"approval": {"action": "accept", "content": {"ok": true}}});
    let other =
        json!({"name": "asked-list", "arguments": {}, "requestState": asked["requestState"]});
    let refused = over_mcp(&second, other).await;
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
    let answered = over_mcp(&second, answer.clone()).await;
    assert!(answered["result"]["content"].to_string().contains("bought cat"), "{answered}");
    let again = over_mcp(&second, answer).await.to_string();
    assert!(!again.contains("bought"), "{again}");
    assert_eq!(bought(), 1, "{again}");
    let path = format!("/v1/tools?limit=1&cursor={}", page["nextCursor"].as_str().unwrap());
    let next = send(&second, "GET", &path, &json!({})).await;
    assert_ne!(page["tools"], next["tools"], "a page goes on where it ended");
}
