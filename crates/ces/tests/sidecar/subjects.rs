//! Tests that a call of a session, its wait for the client and its kept answer are of the subject that made it, in a whole
//! sidecar whose callers show tokens.

use callgate_testkit::{temporary_folder, write_file};
use std::sync::Mutex;

use axum::{Json, extract::Query, http::HeaderMap, routing};
use callgate_config::DescriptionOptions;
use callgate_gateway::{ServeOptions, Source, serve};
use tokio::{sync::mpsc, task::JoinHandle};

use crate::prelude::*;

/// The ways in which requests of two subjects differ.
const GIVEN: [&str; 9] = [
    "parameter",
    "variable",
    "payload",
    "credential",
    "header",
    "stored",
    "stored credential",
    "session",
    "principal",
];

/// A sidecar with a service that returns the customer that it was called for.
struct World {
    origin: String,
    client: reqwest::Client,
    running: JoinHandle<()>,
    /// The customers of the requests that reached the service.
    customers: Arc<Mutex<Vec<String>>>,
    folder: TempDir,
    text: String,
}

impl Drop for World {
    fn drop(&mut self) {
        self.running.abort();
    }
}

impl World {
    async fn start() -> Self {
        let customers = Arc::<Mutex<Vec<String>>>::default();
        let seen = Arc::clone(&customers);
        let answer = async move |Query(query): Query<Vec<(String, String)>>, headers: HeaderMap| {
            let customer: String = query.into_iter().map(|(_, value)| value).collect();
            let token = headers["authorization"].to_str().unwrap();
            seen.lock().unwrap().push(format!("{customer}{token}"));
            Json(json!({"of": customer}))
        };
        let server =
            callgate_testkit::serve(Router::new().route("/pets", routing::get(answer))).await;
        let folder = temporary_folder(&[("pets.yaml", DESCRIPTION)]);
        let text = CONFIGURATION.replace("SERVER", &server);
        let file = write_file(folder.path(), "callgate.yaml", &text);
        let (lines, mut shown) = mpsc::unbounded_channel();
        let source = Source::file(file, DescriptionOptions::default());
        let routes = callgate_ces::routes();
        let options = ServeOptions { routes, ..ServeOptions::default() };
        let running = tokio::spawn(async move {
            serve(source, options, |line| lines.send(line.to_owned()).unwrap()).await.unwrap();
        });
        let origin = loop {
            let line: String = shown.recv().await.unwrap();
            let address = line.split_whitespace().find(|word| word.starts_with("http://"));
            if let Some(address) = address {
                break address.trim_end_matches(['/', ',']).to_owned();
            }
        };
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        Self { origin, client, running, customers, folder, text }
    }

    async fn send(
        &self,
        method: &str,
        path: &str,
        body: &Value,
        headers: &Headers,
    ) -> (u16, String) {
        let url = format!("{}{path}", self.origin);
        let request = self.client.request(method.parse().unwrap(), url).body(body.to_string());
        let mut request = request.header("content-type", "application/json");
        for (name, value) in headers {
            request = request.header(*name, value);
        }
        let response = request.send().await.unwrap();
        (response.status().as_u16(), response.text().await.unwrap())
    }

    /// Sends a body for a customer, given in this way, to the session `id`, which is the key of the request unless it answers
    /// a call.
    async fn run(&self, body: &Value, given: &str, customer: &str, id: &str) -> (u16, String) {
        let principal = if given == "principal" { customer } else { "all" };
        let mut headers = vec![("authorization", format!("Bearer {}", token_of(principal)))];
        if body.get("queryInput").is_none() && body.pointer("/inputs/0/toolResponses").is_none() {
            headers.push(("idempotency-key", id.to_owned()));
        }
        let id = if given == "session" { format!("{id}-{customer}") } else { id.to_owned() };
        let (mut session, mut token) = (json!({"id": id}), "all");
        match given {
            "parameter" => session["parameters"] = json!({"customerId": customer}),
            "variable" => session["context"] = json!({"variables": {"who": customer}}),
            "payload" => session["payload"] = json!({"who": customer}),
            "header" => headers.push(("x-customer", customer.to_owned())),
            "credential" | "stored credential" => token = customer,
            _ => {}
        }
        let credentials = json!({"token": format!("canary-{token}")});
        if given.starts_with("stored") {
            let mut stored = json!({"credentials": credentials});
            if given == "stored" {
                stored["parameters"] = json!({"customerId": customer});
            }
            self.send("PUT", &format!("/v1/sessions/{id}"), &stored, &headers).await;
        } else {
            session["credentials"] = credentials;
        }
        let mut body = body.clone();
        body["session"] = session;
        self.send("POST", &format!("/v1/sessions/{id}:run"), &body, &headers).await
    }

    fn n_calls(&self) -> usize {
        self.customers.lock().unwrap().len()
    }
}

/// A call of the service in both formats.
fn calls() -> [Value; 2] {
    let call = json!({"id": "1", "displayName": "pets-list", "args": {}});
    let action = json!({"tool": "pets", "action": "list", "inputParameters": {}});
    [
        json!({"inputs": [{"toolCalls": {"toolCalls": [call]}}]}),
        json!({"queryResult": {"responseMessages": [{"toolCall": action}]}}),
    ]
}

