//! Tests two principals: anything that one of them made is absent for the other, even under its id.

use super::*;

use tokio::sync::{Notify, Semaphore};

const KIM: &str = "a-token-of-kim-0123456789";
const LEE: &str = "a-token-of-lee-0123456789";

fn access() -> String {
    let principal = |token: &str| format!("{{bearer: 'literal:{token}'}}");
    format!("access: {{principals: {{kim: {}, lee: {}}}}}\n", principal(KIM), principal(LEE))
}

/// The status and the body of the response to a principal.
async fn asked(
    sidecar: &Sidecar,
    token: &str,
    (method, path): (&str, &str),
    body: &Value,
) -> (u16, Value) {
    let client = Client::builder().no_proxy().build().unwrap();
    let request = client.request(method.parse().unwrap(), format!("{}{path}", sidecar.calls[0]));
    let request = request.bearer_auth(token).header("content-type", "application/json");
    let answer = request.body(body.to_string()).send().await.unwrap();
    let status = answer.status().as_u16();
    (status, serde_json::from_slice(&answer.bytes().await.unwrap()).unwrap_or(Value::Null))
}

fn calls(session: &str) -> Value {
    let session = json!({"id": session, "parameters": {"customerId": "c-1"}});
    json!({"calls": [{"id": "a", "tool": "pets-list", "args": {}}], "session": session})
}

#[tokio::test]
async fn an_approval_of_another_principal_is_not_found_and_its_call_stays_pending() {
    let router = axum::Router::new().route("/pets", axum::routing::get(async || "[]"));
    let pets = pets(service(router).await).replace("pets.yaml", "pets.yaml, confirm: always");
    let sidecar = Sidecar::start(&format!("{}{pets}", access())).await;
    let (_, pending) = asked(&sidecar, KIM, ("POST", "/v1/calls"), &calls("s")).await;
    let id = pending["results"][0]["pending"]["id"].as_str().unwrap_or_else(|| panic!("{pending}"));
    let path = format!("/v1/approvals/{id}");
    for decision in ["approve", "reject"] {
        let body = json!({"decision": decision});
        let (status, refused) = asked(&sidecar, LEE, ("POST", &path), &body).await;
        assert_eq!((status, &refused["type"]), (404, &json!("urn:callgate:problem:absent")));
    }
    let (status, made) =
        asked(&sidecar, KIM, ("POST", &path), &json!({"decision": "approve"})).await;
    assert_eq!((status, &made["status"]), (200, &json!(200)), "{made}");
}

#[tokio::test]
async fn sessions_results_and_keys_belong_to_their_principal() {
    let long = format!("\"{}\"", "x".repeat(100_000));
    let router = axum::Router::new().route("/pets", axum::routing::get(async move || long));
    let sidecar = Sidecar::start(&format!("{}{}", access(), pets(service(router).await))).await;
    let session = json!({"parameters": {"customerId": "c-1"}, "credentials": {"token": "canary"}});
    assert_eq!(asked(&sidecar, KIM, ("PUT", "/v1/sessions/s"), &session).await.0, 201);
    for method in ["GET", "DELETE"] {
        assert_eq!(asked(&sidecar, LEE, (method, "/v1/sessions/s"), &Value::Null).await.0, 404);
    }
    assert_eq!(asked(&sidecar, KIM, ("GET", "/v1/sessions/s"), &Value::Null).await.0, 200);

    let (_, cut) = asked(&sidecar, KIM, ("POST", "/v1/calls"), &calls("s")).await;
    let handle = cut["results"][0]["handle"].as_str().unwrap_or_else(|| panic!("{cut}"));
    let path = format!("/v1/results/{handle}?session=s");
    assert_eq!(asked(&sidecar, LEE, ("GET", &path), &Value::Null).await.0, 404);
    assert_eq!(asked(&sidecar, KIM, ("GET", &path), &Value::Null).await.0, 200);
}

