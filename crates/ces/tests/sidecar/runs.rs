//! `:run` of a session: calls that its client runs, the wait for their answers, and every way in which an answer is wrong.

use crate::{prelude::*, runs_again::call_of_pets};
use std::collections::BTreeMap;

const CONFIGURATION: &str = "
toolsets:
  pets:
    openapi: ../fixtures/pets/spec.yaml
    auth: { api_key: { in: header, name: X-Api-Key, value: 'literal:demo-key' } }
    upstream: replay
  app:
    prefix: ''
    functions:
      - name: get_nearest_store
        description: The nearest store
        input: {type: object, properties: {zip_code: {type: string}}, required: [zip_code]}
        output: {type: object, properties: {name: {type: string}, address: {type: string}}, required: [name]}
      - name: get_battery
        input: {type: object, properties: {}}
";
const STORE: &str = "projects/p/locations/us/apps/a/tools/get_nearest_store";

fn call(id: &str, zip: &str) -> Value {
    let args = json!({"zip_code": zip});
    json!({"id": id, "tool": STORE, "displayName": "get_nearest_store", "args": args})
}

fn calls(calls: &[Value]) -> Value {
    json!({"inputs": [{"toolCalls": {"toolCalls": calls}}]})
}

fn response(call: &Value, response: &Value) -> Value {
    let mut answered = call.clone();
    answered.as_object_mut().unwrap().remove("args");
    answered["response"] = response.clone();
    answered
}

fn responses(responses: &[Value]) -> Value {
    json!({"inputs": [{"toolResponses": {"toolResponses": responses}}]})
}

async fn run(sidecar: &Sidecar, id: &str, body: &Value) -> Answered {
    sidecar.post(&format!("/v1/sessions/{id}:run"), body).await
}

/// The calls that the client is asked to run.
#[track_caller]
fn requested_calls(answered: &Answered) -> Vec<Value> {
    answered.ok()["outputs"][0]["toolCalls"]["toolCalls"].as_array().unwrap().clone()
}

#[track_caller]
fn ended(answered: &Answered) -> Vec<Value> {
    answered.ok()["outputs"][0]["toolResponses"]["toolResponses"].as_array().unwrap().clone()
}

/// The problem of an answer: its status, the end of its type, and how many calls it says wait.
#[track_caller]
fn problem(answered: &Answered) -> (u16, String, usize) {
    let problem = answered.json();
    let kind = problem["type"].as_str().unwrap().rsplit(':').next().unwrap().to_owned();
    (answered.status, kind, problem["toolCalls"].as_array().map_or(0, Vec::len))
}

/// The example of the seeds (client function tools) and of wire-formats §2.4, field by field.
#[tokio::test]
async fn the_documented_example_of_run_session_is_answered_field_by_field() {
    let sidecar = Sidecar::of(CONFIGURATION).await;
    let session = "projects/p/locations/us/apps/a/sessions/s-1";
    let path = format!("/v1/{session}:runSession");
    let mut body = calls(&[call("c1", "92031")]);
    body["config"] = json!({"session": session, "entryAgent": "", "timeZone": "", "useToolFakes": false, "ofANewerVersion": 1});
    body["inputs"].as_array_mut().unwrap().push(json!({"variables": {"customer_id": "42"}}));
    let answered = sidecar.post(&path, &body).await;
    let asked = requested_calls(&answered);
    let id = asked[0]["id"].as_str().unwrap();
    let output = json!({"toolCalls": {"toolCalls": [call(id, "92031")]}, "turnIndex": 1, "turnCompleted": true});
    assert_eq!(answered.json(), json!({"outputs": [output]}));
    let told = json!({"name": "Alibaba", "address": "43 Alpha Road, Mountain View, CA 92039, USA"});
    let body = json!({"config": {"session": session}, "inputs": [{"toolResponses": {"toolResponses": [
        {"displayName": "get_nearest_store", "id": id, "tool": STORE, "response": told},
    ]}}]});
    let answered = sidecar.post(&path, &body).await;
    let answer = response(&call("c1", "92031"), &json!({"output": told}));
    let output = json!({"toolResponses": {"toolResponses": [answer]}, "turnIndex": 1, "turnCompleted": true});
    assert_eq!(answered.json(), json!({"outputs": [output]}));
    let stored = sidecar.get("/v1/sessions/s-1").await.json();
    assert_eq!(stored["parameters"], json!({"customer_id": "42"}));
}

