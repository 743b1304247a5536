//! Tests approvals by others than the caller: every way in, everybody whose decision does not count, and what an approver sees.

use super::*;
use std::sync::atomic::{AtomicUsize, Ordering};

const DESCRIPTION: &str = "
paths:
  /pets:
    post:
      operationId: add
      summary: Add a pet
      parameters: [{name: name, in: query, schema: {type: string}}]
      responses: {'200': {description: added}}
";
/// What only the service says.
const ANSWER: &str = "canary-of-the-service";

const KIM: &str = "a-token-of-kim-0123456789";
const LEE: &str = "a-token-of-lee-0123456789";
const MIA: &str = "a-token-of-mia-0123456789";
const TOM: &str = "a-token-of-tom-0123456789";

/// Kim and Tom call; Lee approves by toolset, Mia by effect, and may call nothing. Kim may approve calls of others, too.
struct Office {
    sidecar: Sidecar,
    n_sent: Arc<AtomicUsize>,
    client: Client,
}

impl Office {
    async fn open(access: &str) -> Self {
        Self::with(access, "").await
    }

    /// An office with a key of `access`, and a key beside it.
    async fn with(access: &str, key: &str) -> Self {
        let n_sent = Arc::<AtomicUsize>::default();
        let count = Arc::clone(&n_sent);
        let add = move || {
            count.fetch_add(1, Ordering::SeqCst);
            async { json!({"said": ANSWER}).to_string() }
        };
        let address = service(Router::new().route("/pets", routing::post(add))).await;
        let text = format!(
            "{key}\ntoolsets: {{pets: {{openapi: pets.yaml, server: 'http://{address}', confirm: writes}}}}\n\
             access:\n  {access}\n  principals:\n    \
             kim: {{bearer: 'literal:{KIM}', approves: [pets]}}\n    \
             lee: {{bearer: 'literal:{LEE}', approves: [pets], toolsets: []}}\n    \
             mia: {{bearer: 'literal:{MIA}', approves: [write], toolsets: []}}\n    \
             tom: {{bearer: 'literal:{TOM}'}}\n"
        );
        let sidecar = Sidecar::describing(&text, DESCRIPTION).await;
        let client = Client::builder().no_proxy().build().unwrap();
        Self { sidecar, n_sent, client }
    }

    async fn send(
        &self,
        token: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &Value,
    ) -> (u16, String) {
        let url = format!("{}{path}", self.sidecar.calls[0]);
        let request = self.client.post(url).bearer_auth(token).body(body.to_string());
        let request = request.header("content-type", "application/json");
        let request =
            headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
        let response = request.send().await.unwrap();
        (response.status().as_u16(), response.text().await.unwrap())
    }

    async fn decide(&self, token: &str, id: &str, decision: &str) -> (u16, String) {
        let path = format!("/v1/approvals/{id}");
        self.send(token, &path, &[], &json!({"decision": decision})).await
    }

    async fn listed(&self, token: &str) -> Vec<Value> {
        let headers = [("authorization", &*format!("Bearer {token}"))];
        let listed: Value = self.sidecar.get("/v1/approvals", &headers).await.json().await.unwrap();
        listed["approvals"].as_array().unwrap().clone()
    }

    /// The id of the only approval that waits.
    async fn waiting(&self) -> String {
        let listed = self.listed(LEE).await;
        assert_eq!(listed.len(), 1, "{listed:?}");
        listed[0]["id"].as_str().unwrap().to_owned()
    }

    fn n_sent(&self) -> usize {
        self.n_sent.load(Ordering::SeqCst)
    }

    async fn call(&self, token: &str, way: &Way) -> String {
        self.send(token, way.path, &way.headers, &way.body).await.1
    }
}

/// A way in, with a message that calls the tool there.
struct Way {
    path: &'static str,
    headers: Vec<(&'static str, &'static str)>,
    body: Value,
}

const OLD: (&str, &str) = ("mcp-protocol-version", "2025-11-25");
const EITHER: (&str, &str) = ("accept", "application/json, text/event-stream");

