//! Tests that a right which was lost between a request and its call counts: over each way to a call, and with each change of rights,
//! nothing is sent and nothing is shown that the caller could not send or see afresh.

use super::*;
use callgate_testkit::{Received, Service as Provider};

const LEE: &str = "Bearer a-token-of-lee-0123456789";
const CANARY: &str = "canary-of-the-service";

const DESCRIPTION: &str = "
paths:
  /pets:
    get:
      operationId: list
      summary: List the pets
      responses: {'200': {description: Pets}}
    post:
      operationId: add
      responses: {'200': {description: added}}
    put:
      operationId: send
      requestBody: {required: true, content: {application/octet-stream: {}}}
      responses: {'200': {description: sent}}
  /file:
    get:
      operationId: load
      responses: {'200': {description: A file}}
";

/// A way to a call, or to the result of one.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Way {
    Approval,
    ApprovalOfAnother,
    Call,
    Dialect,
    Handle,
    Key,
    KeyOfRequest,
    Mcp,
    Search,
    SentHandle,
    Stream,
    Turn,
}

const WAYS: [Way; 12] = [
    Way::Approval,
    Way::ApprovalOfAnother,
    Way::Call,
    Way::Dialect,
    Way::Handle,
    Way::Key,
    Way::KeyOfRequest,
    Way::Mcp,
    Way::Search,
    Way::SentHandle,
    Way::Stream,
    Way::Turn,
];

/// What changes between the request and the call.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Change {
    Nothing,
    /// The token that comes then lacks the scope.
    Scope,
    /// The principal may use another toolset alone.
    Toolset,
    /// The tools are excluded from their toolset.
    Tool,
    /// The toolset is gone.
    Removal,
    /// The issuer of the tokens is gone.
    Principal,
    /// The tools are taken from the agent, which concerns turns alone.
    Agent,
}

const CHANGES: [Change; 7] = [
    Change::Nothing,
    Change::Scope,
    Change::Toolset,
    Change::Tool,
    Change::Removal,
    Change::Principal,
    Change::Agent,
];

struct World {
    sidecar: Sidecar,
    pets: Provider,
    model: Provider,
    issuer: String,
    /// Tokens of one subject, with the scope and without.
    with: String,
    without: String,
}

/// The model reads, writes and reads; then it answers.
fn reply(request: &Received) -> (u16, String) {
    let body: Value = serde_json::from_str(&request.body).unwrap();
    let is_asked = body["messages"].as_array().unwrap().last().unwrap()["role"] == "user";
    let call = |id: &str, tool: &str| json!({"id": id, "type": "function", "function": {"name": tool, "arguments": "{}"}});
    let calls = [call("c1", "pets-list"), call("c2", "pets-add"), call("c3", "pets-list")];
    let message = if is_asked {
        json!({"role": "assistant", "content": null, "tool_calls": calls})
    } else {
        json!({"role": "assistant", "content": "Done."})
    };
    (200, json!({"choices": [{"message": message}]}).to_string())
}

fn configuration(change: Change, issuer: &str, pets: &str, model: &str) -> String {
    let toolset = format!("openapi: pets.yaml, server: '{pets}', confirm: writes");
    let more = if change == Change::Tool { ", tools: {exclude: [list, add, load]}" } else { "" };
    let pets = match change {
        Change::Removal => String::new(),
        _ => format!("pets: {{{toolset}{more}}}, "),
    };
    let scopes = if change == Change::Removal { "" } else { ", scopes: {pets: s}" };
    let rights = if change == Change::Toolset { ", toolsets: [free]" } else { "" };
    let jwt = match change {
        Change::Principal => String::new(),
        _ => format!("jwt: [{{issuer: '{issuer}', audience: callgate{scopes}{rights}}}], "),
    };
    let of_agent = if change == Change::Agent { ", tools: {include: [free-*]}" } else { "" };
    let free = toolset.replace("confirm: writes", "confirm: never");
    format!(
        "models: {{main: {{dialect: openai, url: '{model}/v1', model: m-1, auth: {{bearer: {{token: 'literal:model-key-0123456789'}}}}}}}}\n\
         agents: {{keeper: {{model: main{of_agent}}}}}\n\
         toolsets: {{{pets}free: {{{free}}}}}\n\
         access: {{{jwt}principals: {{lee: {{bearer: 'literal:a-token-of-lee-0123456789', approves: [write], toolsets: []}}}}}}\n"
    )
}

impl World {
    async fn start() -> Self {
        let signer = Signer::new("one");
        let idp = Idp::start(&[&signer]).await;
        // A result that is longer than what a model gets is kept whole.
        let long = "0123456789".repeat(20_000);
        let pets = Provider::start(move |request| {
            let more = if request.line == "GET /file" { long.as_str() } else { "" };
            (200, json!({"said": CANARY, "more": more}).to_string())
        })
        .await;
        let model = Provider::start(reply).await;
        let text = configuration(Change::Nothing, &idp.issuer, &pets.origin, &model.origin);
        let sidecar = Sidecar::describing(&text, DESCRIPTION).await;
        let token = |more: &Value| signer.sign(&idp.claims(more));
        let (with, without) = (token(&json!({"scope": "s"})), token(&json!({})));
        Self { sidecar, pets, model, issuer: idp.issuer, with, without }
    }

    async fn change(&self, change: Change) {
        if matches!(change, Change::Nothing | Change::Scope) {
            return;
        }
        let text = configuration(change, &self.issuer, &self.pets.origin, &self.model.origin);
        self.sidecar.reload_as(&text, DESCRIPTION).await;
    }