#[tokio::test]
async fn unknown_members_of_run_session_are_ignored_at_every_depth() {
    let sidecar = Sidecar::of(CONFIGURATION).await;
    let mut called = call("c1", "92031");
    called["ofANewerVersion"] = json!(1);
    let mut body = calls(&[called]);
    body["ofANewerVersion"] = json!({});
    body["inputs"][0]["ofANewerVersion"] = json!("x");
    body["inputs"].as_array_mut().unwrap().push(json!({"ofANewerVersion": {}}));
    let answered = run(&sidecar, "s", &body).await;
    assert!(!answered.text.contains("ofANewerVersion"), "{}", answered.text);
    let mut told =
        response(&requested_calls(&answered)[0], &json!({"output": {"name": "Alibaba"}}));
    told["ofANewerVersion"] = json!([1]);
    let answered = run(&sidecar, "s", &responses(&[told])).await;
    assert_eq!(ended(&answered)[0]["response"], json!({"output": {"name": "Alibaba"}}));
    assert!(!answered.text.contains("ofANewerVersion"), "{}", answered.text);
}

#[tokio::test]
async fn runs_accept_snake_case_and_answer_under_the_requested_tool_name() {
    let sidecar = Sidecar::of(CONFIGURATION).await;
    let toolset = "projects/p/locations/us/apps/a/toolsets/pets";
    let body = json!({"inputs": [{"tool_calls": {"tool_calls": [
        {"toolset_tool": {"toolset": toolset, "tool_id": "getPet"}, "args": {"petId": 7}},
        {"tool": "get_battery"},
    ]}, "will_continue": false}], "execution": "client"});
    let waiting = requested_calls(&run(&sidecar, "s", &body).await);
    assert_eq!(waiting.len(), 2);
    let named = json!({"toolset": toolset, "toolId": "getPet"});
    assert_eq!((&waiting[0]["toolsetTool"], &waiting[0]["args"]), (&named, &json!({"petId": 7})));
    assert_eq!(waiting[1]["displayName"], "get_battery");
    let pet = json!({"id": 7, "name": "Rex"});
    let body = json!({"inputs": [{"tool_responses": {"tool_responses": [
        {"id": waiting[0]["id"], "toolset_tool": {"toolset": toolset, "tool_id": "getPet"}, "display_name": waiting[0]["displayName"], "response": {"output": pet}},
        response(&waiting[1], &json!({"error": "no battery"})),
    ]}}]});
    let ended = ended(&run(&sidecar, "s", &body).await);
    assert_eq!(ended[0]["response"], json!({"output": pet}));
    assert_eq!((&ended[0]["id"], &ended[0]["toolsetTool"]), (&json!("call_1"), &named));
    let error = &ended[1]["response"]["error"];
    assert!(error["message"].as_str().unwrap().contains("no battery"), "{error}");
}

