//! Results with their journals: `"journal": true` in a request with calls.

use crate::prelude::*;

fn body(tool: &str, args: &Value, more: &Value) -> Value {
    let mut body = json!({"calls": [{"id": "a", "tool": tool, "args": args}], "journal": true});
    body.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap_or_default());
    body
}

fn events(result: &Value) -> Vec<String> {
    let journal = result["journal"].as_array().unwrap_or_else(|| panic!("no journal: {result}"));
    journal.iter().map(|entry| entry["event"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn each_result_has_the_decisions_of_its_call() {
    let sidecar = Sidecar::of_pets().await;
    let args = json!({"petId": "7"});
    let answered = sidecar.post("/v1/calls", &body("pets-getPet", &args, &json!({}))).await;
    assert!(answered.text.contains(r#""weightKg":12.50"#), "{}", answered.text);
    let result = answered.json()["results"][0].take();
    assert_eq!(result["response"]["name"], "Rex");
    assert_eq!(events(&result), ["converted", "attempt"], "{result}");
    assert_eq!(result["journal"][0]["text"], "`petId` was converted from string to number");
    let dry = body("pets-getPet", &args, &json!({"dryRun": true}));
    let dry = sidecar.post("/v1/calls", &dry).await.json();
    assert_eq!(events(&dry["results"][0]), ["converted"], "{dry}");
    let unknown = sidecar.post("/v1/calls", &body("nope", &json!({}), &json!({}))).await.json();
    assert_eq!(events(&unknown["results"][0]), [""; 0], "{unknown}");
    let plain = json!({"calls": [{"tool": "pets-getPet", "args": args}]});
    assert!(!sidecar.post("/v1/calls", &plain).await.text.contains("journal"));
}

#[tokio::test]
async fn an_event_with_a_result_has_its_journal() {
    let sidecar = Sidecar::of_pets().await;
    let body = body("pets-getPet", &json!({"petId": 7}), &json!({})).to_string();
    let accept = ("accept", "text/event-stream");
    let answered = sidecar.send("POST", "/v1/calls", &[JSON, accept], &body).await;
    let events_sent = answered.events();
    let (_, result) = events_sent.iter().find(|(name, _)| name == "result").unwrap();
    assert_eq!(events(result), ["attempt"], "{result}");
}

#[tokio::test]
async fn a_caller_learns_from_a_journal_no_host_and_no_reference() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("spec.yaml");
    let description =
        "paths: {/pets: {get: {operationId: list, responses: {'200': {description: all}}}}}";
    std::fs::write(&file, callgate_testkit::describe(description)).unwrap();
    let closed = callgate_testkit::closed_origin();
    let secret = folder.path().join("canary-of-a-place");
    let (file, secret) = (file.display(), secret.display());
    let text = format!(
        "toolsets:\n  away: {{openapi: '{file}', server: '{closed}', retry: safe}}\n  unread: {{openapi: '{file}', server: '{closed}', auth: {{bearer: {{token: 'file:{secret}'}}}}}}\n"
    );
    let sidecar = Sidecar::with(&text, &Environment::new().listing_missing()).await;
    for (tool, event) in [("away-list", "unanswered"), ("unread-list", "credential_absent")] {
        let answered = sidecar.post("/v1/calls", &body(tool, &json!({}), &json!({}))).await;
        let result = answered.json()["results"][0].take();
        assert!(events(&result).iter().any(|known| known == event), "{result}");
        let host = closed.trim_start_matches("http://");
        assert!(!answered.text.contains(host) && !answered.text.contains("canary"), "{result}");
    }
}