fn ways() -> Vec<Way> {
    let way = |path, headers: &[(&'static str, &'static str)], body| Way {
        path,
        headers: headers.to_vec(),
        body,
    };
    let args = json!({"name": "Rex"});
    let calls = |call: Value| json!({"calls": [call], "session": {"id": "s"}});
    let plain = calls(json!({"tool": "pets-add", "args": args}));
    let keyed = calls(json!({"tool": "pets-add", "args": args, "idempotencyKey": "own-key"}));
    let function = json!({"name": "pets-add", "arguments": "{\"name\": \"Rex\"}"});
    let openai = json!({"id": "1", "type": "function", "function": function});
    let openai = json!({"message": {"role": "assistant", "tool_calls": [openai]}});
    let params = json!({"name": "pets-add", "arguments": args});
    let mcp = |params: &Value| json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    let asks = |capabilities: Value| {
        let mut params = params.clone();
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": capabilities,
        });
        mcp(&params)
    };
    let new = [
        EITHER,
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", "tools/call"),
        ("mcp-name", "pets-add"),
    ];
    vec![
        way("/v1/calls", &[], plain.clone()),
        way("/v1/calls", &[], keyed.clone()),
        way("/v1/calls", &[("idempotency-key", "of-the-request")], plain.clone()),
        way("/v1/calls", &[("accept", "text/event-stream")], plain),
        way("/v1/dialects/openai/calls", &[], openai),
        way("/mcp", &[EITHER, OLD], mcp(&params)),
        way("/mcp/pets", &new, asks(json!({}))),
        way("/mcp", &new, asks(json!({"elicitation": {"form": {}}}))),
    ]
}

#[tokio::test]
async fn over_each_protocol_a_caller_never_approves_its_own_call_and_another_caller_does_once() {
    for way in &ways() {
        let office = Office::open("four_eyes: true").await;
        let (name, n) =
            (format!("{} {:?} {}", way.path, way.headers, way.body), || office.n_sent());
        let asked = office.call(KIM, way).await;
        assert!(!asked.contains("input_required"), "the caller is not asked: {name} {asked}");
        let id = office.waiting().await;
        assert!(asked.contains(&id), "{name} {asked}");
        // The caller itself, by every word, as a repetition, and with a key.
        for word in ["approve", "run", "approve"] {
            let (_, said) = office.decide(KIM, &id, word).await;
            assert!(!said.contains(ANSWER), "{name} {word}: {said}");
        }
        let path = format!("/v1/approvals/{id}");
        for key in ["k", "k"] {
            let body = json!({"decision": "approve"});
            let (_, said) = office.send(KIM, &path, &[("idempotency-key", key)], &body).await;
            assert!(!said.contains(ANSWER), "{name}: {said}");
        }
        // Somebody who may call and not approve, and nobody.
        let unknown = office.decide(LEE, "approval_00", "approve").await;
        let stranger = office.decide(TOM, &id, "approve").await;
        assert_eq!((unknown.0, &unknown.1), (404, &stranger.1), "{name}");
        assert_eq!(office.decide("a-token-of-nobody-0123456789", &id, "approve").await.0, 401);
        assert_eq!(office.listed(TOM).await, Vec::<Value>::new());
        assert_eq!((n(), office.call(KIM, way).await.contains(&id)), (0, true), "{name}");

        let (status, said) = office.decide(LEE, &id, "approve").await;
        assert_eq!((status, n()), (200, 0), "the decision alone sends nothing: {name} {said}");
        let said: Value = serde_json::from_str(&said).unwrap();
        assert_eq!(
            (&said["state"], &said["decidedBy"]),
            (&json!("approved"), &json!("principal:lee"))
        );
        assert_eq!(office.decide(LEE, &id, "approve").await.0, 200, "a repetition changes nothing");
        assert_eq!(office.decide(MIA, &id, "reject").await.0, 409, "somebody was faster");
        // Nobody else makes the call with it.
        let tom = office.call(TOM, way).await;
        assert!(!tom.contains(ANSWER) && !tom.contains(&id), "{name} {tom}");

        let made = office.call(KIM, way).await;
        assert!(made.contains(ANSWER), "{name} {made}");
        assert_eq!(n(), 1, "{name}");
        let again = office.call(KIM, way).await;
        let is_keyed = way.body.to_string().contains("own-key") || name.contains("idempotency-key");
        assert_eq!(again.contains(ANSWER), is_keyed, "{name} {again}");
        let (_, late) = office.decide(LEE, &id, "approve").await;
        assert!(!late.contains(ANSWER), "{late}");
        assert_eq!(n(), 1, "{name}");
    }
}

