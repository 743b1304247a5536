//! `:run` of a session in the words of Dialogflow CX: calls have no id and are known by their tool and their action.

use crate::prelude::*;

const CONFIGURATION: &str = "
toolsets:
  pets:
    openapi: ../fixtures/pets/spec.yaml
    auth: { api_key: { in: header, name: X-Api-Key, value: 'literal:demo-key' } }
    upstream: replay
  agent:
    prefix: ''
    functions:
      - name: get-weather-tool
        description: The weather
        input: {type: object, properties: {location: {type: string}}, required: [location]}
        output: {type: object, properties: {temperature: {type: number}}}
";
const TOOL: &str = "projects/p/locations/l/agents/a/tools/t";

fn calls(calls: &[Value]) -> Value {
    let message = |call: &Value| json!({"source": "VIRTUAL_AGENT", "toolCall": call});
    json!({"queryResult": {"responseMessages": calls.iter().map(message).collect::<Vec<_>>()}})
}

fn weather(location: &str) -> Value {
    json!({"tool": TOOL, "action": "get-weather-tool", "inputParameters": {"location": location}})
}

fn pet(id: u64) -> Value {
    json!({"tool": TOOL, "action": "getPet", "inputParameters": {"petId": id}})
}

fn result(action: &str, name: &str, value: &Value) -> Value {
    let result = json!({"tool": TOOL, "action": action, name: value});
    json!({"queryInput": {"toolCallResult": result, "languageCode": "en"}})
}

async fn run(sidecar: &Sidecar, body: &Value) -> Answered {
    sidecar.post("/v1/sessions/s:run", body).await
}

/// The requests and answers of the seed about tools of playbooks, on the path it has them on.
#[tokio::test]
async fn detect_intent_accepts_only_the_members_of_dialogflow() {
    let sidecar = Sidecar::of(CONFIGURATION).await;
    for place in ["", "/environments/e"] {
        let path = format!("/v3/projects/p/locations/l/agents/a{place}/sessions/s:detectIntent");
        let waiting = sidecar.post(&path, &calls(&[weather("Mountain View")])).await;
        let message = &waiting.json()["queryResult"]["responseMessages"][0];
        assert_eq!(message["toolCall"], weather("Mountain View"), "{}", waiting.text);
        let body = result("get-weather-tool", "outputParameters", &json!({"temperature": 28.0}));
        let ended = sidecar.post(&path, &body).await;
        let told = &ended.json()["messages"][0]["toolCallResult"];
        assert_eq!(told["action"], "get-weather-tool", "{}", ended.text);
        let text = json!({"queryInput": {"text": {"text": "what is the weather in Mountain View"}, "languageCode": "en"}});
        let refused = sidecar.post(&path, &text).await;
        assert_eq!(refused.status, 400);
        assert!(refused.text.contains("needs a model"), "{}", refused.text);
        assert_eq!(sidecar.post(&path, &json!({"inputs": []})).await.status, 400);
        assert_eq!(sidecar.post(&path.replace(":detect", ":match"), &text).await.status, 404);
    }
}

#[tokio::test]
async fn unknown_members_of_detect_intent_are_ignored_at_every_depth() {
    let sidecar = Sidecar::of(CONFIGURATION).await;
    let with_more = |value: &Value| {
        let mut value = value.clone();
        value["ofANewerVersion"] = json!({"a": [1]});
        value
    };
    let mut body = with_more(&calls(&[with_more(&weather("Mountain View"))]));
    body["queryResult"] = with_more(&body["queryResult"]);
    body["queryParams"] = with_more(&json!({"parameters": {"a": 1}}));
    let message = body["queryResult"]["responseMessages"][0].clone();
    body["queryResult"]["responseMessages"] = json!([with_more(&message), {"ofANewerVersion": {}}]);
    let waiting = run(&sidecar, &body).await.json();
    assert_eq!(waiting["queryResult"]["responseMessages"][0]["toolCall"], weather("Mountain View"));
    let mut body =
        with_more(&result("get-weather-tool", "outputParameters", &json!({"temperature": 28.0})));
    body["queryInput"] = with_more(&body["queryInput"]);
    body["queryInput"]["toolCallResult"] = with_more(&body["queryInput"]["toolCallResult"]);
    let ended = run(&sidecar, &body).await;
    assert_eq!(ended.status, 200, "{}", ended.text);
    assert!(!ended.text.contains("ofANewerVersion"), "{}", ended.text);
}

/// The seed about tools of playbooks and wire-formats §1.5, field by field.
#[tokio::test]
async fn the_documented_example_of_detect_intent_is_answered_field_by_field() {
    let sidecar = Sidecar::of(CONFIGURATION).await;
    let mut body = calls(&[weather("Mountain View")]);
    body["queryResult"]["text"] = json!("what is the weather in Mountain View");
    body["queryResult"]["languageCode"] = json!("en");
    let waiting = run(&sidecar, &body).await;
    assert_eq!(waiting.json(), calls(&[weather("Mountain View")]));
    let temperature = json!({"temperature": 28.0});
    let answer = result("get-weather-tool", "outputParameters", &temperature);
    let ended = run(&sidecar, &answer).await;
    let told = json!({"tool": TOOL, "action": "get-weather-tool", "outputParameters": temperature});
    assert_eq!(ended.json(), json!({"messages": [{"toolCallResult": told}]}));
    // The other documented ending.
    run(&sidecar, &body).await;
    let answer = result("get-weather-tool", "error", &json!({"message": "no station there"}));
    let told = run(&sidecar, &answer).await.json();
    let told = &told["messages"][0]["toolCallResult"];
    assert_eq!((&told["tool"], &told["action"]), (&json!(TOOL), &json!("get-weather-tool")));
    assert!(told["error"]["message"].as_str().unwrap().contains("no station there"), "{told}");
    assert!(told.get("outputParameters").is_none(), "{told}");
}