/// In both formats the call of a function of the client, and the answer to it.
fn functions(id: &str) -> [(Value, Value); 2] {
    let call = json!({"id": "1", "displayName": "ask", "args": {}});
    let answer =
        json!({"id": id, "tool": "ask", "displayName": "ask", "response": {"of": "the client"}});
    let action = json!({"tool": "app", "action": "ask", "inputParameters": {}});
    let result = json!({"tool": "app", "action": "ask", "outputParameters": {"of": "the client"}});
    [
        (
            json!({"inputs": [{"toolCalls": {"toolCalls": [call]}}]}),
            json!({"inputs": [{"toolResponses": {"toolResponses": [answer]}}]}),
        ),
        (
            json!({"queryResult": {"responseMessages": [{"toolCall": action}]}}),
            json!({"queryInput": {"toolCallResult": result}}),
        ),
    ]
}

#[tokio::test]
async fn a_stored_answer_is_not_returned_to_another_subject() {
    let world = World::start().await;
    for (at, given) in (0..2).flat_map(|at| GIVEN.map(|given| (at, given))) {
        let (key, body) = (format!("{at}-{given}").replace(' ', "-"), &calls()[at]);
        let before = world.n_calls();
        let first = world.run(body, given, "alice", &key).await.1;
        assert_eq!(world.n_calls(), before + 1, "{given}: {first}");
        assert_eq!(world.run(body, given, "alice", &key).await.1, first, "{given}");
        assert_eq!(world.n_calls(), before + 1, "{given}: a repeated call is made once");
        let other = world.run(body, given, "bob", &key).await.1;
        assert!(!other.contains("alice"), "{given}: {other}");
        let is_refused = other.contains("key_reused") || other.contains("key-reused");
        assert!(is_refused != (world.n_calls() == before + 2), "{given}: {other}");
        // A key is its principal's.
        assert_eq!(is_refused, given != "principal", "{given}: {other}");
    }
}

#[tokio::test]
async fn no_other_subject_sees_or_answers_a_call_that_waits_for_its_client() {
    let world = World::start().await;
    for (at, given) in (0..2).flat_map(|at| GIVEN.map(|given| (at, given))) {
        let key = format!("{at}-{given}").replace(' ', "-");
        let run = &functions("")[at].0;
        let first = world.run(run, given, "alice", &key).await.1;
        let id = first.split('"').find(|text| text.starts_with("call_")).unwrap_or_default();
        assert!(first.contains("ask") && !first.contains("urn:"), "{given}: {first}");
        assert_eq!(world.run(run, given, "alice", &key).await.1, first, "{given}");
        let repeated = world.run(run, given, "bob", &key).await.1;
        let is_stranger = ["principal", "session"].contains(&given);
        // In Dialogflow's form calls have no ids: bob's own looks like alice's.
        let may_look_alike = at == 1 && is_stranger;
        assert!(may_look_alike || repeated != first, "{given}: {repeated}");
        assert_eq!(repeated.contains("key-reused"), !is_stranger, "{given}: {repeated}");
        let answer = &functions(id)[at].1;
        if is_stranger {
            // Bob's own call waits there.
            let bobs = world.run(answer, given, "bob", &key).await;
            let is_refused = bobs.0 != 200;
            assert!(at == 1 || is_refused, "{given}: {}", bobs.1);
            assert!(is_refused || !bobs.1.contains("alice"), "{given}: {}", bobs.1);
        }
        let (status, ended) = world.run(answer, given, "alice", &key).await;
        assert!(status == 200 && ended.contains("the client"), "{given}: {ended}");
    }
}

#[tokio::test]
async fn a_caller_that_may_no_longer_use_a_tool_gets_no_stored_answer_of_it() {
    let world = World::start().await;
    let first = world.run(&calls()[0], "principal", "alice", "k").await.1;
    assert!(first.contains(r#""of":"""#), "{first}");
    let text = world.text.replace("alice: {", "alice: {toolsets: [app], ");
    std::fs::write(world.folder.path().join("callgate.yaml"), text).unwrap();
    let admin = vec![("authorization", format!("Bearer {}", token_of("all")))];
    let (status, reloaded) = world.send("POST", "/v1/admin/reload", &json!({}), &admin).await;
    assert_eq!(status, 200, "{reloaded}");
    let other = world.run(&calls()[0], "principal", "alice", "k").await.1;
    assert!(other.contains("unknown_tool") && !other.contains("key-reused"), "{other}");
}

fn token_of(principal: &str) -> String {
    format!("a-token-of-{principal}-0123456789")
}

type Headers = Vec<(&'static str, String)>;

const CONFIGURATION: &str = "
listen: 127.0.0.1:0
sessions: {headers: {customerId: x-customer}}
access:
  principals:
    alice: {bearer: 'literal:a-token-of-alice-0123456789'}
    all: {bearer: 'literal:a-token-of-all-0123456789', admin: true}
    bob: {bearer: 'literal:a-token-of-bob-0123456789'}
toolsets:
  pets: {openapi: pets.yaml, server: 'SERVER', auth: {bearer: {token: $session.credentials.token}}}
  app: {prefix: '', functions: [{name: ask, input: {type: object}}]}
";
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