#[tokio::test]
async fn results_of_the_server_are_stored_until_the_client_has_answered() {
    let sidecar = Sidecar::of(CONFIGURATION).await;
    let body = calls(&[
        call_of_pets("a"),
        call("b", "92031"),
        json!({"id": "c", "tool": "nothing"}),
        json!({"id": "d", "tool": "get_nearest_store", "args": {"zip_code": 7}}),
        json!({"id": "e", "tool": "get_battery"}),
    ]);
    let waiting = requested_calls(&run(&sidecar, "s", &body).await);
    assert_eq!(waiting.len(), 2);
    // Calls beside `:run` go on.
    let other =
        json!({"calls": [{"tool": "pets-getPet", "args": {"petId": 7}}], "session": {"id": "s"}});
    assert_eq!(sidecar.post("/v1/calls", &other).await.json()["results"][0]["status"], 200);
    // One answer after the other: what is left is asked again.
    let first = responses(&[response(&waiting[1], &json!({"percent": 80}))]);
    assert_eq!(requested_calls(&run(&sidecar, "s", &first).await), waiting[..1]);
    let last = responses(&[response(&waiting[0], &json!({"name": "Alibaba"}))]);
    let ended = ended(&run(&sidecar, "s", &last).await);
    let ids: Vec<_> = ended.iter().map(|one| one["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["a", "b", "c", "d", "e"]);
    assert_eq!(ended[0]["response"]["output"]["name"], "Rex");
    assert_eq!(ended[1]["response"]["output"], json!({"name": "Alibaba"}));
    assert_eq!(ended[2]["response"]["error"]["code"], "unknown_tool");
    assert_eq!(ended[3]["response"]["error"]["code"], "invalid_arguments");
    assert_eq!(ended[4]["response"]["output"], json!({"percent": 80}));
    // The session takes inputs again.
    let next =
        run(&sidecar, "s", &calls(&[json!({"tool": "pets-getPet", "args": {"petId": 7}})])).await;
    assert_eq!(next.json()["outputs"][0]["turnIndex"], 2);
}

#[tokio::test]
async fn every_wrong_answer_is_reported_exactly_and_discarded() {
    let sidecar = Sidecar::of(CONFIGURATION).await;
    let body = calls(&[call("a", "1"), call("b", "2")]);
    let waiting = requested_calls(&run(&sidecar, "s", &body).await);
    let good = |at: usize| response(&waiting[at], &json!({"name": "Alibaba"}));
    let with = |name: &str, value: Value| {
        let mut changed = good(0);
        changed[name] = value;
        responses(&[changed])
    };
    let mut unnamed = good(0);
    unnamed.as_object_mut().unwrap().remove("tool");
    let mixed = json!({"inputs": [{"toolCalls": [call("c", "3")]}, {"toolResponses": [good(0)]}]});
    let both = json!({"inputs": [{"toolCalls": [], "toolResponses": [good(0)]}]});
    let text = json!({"inputs": [{"text": "hello"}]});
    let variables = json!({"inputs": [{"variables": {"a": 1}}]});
    let unknown = with("id", json!("call_0"));
    let unexpected = with("response", json!({"name": 7}));
    let half = responses(&[good(0), response(&waiting[1], &json!({"address": "x"}))]);
    let stranger = {
        let mut stranger = good(1);
        stranger["id"] = json!("call_0");
        responses(&[good(0), stranger])
    };
    for (body, expected) in [
        (&body, (409, "session-paused", 2)),
        (&json!({}), (409, "session-paused", 2)),
        (&variables, (409, "session-paused", 2)),
        (&unknown, (409, "unknown-call", 2)),
        (&stranger, (409, "unknown-call", 2)),
        (&with("tool", json!("get_battery")), (409, "call-mismatch", 2)),
        (&with("displayName", json!("other")), (409, "call-mismatch", 2)),
        (&responses(&[unnamed]), (409, "call-mismatch", 2)),
        (&unexpected, (422, "unexpected-output", 2)),
        (&half, (422, "unexpected-output", 2)),
        (&with("response", json!("text")), (400, "malformed-body", 0)),
        (&with("id", json!(7)), (400, "malformed-body", 0)),
        (&responses(&[good(0), good(0)]), (400, "malformed-body", 0)),
        (&mixed, (400, "malformed-body", 0)),
        (&both, (400, "malformed-body", 0)),
        (&text, (400, "needs-model", 0)),
        (&json!({"inputs": {}}), (400, "malformed-body", 0)),
        (&json!({"config": {"session": "x/sessions/other"}}), (400, "malformed-body", 0)),
    ] {
        let answered = run(&sidecar, "s", body).await;
        let (status, kind, n_waiting) = problem(&answered);
        assert_eq!((status, &*kind, n_waiting), expected, "{body}: {}", answered.text);
    }
    // A session of another id, and no session at all, wait for nothing.
    let answered = run(&sidecar, "other", &responses(&[good(0)])).await;
    assert_eq!(problem(&answered), (409, "unknown-call".to_owned(), 0));
    assert_eq!(ended(&run(&sidecar, "s", &responses(&[good(1), good(0)])).await).len(), 2);
    for again in [responses(&[good(0)]), responses(&[good(1), good(0)])] {
        let answered = run(&sidecar, "s", &again).await;
        assert_eq!(problem(&answered), (409, "call-answered".to_owned(), 0), "{}", answered.text);
    }
    assert_eq!(run(&sidecar, "s", &json!({})).await.json(), json!({"outputs": []}));
}

#[tokio::test]
async fn an_unanswered_turn_ends_and_is_reported_with_its_stored_results() {
    let short = format!("sessions: {{ client_time: 1ms }}\n{CONFIGURATION}");
    let sidecar = Sidecar::of(&short).await;
    let body = calls(&[call_of_pets("a"), call("b", "1")]);
    let waiting = requested_calls(&run(&sidecar, "s", &body).await);
    let late = responses(&[response(&waiting[0], &json!({"name": 7}))]);
    // Until it is late, what is answered is wrong in another way.
    let mut kind = String::new();
    for _ in 0..1000 {
        kind = problem(&run(&sidecar, "s", &late).await).1;
        if kind != "unexpected-output" {
            break;
        }
    }
    assert_eq!(kind, "call-expired");
    let ended = ended(&run(&sidecar, "s", &json!({"inputs": []})).await);
    assert_eq!(ended[0]["response"]["output"]["name"], "Rex");
    assert_eq!(ended[1]["response"]["error"]["code"], "timed_out");
    assert_eq!(run(&sidecar, "s", &json!({})).await.json(), json!({"outputs": []}));
    assert_eq!(problem(&run(&sidecar, "s", &late).await).1, "call-expired");
}

#[tokio::test]
async fn a_waiting_call_whose_tool_is_removed_ends_as_removed() {
    let sidecar = Sidecar::of(CONFIGURATION).await;
    let without = CONFIGURATION.replace("name: get_nearest_store", "name: get_other");
    let body = calls(&[call("a", "1"), json!({"id": "b", "tool": "get_battery"})]);
    let waiting = requested_calls(&run(&sidecar, "s", &body).await);
    let alone = requested_calls(&run(&sidecar, "t", &calls(&[call("a", "1")])).await);
    sidecar.reload(&without).await;
    let battery = responses(&[response(&waiting[1], &json!({"percent": 80}))]);
    let results = ended(&run(&sidecar, "s", &battery).await);
    assert_eq!(results[0]["response"]["error"]["code"], "tool_removed");
    assert_eq!(results[1]["response"]["output"], json!({"percent": 80}));
    let answered = responses(&[response(&alone[0], &json!({"name": "x"}))]);
    let results = ended(&run(&sidecar, "t", &answered).await);
    assert_eq!(results[0]["response"]["error"]["code"], "tool_removed");
    // Nobody need answer when nothing is left to wait for.
    sidecar.reload(CONFIGURATION).await;
    requested_calls(&run(&sidecar, "u", &calls(&[call("a", "1")])).await);
    sidecar.reload(&without).await;
    let next = run(&sidecar, "u", &calls(&[call_of_pets("n")])).await;
    assert_eq!(ended(&next)[0]["response"]["error"]["code"], "tool_removed");
    let second = next.json()["outputs"][1]["toolResponses"]["toolResponses"][0].clone();
    assert_eq!(second["id"], "n");
    assert_eq!(second["response"]["output"]["name"], "Rex");
}

#[tokio::test]
async fn inputs_that_need_a_model_are_refused_and_unknown_verbs_not_found() {
    let sidecar = Sidecar::of(CONFIGURATION).await;
    for input in ["text", "audio", "image", "blob", "dtmf", "event"] {
        let body = json!({"inputs": [{input: {}}]});
        let answered = run(&sidecar, "s", &body).await;
        assert_eq!(problem(&answered), (400, "needs-model".to_owned(), 0), "{input}");
        assert!(answered.text.contains("needs a model"), "{}", answered.text);
    }
    for path in ["/v1/sessions/s:walk", "/v1/projects/p/locations/l/apps/a/sessions/s:walk"] {
        assert_eq!(sidecar.post(path, &json!({})).await.status, 404, "{path}");
    }
    assert_eq!(sidecar.post("/v1/sessions/s", &json!({})).await.status, 405);
    assert_eq!(sidecar.get("/v1/sessions/s:run").await.status, 404);
    let deleted = sidecar.send("DELETE", "/v1/sessions/s", &[], "").await.status;
    assert_eq!(deleted, 404);
    requested_calls(&run(&sidecar, "s", &calls(&[call("a", "1")])).await);
    assert_eq!(sidecar.send("DELETE", "/v1/sessions/s", &[], "").await.status, 204);
    assert_eq!(run(&sidecar, "s", &json!({})).await.status, 200);
}

/// A thousand sessions wait; two programs answer each, both twice, each in an order of its own.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_answers_of_two_clients_reach_their_own_calls_once() {
    let sidecar = Arc::new(Sidecar::of(CONFIGURATION).await);
    let mut waiting = Vec::new();
    for at in 0..N {
        let body = calls(&[call("c", &at.to_string())]);
        let asked = requested_calls(&run(&sidecar, &format!("s-{at}"), &body).await);
        assert_eq!(asked[0]["args"]["zip_code"], at.to_string());
        waiting.push(asked[0].clone());
    }
    let waiting = Arc::new(waiting);
    let mut programs = Vec::new();
    for program in [0, 1] {
        let sidecar = Arc::new(sidecar.another());
        let answer = |part| answer_all(Arc::clone(&sidecar), Arc::clone(&waiting), program, part);
        programs.extend((0..PARTS).map(answer).map(tokio::spawn));
    }
    let mut taken: BTreeMap<usize, Value> = BTreeMap::new();
    for program in programs {
        for (at, told) in program.await.unwrap() {
            assert!(told["name"].as_str().unwrap().starts_with(&format!("{at} by ")), "{told}");
            assert_eq!(taken.insert(at, told), None, "answered twice: {at}");
        }
    }
    assert_eq!(taken.len(), N);
}

/// Answers a part of the calls, each twice, and says which answers were taken.
async fn answer_all(
    sidecar: Arc<Sidecar>,
    waiting: Arc<Vec<Value>>,
    program: usize,
    part: usize,
) -> Vec<(usize, Value)> {
    // A step that has no divisor in common with the number of sessions comes to all of them.
    let (step, offset) = ([389, 773][program], 131 * program);
    let mut taken = Vec::new();
    for turn in (part..2 * N).step_by(PARTS) {
        let at = (turn * step + offset) % N;
        let told = json!({"name": format!("{at} by {program}")});
        let body = responses(&[response(&waiting[at], &told)]);
        let answered = run(&sidecar, &format!("s-{at}"), &body).await;
        if answered.status == 200 {
            let output = ended(&answered)[0]["response"]["output"].clone();
            assert_eq!(output, told);
            taken.push((at, output));
        } else {
            assert_eq!(problem(&answered).1, "call-answered", "{}", answered.text);
        }
    }
    taken
}

/// The number of sessions that wait at the same time.
const N: usize = 1000;
/// The number of requests of a program that are under way at the same time.
const PARTS: usize = 4;