    async fn send(
        &self,
        token: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &Value,
    ) -> String {
        let client = Client::builder().no_proxy().build().unwrap();
        let method = if body.is_null() { http::Method::GET } else { http::Method::POST };
        let request = client.request(method, format!("{}{path}", self.sidecar.calls[0]));
        let request = if body.is_null() { request } else { request.json(body) };
        let request = request.header("authorization", token);
        let request =
            headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
        request.send().await.unwrap().text().await.unwrap()
    }

    /// Does what comes before the change. Returns the id that leads on.
    async fn ask(&self, way: Way) -> String {
        let call = |tool: &str, more: &Value| {
            let mut call = json!({"tool": tool, "args": {}});
            call.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            json!({"calls": [call]})
        };
        let calls = async |body: &Value, headers: &[(&str, &str)]| {
            self.send(&self.with, "/v1/calls", headers, body).await
        };
        match way {
            Way::Approval | Way::ApprovalOfAnother => {
                let id = id(&calls(&call("pets-add", &json!({})), &[]).await, "approval_");
                if way == Way::ApprovalOfAnother {
                    let path = format!("/v1/approvals/{id}");
                    self.send(LEE, &path, &[], &json!({"decision": "approve"})).await;
                }
                id
            }
            Way::Handle | Way::SentHandle => {
                id(&calls(&call("pets-load", &json!({})), &[]).await, "result:")
            }
            Way::Key => calls(&call("pets-list", &json!({"idempotencyKey": "k"})), &[]).await,
            Way::KeyOfRequest => {
                calls(&call("pets-list", &json!({})), &[("idempotency-key", "k")]).await
            }
            Way::Turn => {
                let body = json!({"session": {"id": "s"}, "input": "Add."});
                self.send(&self.with, "/v1/agents/keeper/turns", &[], &body).await
            }
            Way::Call | Way::Dialect | Way::Mcp | Way::Search | Way::Stream => String::new(),
        }
    }

    /// Makes the call. Returns what its caller and the model saw then.
    async fn make(&self, way: Way, id: &str, token: &str) -> String {
        let list = json!({"calls": [{"tool": "pets-list", "args": {}}]});
        match way {
            Way::Approval | Way::ApprovalOfAnother => {
                let word = if way == Way::Approval { "approve" } else { "run" };
                let path = format!("/v1/approvals/{id}");
                self.send(token, &path, &[], &json!({"decision": word})).await
            }
            Way::Call => self.send(token, "/v1/calls", &[], &list).await,
            Way::Dialect => {
                let function = json!({"name": "pets-list", "arguments": "{}"});
                let call = json!({"id": "1", "type": "function", "function": function});
                let message = json!({"role": "assistant", "tool_calls": [call]});
                let body = json!({"message": message});
                self.send(token, "/v1/dialects/openai/calls", &[], &body).await
            }
            Way::Handle => self.send(token, &format!("/v1/results/{id}"), &[], &Value::Null).await,
            Way::Key => {
                let call = json!({"tool": "pets-list", "args": {}, "idempotencyKey": "k"});
                self.send(token, "/v1/calls", &[], &json!({"calls": [call]})).await
            }
            Way::KeyOfRequest => {
                self.send(token, "/v1/calls", &[("idempotency-key", "k")], &list).await
            }
            Way::Mcp => {
                let headers = [
                    ("accept", "application/json, text/event-stream"),
                    ("mcp-protocol-version", "2025-11-25"),
                ];
                let params = json!({"name": "pets-list", "arguments": {}});
                let body =
                    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
                self.send(token, "/mcp", &headers, &body).await
            }
            Way::Search => {
                let body = json!({"query": "list the pets"});
                let text = self.send(token, "/v1/tools:search", &[], &body).await;
                text.replace("pets-list", CANARY)
            }
            Way::SentHandle => {
                let args = json!({"body": {"handle": id}});
                let body = json!({"calls": [{"tool": "free-send", "args": args}]});
                self.send(token, "/v1/calls", &[], &body).await
            }
            Way::Stream => {
                self.send(token, "/v1/calls", &[("accept", "text/event-stream")], &list).await
            }
            Way::Turn => {
                let approvals = json!([{"id": "c2", "decision": "approve"}]);
                let body = json!({"session": {"id": "s"}, "approvals": approvals});
                let n_asked = self.model.received().len();
                let mut text = self.send(token, "/v1/agents/keeper/turns", &[], &body).await;
                for asked in self.model.received().iter().skip(n_asked) {
                    text.push_str(&asked.body);
                }
                text
            }
        }
    }
}

/// The id that begins so in a text.
fn id(text: &str, beginning: &str) -> String {
    let at = text.find(beginning).unwrap_or_else(|| panic!("no {beginning} in {text}"));
    text.get(at..).unwrap_or_default().chars().take_while(|letter| *letter != '"').collect()
}

#[tokio::test]
async fn nothing_is_sent_or_shown_by_a_right_that_was_lost_on_the_way() {
    for (way, change) in WAYS.into_iter().flat_map(|way| CHANGES.map(|change| (way, change))) {
        check(way, change).await;
    }
}

/// Checks what a call that was asked before a change does after it.
async fn check(way: Way, change: Change) {
    let world = World::start().await;
    let id = world.ask(way).await;
    world.change(change).await;
    let token = if change == Change::Scope { &world.without } else { &world.with };
    let n_before = world.pets.received().len();
    let text = world.make(way, &id, token).await;
    let n_sent = world.pets.received().len() - n_before;
    let is_seen = text.contains(CANARY);
    let is_lost = match change {
        Change::Nothing => false,
        Change::Agent => way == Way::Turn,
        _ => true,
    };
    if is_lost {
        assert_eq!((n_sent, is_seen), (0, false), "{way:?} after {change:?}: {text}");
    } else {
        assert!(is_seen, "{way:?} after {change:?}: {text}");
    }
}