#[tokio::test]
async fn the_caller_makes_its_call_under_the_id_and_gets_its_messages() {
    let office = Office::open("four_eyes: true").await;
    let openai = &ways()[4];
    office.call(KIM, openai).await;
    let id = office.waiting().await;
    let (status, waiting) = office.decide(KIM, &id, "run").await;
    let waiting: Value = serde_json::from_str(&waiting).unwrap();
    assert_eq!((status, &waiting["pending"]["id"]), (200, &json!(id)), "{waiting}");
    assert_eq!(waiting["pending"]["approvers"], "others");
    office.decide(MIA, &id, "approve").await;
    for (token, expected) in [(LEE, 404), (MIA, 404), (TOM, 404), (KIM, 200)] {
        assert_eq!(office.decide(token, &id, "run").await.0, expected, "{token}");
        assert_eq!(office.n_sent(), usize::from(token == KIM));
    }
    let (_, again) = office.decide(KIM, &id, "run").await;
    assert!(again.contains("outcome_unknown"), "{again}");

    office.call(KIM, openai).await;
    let id = office.waiting().await;
    office.decide(LEE, &id, "approve").await;
    let (_, made) = office.decide(KIM, &id, "run").await;
    let made: Value = serde_json::from_str(&made).unwrap();
    assert_eq!(made["messages"][0]["tool_call_id"], "1", "{made}");
    assert!(made["response"].to_string().contains(ANSWER), "{made}");
}

#[tokio::test]
async fn an_approver_of_a_tool_by_its_operation_id_may_decide_about_the_edited_tool() {
    for entry in ["add", "pets-add", "buy", "pets-buy"] {
        let text = format!(
            "toolsets: {{pets: {{openapi: pets.yaml, server: 'http://127.0.0.1:9', confirm: writes, tools: {{edit: {{add: {{name: buy}}}}}}}}}}\n\
             access:\n  principals:\n    kim: {{bearer: 'literal:{KIM}'}}\n    \
             lee: {{bearer: 'literal:{LEE}', approves: [{entry}], toolsets: []}}\n"
        );
        let sidecar = Sidecar::describing(&text, DESCRIPTION).await;
        let client = Client::builder().no_proxy().build().unwrap();
        let office = Office { sidecar, n_sent: Arc::default(), client };
        let call = json!({"calls": [{"tool": "pets-buy", "args": {"name": "Rex"}}]});
        office.send(KIM, "/v1/calls", &[], &call).await;
        let id = office.waiting().await;
        assert_eq!(office.listed(LEE).await[0]["tool"], "pets-buy", "{entry}");
        assert_eq!(office.decide(LEE, &id, "approve").await.0, 200, "{entry}");
    }
}

#[tokio::test]
async fn a_call_that_others_reject_ends_as_rejected_at_its_next_attempt() {
    for word in ["run", "approve", ""] {
        let office = Office::open("four_eyes: true").await;
        let plain = &ways()[0];
        office.call(KIM, plain).await;
        let id = office.waiting().await;
        assert_eq!(office.decide(LEE, &id, "reject").await.0, 200);
        let said = match word {
            "" => office.call(KIM, plain).await,
            word => office.decide(KIM, &id, word).await.1,
        };
        assert!(said.contains("\"rejected\"") && !said.contains("lee"), "{said}");
        assert_eq!((office.n_sent(), office.listed(LEE).await.len()), (0, 0));
    }
}

#[tokio::test]
async fn a_listing_shows_own_calls_and_those_that_may_be_decided() {
    let office = Office::open("four_eyes: true").await;
    let named = |name: &str| json!({"calls": [{"tool": "pets-add", "args": {"name": name}}]});
    for (token, name) in [(KIM, "Rex"), (TOM, "Max"), (KIM, "Ada")] {
        office.send(token, "/v1/calls", &[], &named(name)).await;
    }
    // Whether it is one's own and whether one may decide, in the order of the calls.
    for (token, expected) in [
        (KIM, vec![(true, false), (false, true), (true, false)]),
        (TOM, vec![(true, false)]),
        (LEE, vec![(false, true); 3]),
        (MIA, vec![(false, true); 3]),
    ] {
        let listed = office.listed(token).await;
        let facts = listed.iter().map(|one| (one["own"] == true, one["mayDecide"] == true));
        assert_eq!(facts.collect::<Vec<_>>(), expected, "{listed:?}");
    }
    let first = &office.listed(LEE).await[0];
    assert_eq!((&first["caller"], &first["tool"]), (&json!("principal:kim"), &json!("pets-add")));
    assert_eq!((&first["effect"], &first["state"]), (&json!("write"), &json!("waiting")));
    assert_eq!(first["description"], "Add a pet");
    assert!(first["text"].as_str().unwrap().starts_with("POST http://"), "{first}");
    assert!(first["request"]["url"].as_str().unwrap().ends_with("/pets?name=Rex"), "{first}");

    let page = async |query: &str| -> Value {
        let headers = [("authorization", &*format!("Bearer {LEE}"))];
        office.sidecar.get(&format!("/v1/approvals?{query}"), &headers).await.json().await.unwrap()
    };
    let (mut ids, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = page(&format!("limit=2{cursor}")).await;
        ids.extend(page["approvals"].as_array().unwrap().iter().map(|one| one["id"].clone()));
        let Some(next) = page["nextCursor"].as_str() else { break };
        cursor = format!("&cursor={next}");
    }
    let all: Vec<_> = office.listed(LEE).await.iter().map(|one| one["id"].clone()).collect();
    assert_eq!(ids, all);
    assert_eq!(page("state=approved").await["approvals"], json!([]));
    for (query, expected) in [
        ("state=gone", "`approved`, `rejected`"),
        ("limit=0", "1 to 1000"),
        ("cursor=x", "nextCursor"),
    ] {
        let refused = page(query).await;
        assert!(refused["detail"].as_str().unwrap().contains(expected), "{refused}");
    }
}