#[tokio::test]
async fn dialogflow_gets_service_answers_under_their_status_and_client_calls_pending() {
    let sidecar = Sidecar::of(CONFIGURATION).await;
    let body = calls(&[pet(7), weather("Here"), pet(0)]);
    let waiting = run(&sidecar, &body).await.json();
    assert_eq!(waiting["queryResult"]["responseMessages"].as_array().unwrap().len(), 1);
    let answer = result("get-weather-tool", "outputParameters", &json!({"temperature": 3}));
    let ended = run(&sidecar, &answer).await.json();
    let messages = ended["messages"].as_array().unwrap();
    assert_eq!(messages.len(), 3, "{ended}");
    let of = |at: usize| &messages[at]["toolCallResult"];
    assert_eq!(of(0)["outputParameters"]["200"]["name"], "Rex");
    assert_eq!(of(1)["outputParameters"], json!({"temperature": 3}));
    assert!(of(2)["error"]["message"].is_string(), "{ended}");
}

#[tokio::test]
async fn a_client_may_run_operations_and_answer_them_under_a_status() {
    let sidecar = Sidecar::of(CONFIGURATION).await;
    let mut body = calls(&[pet(7), pet(8)]);
    body["queryParams"] =
        json!({"playbookStateOverride": {"playbookExecutionMode": "ALWAYS_CLIENT_EXECUTION"}});
    let waiting = run(&sidecar, &body).await.json();
    let shown = |answered: &Value| {
        let messages = answered["queryResult"]["responseMessages"].as_array().unwrap().clone();
        let ids =
            messages.into_iter().map(|one| one["toolCall"]["inputParameters"]["petId"].clone());
        ids.collect::<Vec<_>>()
    };
    assert_eq!(shown(&waiting), [7, 8]);
    // Of two calls of one action the first that waits is answered.
    let answer = result("getPet", "outputParameters", &json!({"200": {"id": 7, "name": "Rex"}}));
    let left = run(&sidecar, &answer).await.json();
    assert_eq!(shown(&left), [8]);
    let answer = result("getPet", "outputParameters", &json!({"404": {"detail": "no such pet"}}));
    let ended = run(&sidecar, &answer).await.json();
    let messages = ended["messages"].as_array().unwrap();
    let first = &messages[0]["toolCallResult"]["outputParameters"];
    assert_eq!(*first, json!({"200": {"id": 7, "name": "Rex"}}));
    let second = &messages[1]["toolCallResult"]["error"]["message"];
    assert!(second.as_str().unwrap().contains("no such pet"), "{ended}");
}

#[tokio::test]
async fn every_wrong_answer_is_reported_and_discarded() {
    let sidecar = Sidecar::of(CONFIGURATION).await;
    let good = result("get-weather-tool", "outputParameters", &json!({"temperature": 1}));
    let problem = |answered: &Answered| {
        let kind = answered.json()["type"].as_str().unwrap().rsplit(':').next().unwrap().to_owned();
        (answered.status, kind)
    };
    assert_eq!(problem(&run(&sidecar, &good).await), (409, "unknown-call".to_owned()));
    run(&sidecar, &calls(&[weather("Here")])).await;
    let mut nameless = good.clone();
    nameless["queryInput"]["toolCallResult"].as_object_mut().unwrap().remove("action");
    let mut both = good.clone();
    both["queryInput"]["toolCallResult"]["error"] = json!({"message": "x"});
    let mut mixed = calls(&[weather("There")]);
    mixed["queryInput"] = good["queryInput"].clone();
    let mut other = good.clone();
    other["queryInput"]["toolCallResult"]["tool"] =
        json!("projects/p/locations/l/agents/a/tools/u");
    let text = json!({"queryInput": {"text": {"text": "hello"}, "languageCode": "en"}});
    let hot = result("get-weather-tool", "outputParameters", &json!({"temperature": "x"}));
    for (body, status, kind) in [
        (&calls(&[weather("There")]), 409, "session-paused"),
        (&nameless, 400, "malformed"),
        (&both, 400, "malformed"),
        (&mixed, 400, "malformed"),
        (&text, 400, "needs-model"),
        (&other, 409, "unknown-call"),
        (&result("getPet", "outputParameters", &json!({})), 409, "unknown-call"),
        (&hot, 422, "unexpected-output"),
    ] {
        let told = problem(&run(&sidecar, body).await);
        assert!(told.0 == status && told.1.contains(kind), "{body}: {told:?}");
    }
    let ended = run(&sidecar, &good).await.json();
    assert_eq!(ended["messages"][0]["toolCallResult"]["outputParameters"]["temperature"], 1);
}

#[tokio::test]
async fn parameters_of_a_query_are_stored_in_the_session() {
    let sidecar = Sidecar::of(CONFIGURATION).await;
    let body = json!({
        "queryInput": {"languageCode": "en"},
        "queryParams": {"parameters": {"customer": "42"}, "ofANewerVersion": 1},
    });
    assert_eq!(run(&sidecar, &body).await.json(), json!({}));
    let stored = sidecar.get("/v1/sessions/s").await.json();
    assert_eq!(stored["parameters"], json!({"customer": "42"}));
    let wrong = json!({"queryInput": {}, "queryParams": {"parameters": 7}});
    assert_eq!(run(&sidecar, &wrong).await.status, 400);
}
