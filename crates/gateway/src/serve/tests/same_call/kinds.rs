//! Approvals, handles, calls that wait for their client, and stored sessions.

use super::*;

/// The approved call is sent for the person it was asked for, or not at all: the person is asked again, or the key of the
/// call refuses it.
#[tokio::test]
async fn no_approval_is_accepted_for_a_call_of_another_customer() {
    let world = World::start(", confirm: always").await;
    let given = ["header", "claim", "stored", "stored credential", "principal"];
    for Case { path, body, given, key } in cases(&given).into_iter().filter(|it| it.path != "run") {
        let first = world.call((path, &body), given, "alice", &key).await;
        let approval = format!("/v1/approvals/{}", id_in(&first, "approval_"));
        let approve = json!({"decision": "approve"});
        let before = world.n_asked();
        let (_, headers) = world.given(given, "bob", &key).await;
        let (status, decided) = world.send("POST", &approval, &approve, &headers).await;
        assert_eq!(world.n_asked(), before, "{path} {given}: {decided}");
        assert!(!decided.contains("alice"), "{path} {given}: {decided}");
        if given == "principal" {
            assert_eq!(status, 404, "{path} {given}: {decided}");
            let (_, headers) = world.given(given, "alice", &key).await;
            let (_, decided) = world.send("POST", &approval, &approve, &headers).await;
            assert_eq!(world.n_asked(), before + 1, "it still waits: {path}: {decided}");
        } else {
            let is_other = decided.contains("approval_") || decided.contains("key_reused");
            assert!(is_other, "{path} {given}: {decided}");
        }
    }
}

/// A handle is of a principal and a session: whoever has it knows what its call answered.
#[tokio::test]
async fn no_handle_gives_a_result_to_another_subject() {
    let world = World::start("").await;
    for Case { path, body, given, key } in cases(&GIVEN) {
        let body = body.to_string().replace("pets-list", "pets-file");
        let body = body.replace("\"action\":\"list\"", "\"action\":\"file\"");
        let body = body.replace("\"function_name\":\"list\"", "\"function_name\":\"file\"");
        let body: Value = serde_json::from_str(&body).unwrap();
        let first = world.call((path, &body), given, "alice", &key).await;
        let handle = id_in(&first, "result:");
        for customer in ["alice", "bob"] {
            let (session, headers) = world.given(given, customer, &key).await;
            let id = session["id"].as_str().unwrap();
            let result = format!("/v1/results/{handle}?session={id}");
            let (status, text) = world.send("GET", &result, &json!({}), &headers).await;
            let is_stranger = customer == "bob" && ["principal", "session"].contains(&given);
            assert_eq!(
                (status == 404, status == 200),
                (is_stranger, !is_stranger),
                "{given}: {text}"
            );
            let sent = json!({"tool": "pets-send", "args": {"body": {"handle": handle}}});
            let sent = json!({"calls": [sent], "session": session, "dryRun": true});
            let (_, text) = world.send("POST", "/v1/calls", &sent, &headers).await;
            assert_eq!(text.contains("error"), is_stranger, "{path} {given}: {text}");
        }
    }
}

/// The formats of calls of a session, with the call of a function of the client and the answer to it.
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

/// A call that waits for its client is of a principal and a session; the answer that was kept under a key is of the call.
#[tokio::test]
async fn no_other_subject_sees_or_answers_a_call_that_waits_for_its_client() {
    let world = World::start("").await;
    for (at, given) in (0..2).flat_map(|at| GIVEN.map(|given| (at, given))) {
        let key = format!("{at}-{given}").replace(' ', "-");
        let run = functions("")[at].0.clone();
        let first = world.call(("run", &run), given, "alice", &key).await;
        let id = first.find("call_").map_or_else(String::new, |_| id_in(&first, "call_"));
        assert!(first.contains("ask") && !first.contains("urn:"), "{given}: {first}");
        assert_eq!(world.call(("run", &run), given, "alice", &key).await, first, "{given}");
        let repeated = world.call(("run", &run), given, "bob", &key).await;
        let is_stranger = ["principal", "session"].contains(&given);
        // In Dialogflow's form calls have no ids: bob's own looks like alice's.
        let may_look_alike = at == 1 && is_stranger;
        assert!(may_look_alike || repeated != first, "{given}: {repeated}");
        assert_eq!(repeated.contains("key-reused"), !is_stranger, "{given}: {repeated}");
        let answer = async |customer: &str| {
            let (session, headers) = world.given(given, customer, &key).await;
            let mut body = functions(&id)[at].1.clone();
            let path = format!("/v1/sessions/{}:run", session["id"].as_str().unwrap());
            body["session"] = session;
            world.send("POST", &path, &body, &headers).await
        };
        if is_stranger {
            // Bob's own call waits there.
            let bobs = answer("bob").await;
            let is_refused = bobs.0 != 200;
            assert!(at == 1 || is_refused, "{given}: {}", bobs.1);
            assert!(is_refused || !bobs.1.contains("alice"), "{given}: {}", bobs.1);
        }
        let (status, ended) = answer("alice").await;
        assert!(status == 200 && ended.contains("the client"), "{given}: {ended}");
    }
}

#[tokio::test]
async fn no_stored_session_gives_its_values_to_another_subject() {
    let world = World::start("").await;
    for Case { path, body, given, key } in cases(&["principal", "session"]) {
        let (session, alices) = world.given(given, "alice", &key).await;
        let stored = format!("/v1/sessions/{}", session["id"].as_str().unwrap());
        let values = json!({"parameters": {"customerId": "alice"}, "credentials": {"token": "canary-alice"}});
        assert_eq!(world.send("PUT", &stored, &values, &alices).await.0, 201, "{key}");
        let other = world.call((path, &body), given, "bob", &key).await;
        assert!(!other.contains("alice"), "{path} {given}: {other}");
        let asked = world.asked.lock().unwrap().join(" ");
        assert!(!asked.contains("alice"), "{path} {given}: {asked}");
        let (_, bobs) = world.given(given, "bob", &key).await;
        // Under another id there is nothing, and under the same one what is bob's own: the state of a run.
        let is_others = given == "principal";
        for method in ["GET", "DELETE"].into_iter().filter(|_| is_others && path != "run") {
            let (status, _) = world.send(method, &stored, &json!({}), &bobs).await;
            assert_eq!(status, 404, "{method} {path}");
        }
        assert_eq!(world.send("GET", &stored, &json!({}), &alices).await.0, 200, "{path}");
    }
}