#[tokio::test]
async fn a_large_request_is_shown_by_its_approval_alone_to_those_who_may_see_it() {
    let office = Office::open("four_eyes: true").await;
    let way = &ways()[0];
    let mut body = way.body.clone();
    body["calls"][0]["args"]["name"] = json!("x".repeat(5_000));
    office.send(KIM, way.path, &[], &body).await;
    let id = office.waiting().await;
    for token in [KIM, LEE, MIA] {
        let listed = &office.listed(token).await[0];
        assert!(listed.to_string().len() < 1_000, "{listed}");
        assert!(listed.get("request").is_none() && listed.get("text").is_none(), "{listed}");
    }
    let show = async |token: &str| {
        let headers = [("authorization", &*format!("Bearer {token}"))];
        office.sidecar.get(&format!("/v1/approvals/{id}"), &headers).await
    };
    for (token, own) in [(KIM, true), (LEE, false), (MIA, false)] {
        let shown: Value = show(token).await.json().await.unwrap();
        assert_eq!((&shown["id"], shown["own"] == true), (&json!(id), own));
        assert!(shown["request"]["url"].as_str().unwrap().len() > 5_000, "{shown}");
        assert!(shown["text"].as_str().unwrap().len() > 5_000, "{shown}");
    }
    assert_eq!(show(TOM).await.status(), 404);
    assert_eq!(office.decide(LEE, &id, "approve").await.0, 200);
    assert!(office.decide(KIM, &id, "run").await.1.contains(ANSWER));
    assert_eq!((office.n_sent(), show(KIM).await.status().as_u16()), (1, 404));
}

#[tokio::test]
async fn without_four_eyes_both_the_caller_and_others_approve() {
    let office = Office::open("url: https://example.com").await;
    let plain = &ways()[0];
    office.call(KIM, plain).await;
    let id = office.waiting().await;
    assert!(office.decide(KIM, &id, "approve").await.1.contains(ANSWER));
    office.call(TOM, plain).await;
    let id = office.waiting().await;
    assert_eq!(office.decide(KIM, &id, "approve").await.0, 200);
    assert_eq!(office.n_sent(), 1);
    assert!(office.call(TOM, plain).await.contains(ANSWER));
    assert_eq!(office.n_sent(), 2);
}

#[tokio::test]
async fn the_audit_says_who_decided_and_which_call_was_made_by_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("audit.jsonl");
    let audit = format!(
        "audit: {{file: '{}', key: 'literal:0123456789abcdef0123456789abcdef', mode: required}}",
        file.display()
    );
    let office = Office::with("four_eyes: true", &audit).await;
    let plain = &ways()[0];
    office.call(KIM, plain).await;
    let id = office.waiting().await;
    office.decide(KIM, &id, "approve").await;
    office.decide(LEE, &id, "approve").await;
    office.call(KIM, plain).await;
    let text = std::fs::read_to_string(&file).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let told: Vec<_> = lines
        .iter()
        .filter(|line| line["approval"] == id.as_str())
        .map(|line| {
            let text = |name: &str| line[name].as_str().unwrap_or("-").to_owned();
            [text("event"), text("decision"), text("decided_by"), text("outcome")].join(" ")
        })
        .collect();
    assert_eq!(
        told,
        [
            "begun approve principal:kim -",
            "decided approve principal:lee -",
            "ended - principal:lee answered",
        ]
    );
    let decided = lines.iter().find(|line| line["event"] == "decided").unwrap();
    assert_eq!(
        (&decided["caller"], &decided["tool"]),
        (&json!("principal:kim"), &json!("pets-add"))
    );
    assert!(!text.contains(ANSWER) && !text.contains("Rex"), "{text}");
}
