//! Calls that a person has to approve: what waits, `POST /v1/approvals/{id}`, and where nobody can be asked.

use crate::prelude::*;

const CONFIGURATION: &str = "
toolsets:
  pets:
    openapi: ../fixtures/pets/spec.yaml
    auth: { api_key: { in: header, name: X-Api-Key, value: 'literal:demo-key' } }
    upstream: replay
    confirm: { default: dialogflow_v2, tools: { getPet: always, listOwnedPets: always } }
";

fn calls(session: &Value) -> Value {
    let get = json!({"id": "a", "tool": "pets-getPet", "args": {"petId": "7"}});
    json!({"calls": [get], "session": session})
}

/// A call that waits: its id and the request that is shown.
#[track_caller]
fn pending(result: &Value) -> (String, Value) {
    assert_eq!(result["pending"]["kind"], "approval", "{result}");
    let id = result["pending"]["id"].as_str().unwrap().to_owned();
    (id, result["pending"]["request"].clone())
}

async fn asked(sidecar: &Sidecar, body: &Value) -> (String, Value) {
    pending(&sidecar.post("/v1/calls", body).await.json()["results"][0])
}

async fn decide(sidecar: &Sidecar, id: &str, decision: &str) -> Answered {
    sidecar.post(&format!("/v1/approvals/{id}"), &json!({"decision": decision})).await
}

#[tokio::test]
async fn a_pending_call_is_made_once_when_it_is_approved() {
    let sidecar = Sidecar::of(CONFIGURATION).await;
    let (id, request) = asked(&sidecar, &calls(&Value::Null)).await;
    assert_eq!(request["method"], "GET");
    assert!(request["url"].as_str().unwrap().ends_with("/pets/7"), "{request}");
    assert_eq!(request["headers"]["x-api-key"], "****");
    let result = decide(&sidecar, &id, "approve").await.ok();
    assert_eq!((&result["id"], &result["tool"]), (&json!("a"), &json!("pets-getPet")));
    assert_eq!(result["response"]["name"], "Rex");
    let again = decide(&sidecar, &id, "approve").await.json();
    assert_eq!(again["error"]["code"], "outcome_unknown", "{again}");
}

#[tokio::test]
async fn the_details_of_a_tool_say_whether_its_calls_may_wait_for_a_person() {
    let rules =
        CONFIGURATION.replace("dialogflow_v2, tools: {", "writes, tools: { deletePet: never,");
    for (configuration, tool, may_wait) in [
        (CONFIGURATION.to_owned(), "pets-getPet", true),
        (CONFIGURATION.replace("    confirm", "    # confirm"), "pets-deletePet", false),
        (rules.clone(), "pets-createPet", true),
        (rules.clone(), "pets-deletePet", false),
        (rules, "pets-listPets", false),
    ] {
        let sidecar = Sidecar::of(&configuration).await;
        let shown = sidecar.get(&format!("/v1/tools/{tool}")).await.json();
        assert_eq!(shown["approval"], may_wait, "{tool}: {shown}");
    }
}

#[tokio::test]
async fn a_rejected_call_is_not_made_and_reported_to_the_model() {
    let sidecar = Sidecar::of(CONFIGURATION).await;
    let (id, _) = asked(&sidecar, &calls(&Value::Null)).await;
    let result = decide(&sidecar, &id, "reject").await.json();
    assert_eq!(result["error"]["code"], "rejected");
    assert_eq!(result["error"]["reached"], "no");
    assert_eq!(result["error"]["next"], "ask_user");
    let again = decide(&sidecar, &id, "approve").await.json();
    assert_eq!(again["error"]["code"], "rejected", "{again}");
}

#[tokio::test]
async fn a_decision_repeated_with_its_key_gets_the_first_answer() {
    let sidecar = Sidecar::of(CONFIGURATION).await;
    let (id, _) = asked(&sidecar, &calls(&Value::Null)).await;
    let path = format!("/v1/approvals/{id}");
    let headers = [JSON, ("idempotency-key", "k")];
    let send = async |decision: &str| {
        let body = json!({"decision": decision}).to_string();
        sidecar.send("POST", &path, &headers, &body).await
    };
    let first = send("approve").await;
    assert_eq!(first.json()["response"]["name"], "Rex");
    assert_eq!(send("approve").await.text, first.text);
    assert_eq!(send("reject").await.status, 422);
}

#[tokio::test]
async fn an_approval_counts_only_with_the_session_values_of_its_call() {
    let sidecar = Sidecar::of(CONFIGURATION).await;
    let owned = |session: &Value| json!({"calls": [{"tool": "pets-listOwnedPets", "args": {}}], "session": session});
    let inline = owned(&json!({"id": "s-1", "parameters": {"ownerId": "o-1"}}));
    let (id, request) = asked(&sidecar, &inline).await;
    assert!(request["url"].as_str().unwrap().contains("/owners/o-1/pets"), "{request}");
    let result = decide(&sidecar, &id, "approve").await.json();
    assert!(result["status"] == 200 || result["error"]["code"] == "nothing_recorded", "{result}");

    let stored = |owner: &str| json!({"parameters": {"ownerId": owner}});
    sidecar.put("/v1/sessions/s-2", &stored("o-1")).await;
    let (id, _) = asked(&sidecar, &owned(&json!({"id": "s-2"}))).await;
    sidecar.put("/v1/sessions/s-2", &stored("o-2")).await;
    let (other, request) = pending(&decide(&sidecar, &id, "approve").await.json());
    assert!(request["url"].as_str().unwrap().contains("/owners/o-2/pets"), "{request}");
    let rejected = decide(&sidecar, &other, "reject").await.json();
    assert_eq!(rejected["error"]["code"], "rejected", "what waits anew can be decided: {rejected}");
}

