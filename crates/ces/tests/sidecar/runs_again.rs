//! `:run` of a session that is repeated because its answer was lost: the same answer, whatever has happened since.

use crate::prelude::*;

const CONFIGURATION: &str = "
toolsets:
  pets:
    openapi: ../fixtures/pets/spec.yaml
    auth: { api_key: { in: header, name: X-Api-Key, value: 'literal:demo-key' } }
    upstream: replay
  app:
    prefix: ''
    functions:
      - name: get_battery
        input: {type: object, properties: {}}
";

async fn run(sidecar: &Sidecar, key: &str, body: &Value) -> Answered {
    let headers = [JSON, ("idempotency-key", key)];
    sidecar.send("POST", "/v1/sessions/s:run", &headers, &body.to_string()).await
}

fn called(id: &str) -> Value {
    json!({"inputs": [{"toolCalls": {"toolCalls": [{"id": id, "tool": "get_battery"}]}}]})
}

fn tool_response(asked: &Value, percent: u64) -> Value {
    let answer = json!({"id": asked["id"], "tool": asked["tool"], "displayName": asked["displayName"], "response": {"percent": percent}});
    json!({"inputs": [{"toolResponses": {"toolResponses": [answer]}}]})
}

#[tokio::test]
async fn a_repeated_run_gets_its_first_answer_until_the_turn_has_ended() {
    let sidecar = Sidecar::of(CONFIGURATION).await;
    let first = run(&sidecar, "a", &called("1")).await;
    let asked = first.ok()["outputs"][0]["toolCalls"]["toolCalls"][0].clone();
    // The session waits, and whoever missed that is told again; another request is not.
    assert_eq!(run(&sidecar, "a", &called("1")).await.text, first.text);
    assert_eq!(run(&sidecar, "b", &called("1")).await.status, 409);
    let other = run(&sidecar, "a", &called("2")).await;
    assert_eq!(other.status, 422);
    assert!(other.text.contains("key-reused"), "{}", other.text);
    let ended = run(&sidecar, "c", &tool_response(&asked, 80)).await;
    assert_eq!(ended.status, 200, "{}", ended.text);
    assert!(ended.text.contains("toolResponses"), "{}", ended.text);
    assert_eq!(run(&sidecar, "c", &tool_response(&asked, 80)).await.text, ended.text);
    assert_eq!(run(&sidecar, "a", &called("1")).await.text, ended.text);
    // Under another key it is a second answer.
    let second = run(&sidecar, "d", &tool_response(&asked, 80)).await;
    assert!(second.text.contains("call-answered"), "{}", second.text);
}

#[tokio::test]
async fn a_session_keeps_the_last_answers() {
    let sidecar = Sidecar::of(CONFIGURATION).await;
    let body = |n: usize| json!({"inputs": [{"toolCalls": {"toolCalls": [{"id": n.to_string(), "tool": "none"}]}}]});
    for n in 0..6 {
        let answered = run(&sidecar, &n.to_string(), &body(n)).await.json();
        assert_eq!(answered["outputs"][0]["turnIndex"], n + 1);
    }
    let turn = async |n: usize| {
        run(&sidecar, &n.to_string(), &body(n)).await.json()["outputs"][0]["turnIndex"].clone()
    };
    assert_eq!(turn(5).await, 6);
    assert_eq!(turn(2).await, 3);
    assert_eq!(turn(0).await, 7);
}

/// A call that the sidecar runs; its result names Rex.
pub(crate) fn call_of_pets(id: &str) -> Value {
    json!({"id": id, "tool": "pets-getPet", "args": {"petId": 7}})
}

#[tokio::test]
async fn the_answer_of_a_tool_that_was_removed_is_not_repeated() {
    let sidecar = Sidecar::of(CONFIGURATION).await;
    let body = json!({"inputs": [{"toolCalls": {"toolCalls": [call_of_pets("1")]}}]});
    let first = run(&sidecar, "a", &body).await;
    assert!(first.text.contains("Rex"), "{}", first.text);
    assert_eq!(run(&sidecar, "a", &body).await.text, first.text);
    sidecar.reload(&without_pets()).await;
    let repeated = run(&sidecar, "a", &body).await;
    let is_refused = repeated.text.contains("unknown_tool") && !repeated.text.contains("Rex");
    assert!(is_refused, "{}", repeated.text);
}

#[tokio::test]
async fn a_turn_that_waited_does_not_show_the_result_of_a_tool_that_was_removed() {
    let sidecar = Sidecar::of(CONFIGURATION).await;
    let calls = [
        call_of_pets("1"),
        json!({"id": "2", "tool": "get_battery"}),
        json!({"id": "3", "tool": "none"}),
    ];
    let body = json!({"inputs": [{"toolCalls": {"toolCalls": calls}}]});
    let first = run(&sidecar, "a", &body).await;
    let asked = first.json()["outputs"][0]["toolCalls"]["toolCalls"][0].clone();
    sidecar.reload(&without_pets()).await;
    let ended = run(&sidecar, "b", &tool_response(&asked, 80)).await;
    let results = ended.json()["outputs"][0]["toolResponses"]["toolResponses"].clone();
    assert_eq!(results[0]["response"]["error"]["code"], "tool_removed", "{}", ended.text);
    assert_eq!(results[1]["response"]["output"], json!({"percent": 80}));
    assert_eq!(results[2]["response"]["error"]["code"], "unknown_tool", "{}", ended.text);
    assert_eq!(run(&sidecar, "b", &tool_response(&asked, 80)).await.text, ended.text);
    let repeated = run(&sidecar, "a", &body).await;
    assert!(!repeated.text.contains("Rex"), "{}", repeated.text);
}

fn without_pets() -> String {
    let (before, pets) = CONFIGURATION.split_once("  pets:").unwrap();
    let (_, app) = pets.split_once("  app:").unwrap();
    format!("{before}  app:{app}")
}
