//! Approvals, handles and stored sessions.

use super::*;

/// The approved call is sent for the person it was asked for, or not at all: the person is asked again, or the key of the
/// call refuses it.
#[tokio::test]
async fn no_approval_is_accepted_for_a_call_of_another_customer() {
    let world = World::start(", confirm: always").await;
    let given = ["header", "claim", "stored", "stored credential", "principal"];
    for Case { path, body, given, key } in
        cases(&given).into_iter().filter(|it| it.path != "further")
    {
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
        let is_others = given == "principal";
        for method in ["GET", "DELETE"].into_iter().filter(|_| is_others) {
            let (status, _) = world.send(method, &stored, &json!({}), &bobs).await;
            assert_eq!(status, 404, "{method} {path}");
        }
        assert_eq!(world.send("GET", &stored, &json!({}), &alices).await.0, 200, "{path}");
    }
}