#[tokio::test]
async fn an_approval_after_a_reload_shows_the_new_request() {
    let sidecar = Sidecar::of(CONFIGURATION).await;
    let (id, _) = asked(&sidecar, &calls(&Value::Null)).await;
    sidecar
        .reload(&CONFIGURATION.replace("spec.yaml", "spec.yaml\n    server: https://else.example"))
        .await;
    let (_, request) = pending(&decide(&sidecar, &id, "approve").await.json());
    assert!(request["url"].as_str().unwrap().starts_with("https://else.example/"), "{request}");
}

#[tokio::test]
async fn pending_calls_are_reported_in_events_and_messages() {
    let sidecar = Sidecar::of(CONFIGURATION).await;
    let headers = [JSON, ("accept", "text/event-stream")];
    let body = calls(&Value::Null).to_string();
    let events = sidecar.send("POST", "/v1/calls", &headers, &body).await.events();
    let (id, _) = pending(&events[0].1);
    assert_eq!(decide(&sidecar, &id, "approve").await.json()["response"]["name"], "Rex");

    let function = json!({"name": "pets-getPet", "arguments": "{\"petId\": 7}"});
    let call = json!({"id": "call_1", "type": "function", "function": function});
    let message = json!({"role": "assistant", "tool_calls": [call]});
    let answered = sidecar.post("/v1/dialects/openai/calls", &json!({"message": message})).await;
    let content = answered.json()["messages"][0]["content"].as_str().unwrap().to_owned();
    let (id, _) = pending(&serde_json::from_str(&content).unwrap());
    let result = decide(&sidecar, &id, "approve").await.json();
    assert_eq!((&result["id"], &result["response"]["name"]), (&json!("call_1"), &json!("Rex")));
    let message = &result["messages"][0];
    assert_eq!((&message["role"], &message["tool_call_id"]), (&json!("tool"), &json!("call_1")));
    assert!(message["content"].as_str().unwrap().contains("Rex"), "{result}");
}

#[tokio::test]
async fn a_request_repeated_after_the_decision_is_answered_with_the_result() {
    // What the command adds to every sidecar.
    let sidecar = Sidecar::of(&format!("idempotency: {{ttl: 1h}}\n{CONFIGURATION}")).await;
    let own = json!({"calls": [{"id": "a", "tool": "pets-getPet", "args": {"petId": 7}, "idempotencyKey": "own"}]});
    for (key, body) in [("k-1", calls(&Value::Null)), ("k-2", own)] {
        let headers = [JSON, ("idempotency-key", key)];
        let send = async || {
            let answered = sidecar.send("POST", "/v1/calls", &headers, &body.to_string()).await;
            answered.json()["results"][0].clone()
        };
        let (id, _) = pending(&send().await);
        assert_eq!(pending(&send().await).0, id, "a repetition before it asks nobody again");
        assert_eq!(decide(&sidecar, &id, "approve").await.json()["response"]["name"], "Rex");
        assert_eq!(send().await["response"]["name"], "Rex");
        let late = decide(&sidecar, &id, "reject").await.json();
        assert_eq!(late["response"]["name"], "Rex", "what was decided holds: {late}");
    }
    let headers = [JSON, ("idempotency-key", "k-3")];
    let body = calls(&Value::Null).to_string();
    let first = sidecar.send("POST", "/v1/calls", &headers, &body).await.json();
    let (id, _) = pending(&first["results"][0]);
    decide(&sidecar, &id, "reject").await;
    let again = sidecar.send("POST", "/v1/calls", &headers, &body).await.json();
    assert_eq!(again["results"][0]["error"]["code"], "rejected", "{again}");
}

#[tokio::test]
async fn an_invalid_decision_is_refused() {
    let sidecar = Sidecar::of(CONFIGURATION).await;
    let (id, _) = asked(&sidecar, &calls(&Value::Null)).await;
    for (body, expected) in [
        (json!({}), "`decision`: expected `approve`, `reject` or `run`, got: nothing"),
        (
            json!({"decision": "yes"}),
            "`decision`: expected `approve`, `reject` or `run`, got: `yes`",
        ),
        (json!({"decision": true}), "got: true"),
        (json!([]), "expected an object, got: an array"),
        (json!({"decision": "approve", "args": {}}), "got: `args`"),
    ] {
        let answered = sidecar.post(&format!("/v1/approvals/{id}"), &body).await;
        assert_eq!(answered.status, 400, "{body} {}", answered.text);
        assert!(answered.text.contains(expected), "{}", answered.text);
    }
    assert_eq!(decide(&sidecar, "approval_00", "approve").await.status, 404);
    assert_eq!(decide(&sidecar, &id, "approve").await.json()["response"]["name"], "Rex");
}

#[tokio::test]
async fn a_call_waits_for_a_person_as_long_as_the_configuration_says() {
    let short = format!("sessions: {{ approval_time: 20ms }}\n{CONFIGURATION}");
    let (short, usual) = (Sidecar::of(&short).await, Sidecar::of(CONFIGURATION).await);
    let (kept, _) = asked(&usual, &calls(&Value::Null)).await;
    let (over, _) = asked(&short, &calls(&Value::Null)).await;
    let waiting = async |sidecar: &Sidecar| sidecar.get("/v1/approvals").await.text;
    while waiting(&short).await.contains(&over) {}
    assert_eq!(decide(&short, &over, "approve").await.status, 404);
    assert!(waiting(&usual).await.contains(&kept));
    assert_eq!(decide(&usual, &kept, "approve").await.status, 200);
}
