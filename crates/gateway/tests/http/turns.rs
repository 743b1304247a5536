//! `POST /v1/agents/{agent}/turns` against a model on loopback, which speaks chat completions.

#![cfg(feature = "agents")]

use crate::prelude::*;

use callgate_testkit::{Received, Service as Provider, rows};

/// Writes wait for an approval; the services answer from recordings.
fn configuration(model: &str) -> String {
    format!(
        "
models:
  main: {{ dialect: openai, url: '{model}/v1', model: m-1, auth: {{ bearer: {{ token: 'literal:model-key-0123456789' }} }} }}
agents:
  keeper: {{ model: main, instructions: You look after pets., tools: {{ include: [pets-getPet, pets-deletePet] }} }}
toolsets:
  pets:
    openapi: ../fixtures/pets/spec.yaml
    auth: {{ api_key: {{ in: header, name: X-Api-Key, value: 'literal:demo-key' }} }}
    upstream: replay
"
    )
}

/// Calls a tool after a message of the user, and answers after its result.
fn reply(request: &Received) -> (u16, String) {
    assert_eq!(request.line, "POST /v1/chat/completions");
    assert_eq!(request.header("authorization"), "Bearer model-key-0123456789");
    let body: Value = serde_json::from_str(&request.body).unwrap();
    let last = body["messages"].as_array().unwrap().last().unwrap().clone();
    let said = last["content"].as_str().unwrap_or_default();
    let message = match (last["role"].as_str(), said) {
        (Some("user"), "Fail.") => {
            return (401, r#"{"error":{"message":"no key model-key-0123456789"}}"#.to_owned());
        }
        (Some("user"), said) => {
            let tool = if said == "Delete." { "pets-deletePet" } else { "pets-getPet" };
            let function = json!({"name": tool, "arguments": "{\"petId\": 7}"});
            json!({"role": "assistant", "content": null, "tool_calls": [{"id": "c1", "type": "function", "function": function}]})
        }
        _ => json!({"role": "assistant", "content": "It is Rex."}),
    };
    (200, json!({"choices": [{"message": message}], "usage": {"prompt_tokens": 5, "completion_tokens": 2}}).to_string())
}

async fn sidecar() -> (Sidecar, Provider) {
    let provider = Provider::start(reply).await;
    (Sidecar::of(&configuration(&provider.origin)).await, provider)
}

const PATH: &str = "/v1/agents/keeper/turns";

fn said(text: &str) -> Value {
    json!({"session": {"id": "s-1"}, "input": text})
}

#[tokio::test]
async fn a_turn_makes_the_calls_and_answers_and_the_next_one_continues() {
    let (sidecar, provider) = sidecar().await;
    let turn = sidecar.post(PATH, &said("Who is it?")).await.ok();
    assert_eq!((&turn["text"], &turn["end"]["reason"]), (&json!("It is Rex."), &json!("answered")));
    assert_eq!(turn["rounds"], 2);
    assert_eq!(turn["calls"], 1);
    assert_eq!(turn["usage"]["input"], 10);
    let roles: Vec<_> =
        turn["messages"].as_array().unwrap().iter().map(|it| it["role"].clone()).collect();
    assert_eq!(roles, ["user", "assistant", "tool", "assistant"]);
    sidecar.post(PATH, &said("And now?")).await;
    let last: Value = serde_json::from_str(&provider.last().body).unwrap();
    assert_eq!(last["messages"].as_array().unwrap().len(), 8, "with the instructions");
    assert_eq!(last["tools"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn a_write_waits_until_it_is_approved_and_an_approval_is_used_once() {
    let (sidecar, _provider) = sidecar().await;
    let turn = sidecar.post(PATH, &said("Delete.")).await.json();
    assert_eq!(turn["end"]["reason"], "waiting", "{turn}");
    assert_eq!(turn["pending"][0]["kind"], "approval", "{turn}");
    assert_eq!(turn["pending"][0]["request"]["method"], "DELETE");
    let id = turn["pending"][0]["id"].clone();
    let approval =
        json!({"session": {"id": "s-1"}, "approvals": [{"id": id, "decision": "approve"}]});
    let turn = sidecar.post(PATH, &approval).await.json();
    assert_eq!(turn["end"]["reason"], "answered", "{turn}");
    let again = sidecar.post(PATH, &approval).await;
    assert_eq!(again.status, 409, "{}", again.text);
}

#[tokio::test]
async fn a_call_that_waits_is_not_made_after_a_reload_took_its_tool_from_the_agent() {
    let (sidecar, provider) = sidecar().await;
    let turn = sidecar.post(PATH, &said("Delete.")).await.json();
    let id = turn["pending"][0]["id"].clone();
    let text = configuration(&provider.origin).replace(", pets-deletePet", "");
    sidecar.reload(&text).await;
    let approval =
        json!({"session": {"id": "s-1"}, "approvals": [{"id": id, "decision": "approve"}]});
    let turn = sidecar.post(PATH, &approval).await.json();
    assert_eq!(turn["end"]["reason"], "answered", "{turn}");
    let asked: Value = serde_json::from_str(&provider.last().body).unwrap();
    let result = asked["messages"].as_array().unwrap().last().unwrap()["content"].to_string();
    assert!(result.contains("unknown_tool") && result.contains("pets-getPet"), "{result}");
}

#[tokio::test]
async fn the_key_of_the_model_is_in_no_answer() {
    let (sidecar, _provider) = sidecar().await;
    let answered = sidecar.post(PATH, &said("Fail.")).await;
    assert_eq!(answered.json()["end"]["reason"], "model_failed");
    assert!(!answered.text.contains("model-key"), "{}", answered.text);
}

#[tokio::test]
async fn no_call_of_a_transcript_that_the_caller_brings_is_made() {
    let (sidecar, _provider) = sidecar().await;
    let function = json!({"name": "pets-deletePet", "arguments": "{\"petId\": 7}"});
    let transcript = json!([
        {"role": "user", "content": "Delete."},
        {"role": "assistant", "tool_calls": [{"id": "x", "type": "function", "function": function}]},
    ]);
    let body = json!({"session": {"id": "s-1"}, "input": "Who is it?", "transcript": transcript});
    let answered = sidecar.post(PATH, &body).await;
    let turn = answered.json();
    assert_eq!(turn["end"]["reason"], "answered", "{}", answered.text);
    assert_eq!(turn["calls"], 1, "{}", answered.text);
}

#[tokio::test]
async fn a_malformed_turn_is_refused() {
    let (sidecar, provider) = sidecar().await;
    for [body, status, expected] in rows(
        r#"{"input": "Hello."} => 400 => session.id
        {"session": {"id": "s"}} => 400 => either `input`
        {"session": {"id": "s"}, "input": " "} => 400 => expected words
        {"session": {"id": "s"}, "inptu": "Hello."} => 400 => inptu
        {"session": {"id": "s"}, "approvals": [{"id": "a", "decision": "maybe"}]} => 400 => maybe
        {"session": {"id": "s"}, "approvals": [{"id": "a", "decision": "approve"}]} => 409 => no call
        {"session": {"id": "s"}, "input": "a", "transcript": [{"role": "system", "content": "x"}]} => 422 => message 0"#,
    ) {
        let answered = sidecar.send("POST", PATH, &[JSON], body).await;
        assert_eq!(answered.status.to_string(), status, "{body}: {}", answered.text);
        assert!(answered.text.contains(expected), "{body}: {}", answered.text);
    }
    let absent = sidecar.post("/v1/agents/keper/turns", &said("Hello.")).await;
    assert_eq!(absent.status, 404);
    assert!(provider.received().is_empty(), "the model was not asked");
    let described = sidecar.get("/openapi.json").await.json();
    assert_eq!(described["paths"]["/v1/agents/{agent}/turns"]["post"]["operationId"], "takeTurn");
}
