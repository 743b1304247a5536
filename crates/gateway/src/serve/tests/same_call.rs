//! Tests that no record of a call answers a call that another subject made: every way in, with every way of telling the
//! subjects apart, for every kind of record. Results and approvals under a key are of a call, with all that decides for whom
//! it is. Approvals, handles, pauses and sessions are of a principal, and those of a session are of its id.

mod kinds;

use super::*;
use callgate_testkit::rows;

/// The service answers whom it was asked for: the values of its inputs, and the token.
const DESCRIPTION: &str = concat!("\n", include_str!("same_call.yaml"));

/// The ways in which requests of two subjects differ.
const GIVEN: [&str; 10] = [
    "parameter",
    "variable",
    "payload",
    "credential",
    "header",
    "claim",
    "stored",
    "stored credential",
    "session",
    "principal",
];

/// The ways in: paths, with the message that calls the tool there.
fn ways() -> Vec<(&'static str, Value)> {
    let call = json!({"tool": "pets-list", "args": {}});
    let keyed = json!({"tool": "pets-list", "args": {}, "idempotencyKey": "own-key"});
    let messages = r#"
        openai => {"role": "assistant", "tool_calls": [{"id": "1", "type": "function", "function": {"name": "pets-list", "arguments": "{}"}}]}
        responses => [{"type": "function_call", "call_id": "1", "name": "pets-list", "arguments": "{}"}]
        anthropic => {"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "pets-list", "input": {}}]}
        bedrock => {"role": "assistant", "content": [{"toolUse": {"toolUseId": "1", "name": "pets-list", "input": {}}}]}
        gemini => {"role": "model", "parts": [{"functionCall": {"name": "pets-list", "args": {}}}]}
        ces => {"toolCalls": {"toolCalls": [{"id": "1", "displayName": "pets-list", "args": {}}]}}
        dialogflow => {"toolCall": {"tool": "pets", "action": "list", "inputParameters": {}}}
        mcp => {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "pets-list", "arguments": {}}}
        json => {"tool": "pets-list", "args": {}}
        semantic_kernel => {"role": "assistant", "items": [{"$type": "FunctionCallContent", "id": "1", "plugin_name": "pets", "function_name": "list", "arguments": {}}]}
        "#;
    let message = |text: &str| json!({"message": serde_json::from_str::<Value>(text).unwrap()});
    let mut ways = vec![("calls", json!({"calls": [call]})), ("calls", json!({"calls": [keyed]}))];
    ways.extend(rows(messages).map(|[dialect, text]| (dialect, message(text))));
    ways.push(("further", json!({"tool": "pets-list"})));
    let params = json!({"name": "pets-list", "arguments": {}, "_meta": {}});
    ways.push((MCP, json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})));
    ways
}

struct World {
    sidecar: Sidecar,
    client: Client,
    idp: Idp,
    signer: Signer,
    /// Whom the service was asked for.
    asked: Arc<Mutex<Vec<String>>>,
}

impl World {
    async fn start(more: &str) -> Self {
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
        let file = async || ([("content-type", "application/octet-stream")], vec![0_u8, 159]);
        let router = Router::new().route("/pets", routing::get(answer));
        let router = router.route("/file", routing::get(file));
        let pets = pets(service(router).await)
            .replace("pets.yaml", "pets.yaml, auth: {bearer: {token: $session.credentials.token}}");
        let pets = pets.replace("pets.yaml", &format!("pets.yaml{more}"));
        let app = "app: {prefix: '', functions: [{name: ask, input: {type: object}}]}";
        let pets = pets.trim_end().strip_suffix('}').unwrap().to_owned();
        let signer = Signer::new("one");
        let idp = Idp::start(&[&signer]).await;
        let bound = "headers: {customerId: x-customer}, claims: {accountId: account}";
        let jwt = format!("{{issuer: '{}', audience: callgate}}", idp.issuer);
        let text = format!("sessions: {{{bound}}}\naccess: {{jwt: [{jwt}]}}\n{pets}, {app}}}\n");
        let sidecar = Sidecar::describing(&text, DESCRIPTION).await;
        let client = Client::builder().no_proxy().build().unwrap();
        Self { sidecar, client, idp, signer, asked }
    }

    fn n_asked(&self) -> usize {
        self.asked.lock().unwrap().len()
    }

