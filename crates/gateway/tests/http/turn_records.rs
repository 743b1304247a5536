//! A turn as a fixture: what is in it, what is not, and who may have it.

#![cfg(feature = "agents")]

use std::{
    collections::BTreeMap,
    io::{Cursor, Read as _},
};

use crate::prelude::*;

use callgate_testkit::{Received, Service as Provider};
use zip::ZipArchive;

const PATH: &str = "/v1/agents/keeper/turns";

/// Calls the tool that the user names, and answers after its result.
fn reply(request: &Received) -> (u16, String) {
    let body: Value = serde_json::from_str(&request.body).unwrap();
    let last = body["messages"].as_array().unwrap().last().unwrap().clone();
    let message = match last["role"].as_str() {
        Some("user") => {
            let is_search = last["content"] == "notes-search";
            let arguments = if is_search { "{\"query\": \"a dog\"}" } else { "{\"petId\": 7}" };
            let function = json!({"name": last["content"], "arguments": arguments});
            json!({"role": "assistant", "content": null, "tool_calls": [{"id": "c1", "type": "function", "function": function}]})
        }
        _ => json!({"role": "assistant", "content": "Done by model-key-0123456789."}),
    };
    (200, json!({"choices": [{"message": message}]}).to_string())
}

async fn sidecar(access: &str) -> (Sidecar, Provider, TempDir) {
    let provider = Provider::start(reply).await;
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.md"), "# Pets\n\nRex is a dog.\n").unwrap();
    let text = format!(
        "
models: {{ main: {{ dialect: openai, url: '{}/v1', model: m-1, auth: {{ bearer: {{ token: 'literal:model-key-0123456789' }} }} }} }}
agents: {{ keeper: {{ model: main }} }}
{access}
toolsets:
  pets:
    openapi: ../fixtures/pets/spec.yaml
    auth: {{ api_key: {{ in: header, name: X-Api-Key, value: 'literal:demo-key' }} }}
    upstream: replay
  others:
    openapi: ../fixtures/pets/spec.yaml
    auth: {{ bearer: {{ token: $session.params.petKey }} }}
    upstream: replay
  notes: {{ documents: {{ folder: '{}' }} }}
",
        provider.origin,
        folder.path().display()
    );
    (Sidecar::of(&text).await, provider, folder)
}

fn turn(tool: &str) -> Value {
    let session = json!({"id": "s-1", "parameters": {"petKey": "pet-key-0123456789", "ownerId": "o-1"}, "context": {"variables": {"petkey": "pet-key-0123456789"}}, "credentials": {"user token": "typed-0123456789"}});
    json!({"session": session, "input": tool, "record": true})
}

/// The files of a fixture by their names.
async fn files(sidecar: &Sidecar, answered: &Answered) -> BTreeMap<String, String> {
    let handle = answered.json()["recording"]["handle"].as_str().unwrap_or_default().to_owned();
    let path = format!("/v1/results/{handle}?session=s-1");
    let kept = sidecar.bytes(&path).await;
    let mut archive = ZipArchive::new(Cursor::new(kept)).unwrap();
    let mut files = BTreeMap::new();
    for at in 0..archive.len() {
        let mut file = archive.by_index(at).unwrap();
        let mut text = String::new();
        file.read_to_string(&mut text).unwrap();
        files.insert(file.name().unwrap().into_owned(), text);
    }
    files
}

#[tokio::test]
async fn a_recorded_turn_is_a_fixture_without_credentials() {
    let (sidecar, _provider, _folder) = sidecar("").await;
    let answered = sidecar.post(PATH, &turn("pets-getPet")).await;
    let files = files(&sidecar, &answered).await;
    let names: Vec<_> = files.keys().map(String::as_str).collect();
    let expected = "keeper-turn/ends.json keeper-turn/model/01.request.json keeper-turn/model/01.response.http
        keeper-turn/model/02.request.json keeper-turn/model/02.response.http keeper-turn/services/01.request.http
        keeper-turn/services/01.response.http keeper-turn/session.json keeper-turn/turn.json";
    let expected: Vec<_> = expected.split_whitespace().collect();
    assert_eq!(names, expected, "{}", answered.text);
    let all = files.values().map(String::as_str).collect::<String>();
    for secret in ["key-0123456789", "typed-0123456789"] {
        assert!(!all.contains(secret), "{all}");
    }
    let read = |name: &str| serde_json::from_str::<Value>(&files[name]).unwrap();
    let session = json!({"id": "s-1", "parameters": {"petKey": "****", "ownerId": "o-1"}, "context": {"variables": {"petkey": "****"}}, "credentials": {"user token": "env:USER_TOKEN"}});
    assert_eq!(read("keeper-turn/session.json"), session);
    let form = json!({"configuration": "../callgate.yaml", "agent": "keeper", "inputs": [{"input": "pets-getPet"}]});
    assert_eq!(read("keeper-turn/turn.json"), form);
    // The next turn begins with the conversation before it.
    let again = sidecar.post(PATH, &turn("pets-getPet")).await;
    let files = self::files(&sidecar, &again).await;
    assert!(files["keeper-turn/transcript.json"].contains("Done by ****"), "{files:?}");
}

#[tokio::test]
async fn a_turn_that_a_replay_could_not_answer_is_no_fixture_and_says_why() {
    let (sidecar, _provider, _folder) = sidecar("").await;
    let answered = sidecar.post(PATH, &turn("notes-search")).await;
    let why = answered.json()["recording"]["problem"].to_string();
    assert!(
        why.contains("`notes-search` answered without a request over HTTP"),
        "{}",
        answered.text
    );
}

#[tokio::test]
async fn a_turn_is_recorded_only_for_a_caller_that_asks_and_has_the_right() {
    let (sidecar, provider, _folder) = sidecar("").await;
    let mut plain = turn("pets-getPet");
    plain["record"] = json!(false);
    assert_eq!(sidecar.post(PATH, &plain).await.json().get("recording"), None);
    let n_asked = provider.received().len();
    let (closed, _, _folder) = self::sidecar("console: false").await;
    let refused = closed.post(PATH, &turn("pets-getPet")).await;
    assert_eq!(refused.status, 403, "{}", refused.text);
    assert!(refused.text.contains("admin: true"), "{}", refused.text);
    assert_eq!(provider.received().len(), n_asked);
}