#[cfg(feature = "agents")]
#[tokio::test]
async fn a_file_of_another_principal_goes_into_no_turn() {
    let agents = "models: {main: {dialect: openai, url: 'http://127.0.0.1:1/v1', model: m, auth: none}}\nagents: {viewer: {model: main}}\n";
    let text = format!("{}{agents}{}", access(), super::sidecar::nothing());
    let sidecar = Sidecar::start(&text).await;
    let file = ("POST", "/v1/results?session=s");
    let (_, kept) = asked(&sidecar, KIM, file, &json!({"secret": 1})).await;
    let body = json!({"session": {"id": "s"}, "input": [{"handle": kept["handle"]}]});
    let turn = ("POST", "/v1/agents/viewer/turns");
    let (status, refused) = asked(&sidecar, LEE, turn, &body).await;
    assert_eq!((status, &refused["type"]), (422, &json!("urn:callgate:problem:unfit-input")));
    // Nobody answers at the address of the model.
    let (status, ended) = asked(&sidecar, KIM, turn, &body).await;
    assert_eq!((status, &ended["end"]["reason"]), (200, &json!("model_failed")), "{ended}");
}

/// Threat 44 of `SECURITY.md`: MCP is served without sessions.
#[cfg(feature = "mcp")]
#[tokio::test]
async fn a_guessed_session_id_of_mcp_gives_nothing_and_changes_nothing() {
    let sidecar = Sidecar::start(&format!("{}{}", access(), super::sidecar::nothing())).await;
    let client = Client::builder().no_proxy().build().unwrap();
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "client", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }}});
    let listed = async |token: Option<&str>, session: Option<&str>| {
        let request = client.post(format!("{}/mcp", sidecar.calls[0])).body(list.to_string());
        let request = request.header("content-type", "application/json");
        let request = request.header("accept", "application/json, text/event-stream");
        let request = request.header("mcp-protocol-version", "2026-07-28");
        let request = request.header("mcp-method", "tools/list");
        let request = token.into_iter().fold(request, reqwest::RequestBuilder::bearer_auth);
        let named = session.into_iter();
        let request = named.fold(request, |request, id| request.header("mcp-session-id", id));
        let answer = request.send().await.unwrap();
        assert!(!answer.headers().contains_key("mcp-session-id"));
        (answer.status().as_u16(), answer.text().await.unwrap())
    };
    assert_eq!(listed(None, Some("guessed")).await.0, 401);
    let (status, tools) = listed(Some(KIM), None).await;
    assert!(status == 200 && tools.contains("pets-list"), "{status} {tools}");
    assert_eq!(listed(Some(KIM), Some("guessed")).await, (status, tools));
}

#[tokio::test]
async fn a_principal_with_a_full_share_of_requests_is_refused_and_another_is_served() {
    let (begun, waits) = (Arc::new(Notify::new()), Arc::new(Semaphore::new(0)));
    let (tell, holds) = (Arc::clone(&begun), Arc::clone(&waits));
    let pets = async move || {
        tell.notify_one();
        holds.acquire().await.unwrap().forget();
        "[]"
    };
    let router = axum::Router::new().route("/pets", axum::routing::get(pets));
    let pets = super::sidecar::pets(service(router).await);
    let text = format!("limits: {{principal_requests: 1}}\n{}{pets}", access());
    let sidecar = Arc::new(Sidecar::start(&text).await);
    let kims = Arc::clone(&sidecar);
    let first =
        tokio::spawn(async move { asked(&kims, KIM, ("POST", "/v1/calls"), &calls("s")).await });
    begun.notified().await;
    let (status, refused) = asked(&sidecar, KIM, ("GET", "/v1/tools"), &Value::Null).await;
    let kind = json!("urn:callgate:problem:too-many-requests");
    assert_eq!((status, &refused["type"]), (429, &kind), "{refused}");
    let shown = format!("Bearer {KIM}");
    let refused = sidecar.get("/v1/tools", &[("authorization", &shown)]).await;
    assert_eq!(refused.headers()["retry-after"], "1");
    assert_eq!(asked(&sidecar, LEE, ("GET", "/v1/tools"), &Value::Null).await.0, 200);
    waits.add_permits(1);
    assert_eq!(first.await.unwrap().0, 200);
    assert_eq!(asked(&sidecar, KIM, ("GET", "/v1/tools"), &Value::Null).await.0, 200);
}