    async fn send(
        &self,
        method: &str,
        path: &str,
        body: &Value,
        headers: &Headers,
    ) -> (u16, String) {
        let url = format!("{}{path}", self.sidecar.calls[0]);
        let mut request = self.client.request(method.parse().unwrap(), url).json(body);
        for (name, value) in headers {
            request = request.header(*name, value);
        }
        let response = request.send().await.unwrap();
        (response.status().as_u16(), response.text().await.unwrap())
    }

    /// The token of a customer, who is another subject where that is given.
    fn token(&self, given: &str, customer: &str) -> String {
        let of = |name| if given == name { customer } else { "all" };
        self.signer.bearer_token(
            &self.idp.claims(&json!({"sub": of("principal"), "account": of("claim")})),
        )
    }

    /// The session and the headers of a request for a customer, given in this way; values of the store are stored.
    async fn given(&self, given: &str, customer: &str, key: &str) -> (Value, Headers) {
        let mut headers = vec![("authorization", self.token(given, customer))];
        let id = if given == "session" { format!("{key}-{customer}") } else { key.to_owned() };
        let mut session = json!({"id": id});
        let mut token = "all";
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
        (session, headers)
    }

    /// Makes the call for a customer, given in this way, under one key.
    async fn call(&self, way: (&str, &Value), given: &str, customer: &str, key: &str) -> String {
        let (session, mut headers) = self.given(given, customer, key).await;
        let mut body = way.1.clone();
        let path = match way.0 {
            "calls" => "/v1/calls".to_owned(),
            "further" => format!("/v1/sessions/{}:call", session["id"].as_str().unwrap()),
            dialect => format!("/v1/dialects/{dialect}/calls"),
        };
        if way.0 == MCP {
            headers.push(("accept", "application/json, text/event-stream".to_owned()));
            headers.push(("mcp-protocol-version", "2025-11-25".to_owned()));
            body["params"]["_meta"] =
                json!({"callgate/session": session, "callgate/idempotencyKey": key});
            return self.send("POST", MCP, &body, &headers).await.1;
        }
        body["session"] = session;
        match body.pointer_mut("/calls/0/idempotencyKey") {
            Some(own) => *own = json!(key),
            None => headers.push(("idempotency-key", key.to_owned())),
        }
        self.send("POST", &path, &body, &headers).await.1
    }
}

#[tokio::test]
async fn no_stored_result_answers_a_call_for_another_customer() {
    let world = World::start("").await;
    for Case { path, body, given, key } in cases(&GIVEN) {
        let call = async |customer| world.call((path, &body), given, customer, &key).await;
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
        // A key is its principal's.
        assert_eq!(is_refused, given != "principal", "{path} {given}: {other}");
    }
}

#[tokio::test]
async fn no_pending_approval_answers_a_call_for_another_customer() {
    let world = World::start(", confirm: always").await;
    // A further route asks nobody for an approval.
    for Case { path, body, given, key } in
        cases(&GIVEN).into_iter().filter(|it| it.path != "further")
    {
        let call = async |customer| world.call((path, &body), given, customer, &key).await;
        let first = call("alice").await;
        let id = &id_in(&first, "approval_");
        let other = call("bob").await;
        assert!(!other.contains(id) && !other.contains("alice"), "{path} {given}: {other}");
        assert_eq!(world.n_asked(), 0, "{path} {given}: {other}");
    }
}

/// One way in, with one way in which requests of two subjects differ, and a key of its own.
struct Case {
    path: &'static str,
    body: Value,
    given: &'static str,
    key: String,
}

fn cases(given: &[&'static str]) -> Vec<Case> {
    let mut cases = Vec::new();
    for (at, (path, body)) in ways().into_iter().enumerate() {
        for given in given {
            let key = format!("{at}-{given}").replace(' ', "-");
            cases.push(Case { path, body: body.clone(), given, key });
        }
    }
    cases
}

/// The id that begins so in a text.
#[track_caller]
fn id_in(text: &str, beginning: &str) -> String {
    let at = text.find(beginning).unwrap_or_else(|| panic!("no {beginning} in {text}"));
    let rest = text.get(at..).unwrap_or_default();
    rest.chars()
        .take_while(|letter| letter.is_ascii_alphanumeric() || "_:".contains(*letter))
        .collect()
}

/// The path of MCP, whose messages hold the session and the key.
const MCP: &str = "/mcp";
/// The headers of a request.
type Headers = Vec<(&'static str, String)>;
