//! Tests that rights come before look-ups: a token without the scope learns nothing of what a token of the same subject
//! with the scope has left.

use super::*;

struct World {
    sidecar: Sidecar,
    /// Tokens of one subject, with the scope and without.
    with: String,
    without: String,
}

impl World {
    /// A sidecar whose service sends a file, which is kept as a result.
    async fn start(more: &str) -> Self {
        let signer = Signer::new("one");
        let idp = Idp::start(&[&signer]).await;
        let file = async || ([("content-type", "application/octet-stream")], vec![0_u8, 159, 146]);
        let router = Router::new().route("/pets", routing::get(file));
        let address = service(router).await;
        let pets = format!("openapi: pets.yaml, server: 'http://{address}'");
        let toolsets = format!("toolsets: {{pets: {{{pets}{more}}}, free: {{{pets}}}}}\n");
        let jwt = format!("issuer: '{}', audience: callgate, scopes: {{pets: s}}", idp.issuer);
        let text = format!("{toolsets}access: {{jwt: [{{{jwt}}}]}}\n");
        let sidecar = Sidecar::describing(&text, DESCRIPTION).await;
        let token = |more: &Value| signer.bearer_token(&idp.claims(more));
        let (with, without) = (token(&json!({"scope": "s"})), token(&json!({})));
        Self { sidecar, with, without }
    }

    async fn send(&self, method: &str, path: &str, body: &Value, token: &str) -> (u16, String) {
        let client = Client::builder().no_proxy().build().unwrap();
        let url = format!("{}{path}", self.sidecar.calls[0]);
        let request = client.request(method.parse().unwrap(), url).json(body);
        let request = request.header("idempotency-key", "k").header("authorization", token);
        let response = request.send().await.unwrap();
        (response.status().as_u16(), response.text().await.unwrap())
    }

    /// Tries to see something with the token that lacks the scope: it is absent, as another of its kind that never was.
    async fn is_absent(&self, method: &str, path: &str, body: &Value, id: &str) {
        let never = id.chars().map(|letter| if letter.is_ascii_digit() { '0' } else { letter });
        let never: String = never.collect();
        assert_ne!(never, id);
        let (status, text) = self.send(method, &path.replace("ID", id), body, &self.without).await;
        let absent = self.send(method, &path.replace("ID", &never), body, &self.without).await;
        assert_eq!((status, text.replace(id, &never)), absent, "{path}");
        assert_eq!(status, 404, "{path}: {text}");
    }
}

/// The id that begins so in a text.
fn id(text: &str, beginning: &str) -> String {
    let at = text.find(beginning).unwrap_or_else(|| panic!("no {beginning} in {text}"));
    text.get(at..).unwrap_or_default().chars().take_while(|letter| *letter != '"').collect()
}

fn call(args: &Value) -> Value {
    json!({"calls": [{"tool": "pets-list", "args": args}]})
}

#[tokio::test]
async fn a_token_without_the_scope_does_not_learn_that_there_is_a_result() {
    let world = World::start("").await;
    let (_, text) = world.send("POST", "/v1/calls", &call(&json!({})), &world.with).await;
    let handle = id(&text, "result:");
    let path = format!("/v1/results/{handle}");
    assert_eq!(world.send("GET", &path, &json!({}), &world.with).await.0, 200);
    world.is_absent("GET", "/v1/results/ID", &json!({}), &handle).await;
    let (_, repeated) = world.send("POST", "/v1/calls", &call(&json!({})), &world.without).await;
    let refused: Value = serde_json::from_str(&repeated).unwrap();
    assert_eq!(refused["results"][0]["error"]["code"], "unknown_tool", "{repeated}");
    assert!(!repeated.contains(&handle), "{repeated}");
}

#[tokio::test]
async fn a_token_without_the_scope_does_not_learn_that_a_call_waits() {
    let world = World::start(", confirm: always").await;
    let (_, text) = world.send("POST", "/v1/calls", &call(&json!({})), &world.with).await;
    let approval = id(&text, "approval_");
    let approve = json!({"decision": "approve"});
    world.is_absent("POST", "/v1/approvals/ID", &approve, &approval).await;
    let path = format!("/v1/approvals/{approval}");
    let (status, text) = world.send("POST", &path, &approve, &world.with).await;
    assert!(status == 200 && text.contains("result:"), "the approval was not used up: {text}");
}

#[tokio::test]
async fn a_request_with_a_key_has_another_digest_with_a_token_without_the_scope() {
    let world = World::start("").await;
    let mut digests = Vec::new();
    for token in [&world.with, &world.with, &world.without] {
        let path = "/v1/sessions/s:digest";
        digests.push(world.send("POST", path, &json!({}), token).await.1);
    }
    assert_eq!(digests[0], digests[1]);
    assert!(digests[0] != digests[2] && digests[0].contains('['), "{digests:?}");
}

/// Two toolsets, of which everybody may use one.
const DESCRIPTION: &str = "
paths:
  /pets:
    get:
      operationId: list
      responses: {'200': {description: Pets}}
    post:
      operationId: send
      requestBody: {required: true, content: {application/octet-stream: {}}}
      responses: {'200': {description: sent}}
";

#[tokio::test]
async fn a_token_without_the_scope_cannot_send_a_result_by_its_handle() {
    let world = World::start("").await;
    let (_, text) = world.send("POST", "/v1/calls", &call(&json!({})), &world.with).await;
    let handle = id(&text, "result:");
    let send = |handle: &str| {
        let args = json!({"body": {"handle": handle}});
        json!({"calls": [{"tool": "free-send", "args": args}], "dryRun": true})
    };
    let dry = async |handle: &str, token: &str| {
        let (_, text) = world.send("POST", "/v1/calls", &send(handle), token).await;
        serde_json::from_str::<Value>(&text).unwrap()["results"][0].clone()
    };
    let sent = dry(&handle, &world.with).await;
    assert!(sent["error"].is_null(), "{sent}");
    let (theirs, never) = (dry(&handle, &world.without).await, dry(NEVER, &world.without).await);
    assert!(never["error"]["code"].is_string(), "{never}");
    let theirs = theirs.to_string().replace(&handle, NEVER);
    assert_eq!(theirs, never.to_string());
}

/// A handle that was never given.
const NEVER: &str = "result:00000000000000000000000000000000";
