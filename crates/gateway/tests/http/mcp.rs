//! MCP by requests as they come in. What clients and the conformance suite say is the business of `tests/interop/mcp`.

use crate::prelude::*;

async fn asked(sidecar: &Sidecar, path: &str, body: &str) -> (u16, Value) {
    let answered = sidecar.mcp(path, body).await;
    (answered.status, serde_json::from_str(&answered.text).unwrap_or_default())
}

#[tokio::test]
async fn the_tools_of_one_toolset_are_served_at_its_path() {
    let sidecar = Sidecar::of_pets().await;
    let list = request("tools/list", &json!({}));
    let (status, all) = asked(&sidecar, "/mcp", &list).await;
    assert_eq!(status, 200, "{all}");
    let (_, pets) = asked(&sidecar, "/mcp/pets", &list).await;
    let names = |list: &Value| {
        let tools = list["result"]["tools"].as_array().unwrap();
        tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert!(names(&pets).iter().all(|name| name.starts_with("pets-") || name == "read_result"));
    assert!(names(&all).len() >= names(&pets).len());
    let (status, problem) = asked(&sidecar, "/mcp/nope", &list).await;
    assert_eq!((status, &problem["status"]), (404, &json!(404)), "{problem}");
}

#[tokio::test]
async fn a_trailing_slash_is_ignored_and_an_unknown_method_is_reported() {
    let sidecar = Sidecar::of_pets().await;
    let list = request("tools/list", &json!({}));
    let (status, listed) = asked(&sidecar, "/mcp/", &list).await;
    assert_eq!((status, &listed), (200, &asked(&sidecar, "/mcp", &list).await.1));
    let long = "x".repeat(4096);
    for method in ["resources/list", "prompts/get", "completion/complete", "no/such", &long] {
        let mut params = json!({});
        if method == "prompts/get" {
            params = json!({"name": "a"});
        }
        if method == "completion/complete" {
            let reference = json!({"type": "ref/prompt", "name": "a"});
            params = json!({"ref": reference, "argument": {"name": "a", "value": "b"}});
        }
        let (_, refused) = asked(&sidecar, "/mcp", &request(method, &params)).await;
        assert_eq!(refused["error"]["code"], -32601, "{refused}");
        let said = refused["error"]["message"].as_str().unwrap();
        let expected =
            format!("Method not found: {}", method.chars().take(128).collect::<String>());
        assert_eq!(said, expected);
    }
}

#[tokio::test]
async fn an_invalid_mcp_request_is_answered_with_a_json_rpc_error() {
    let sidecar = Sidecar::of_pets().await;
    let list = request("tools/list", &json!({}));
    let (json, both) = (JSON, EITHER);
    let old = ("mcp-protocol-version", "1999-01-01");
    let newer = ("mcp-protocol-version", "2025-06-18");
    for (headers, body, status, said) in [
        (vec![json, both], "[]", 400, "expected 1 to 256 messages of MCP"),
        (vec![json, both, newer], "[]", 400, "expected a message of MCP"),
        (vec![json, both], "{}", 400, "expected a message of MCP"),
        (vec![json, both, old], &list, 400, "expected one of `2024-11-05`"),
        (vec![json, ("accept", "text/html")], &list, 406, "must accept"),
        (vec![("content-type", "text/plain"), both], &list, 415, "application/json"),
    ] {
        let answered = sidecar.send("POST", "/mcp", &headers, body).await;
        assert_eq!(answered.status, status, "{body} {}", answered.text);
        assert_eq!(answered.header("content-type"), "application/json");
        let answer = answered.json();
        assert_eq!(answer["error"]["code"], -32600, "{answer}");
        assert!(answer["error"]["message"].as_str().unwrap().contains(said), "{answer}");
    }
}

#[tokio::test]
async fn a_batch_of_the_revision_with_batches_is_answered_by_a_batch() {
    let sidecar = Sidecar::of_pets().await;
    let headers = [JSON, EITHER];
    let call = |id: u64, pet: u64| json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "pets-getPet", "arguments": {"petId": pet}}});
    let told = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let mut progress = call(3, 7);
    progress["params"]["_meta"] = json!({"progressToken": "p"});
    let batch = json!([call(1, 7), told, call(2, 0), {"id": 4}, progress]).to_string();
    let answered = sidecar.send("POST", "/mcp", &headers, &batch).await;
    assert_eq!((answered.status, answered.header("content-type")), (200, "application/json"));
    let answers = answered.json();
    let ids: Vec<_> = answers.as_array().unwrap().iter().map(|one| one["id"].clone()).collect();
    assert_eq!(ids, [json!(1), json!(2), json!(4), json!(3)], "{answers}");
    let is_pet = |answer: &Value| {
        answer["result"]["content"][0]["text"].as_str().unwrap().contains("\"name\"")
    };
    assert!(is_pet(&answers[0]), "{answers}");
    assert_eq!(answers[1]["result"]["isError"], true, "{answers}");
    assert_eq!(answers[2]["error"]["code"], -32600, "{answers}");
    assert!(is_pet(&answers[3]), "{answers}");

    let answered = sidecar.send("POST", "/mcp", &headers, &json!([told]).to_string()).await;
    assert_eq!((answered.status, &*answered.text), (202, ""));
}

#[tokio::test]
async fn a_duplicate_argument_is_refused_before_anything_is_sent() {
    let sidecar = Sidecar::of_pets().await;
    let call = request("tools/call", &json!({"name": "pets-getPet", "arguments": {"petId": 7}}));
    let twice = call.replace(r#""petId":7"#, r#""petId":7,"petId":8"#);
    let (status, problem) = asked(&sidecar, "/mcp", &twice).await;
    assert_eq!(status, 400, "{problem}");
    let (status, answer) = asked(&sidecar, "/mcp", &call).await;
    assert_eq!(status, 200, "{answer}");
    assert_eq!(answer["result"]["structuredContent"]["id"], 7, "{answer}");
}

/// A call by the revision 2026-07-28 of a client with these capabilities.
async fn called(sidecar: &Sidecar, capabilities: &Value, more: &Value) -> (u16, Value) {
    let mut params = json!({"name": "pets-getPet", "arguments": {"petId": 7}});
    for (name, value) in more.as_object().unwrap() {
        params[name] = value.clone();
    }
    let answered = sidecar.ask_2026("tools/call", &params, capabilities, &[]).await;
    (answered.status, serde_json::from_str(&answered.text).unwrap_or_default())
}

fn answer(state: &Value, answer: &Value) -> Value {
    json!({"requestState": state, "inputResponses": {"approval": answer}})
}

#[tokio::test]
async fn a_call_over_mcp_that_needs_approval_requests_input_and_is_made_once() {
    let sidecar = Sidecar::of(&format!("{PETS}    confirm: always\n")).await;
    let elicits = json!({"elicitation": {}});
    let (_, asked) = called(&sidecar, &elicits, &json!({})).await;
    let result = &asked["result"];
    assert_eq!(result["resultType"], "input_required", "{asked}");
    let message = result["inputRequests"]["approval"]["params"]["message"].as_str().unwrap();
    assert!(message.contains("GET https://") && message.contains("/pets/7"), "{message}");
    assert!(message.contains("x-api-key: ****") && !message.contains("demo-key"), "{message}");
    let state = &result["requestState"];

    let yes = json!({"action": "accept", "content": {"ok": true}});
    let unclear = json!({"action": "accept", "content": {}});
    let (_, again) = called(&sidecar, &elicits, &answer(state, &unclear)).await;
    assert_eq!(again["result"]["resultType"], "input_required", "{again}");
    let tampered = json!(format!("{}-TAMPERED", state.as_str().unwrap()));
    let (_, refused) = called(&sidecar, &elicits, &answer(&tampered, &yes)).await;
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
    let mut foreign = answer(state, &yes);
    foreign["arguments"] = json!({"petId": 8});
    let (_, other) = called(&sidecar, &elicits, &foreign).await;
    assert_eq!(other["result"]["resultType"], "input_required", "another request: {other}");

    let (_, asked) = called(&sidecar, &elicits, &json!({})).await;
    let state = &asked["result"]["requestState"];
    let (_, made) = called(&sidecar, &elicits, &answer(state, &yes)).await;
    assert_eq!(made["result"]["structuredContent"]["name"], "Rex", "{made}");
    let (_, replayed) = called(&sidecar, &elicits, &answer(state, &yes)).await;
    let error = &replayed["result"]["structuredContent"]["error"];
    assert_eq!(error["code"], "outcome_unknown", "{replayed}");
}

#[tokio::test]
async fn a_declined_call_is_rejected_and_one_without_elicitation_stays_pending() {
    let sidecar = Sidecar::of(&format!("{PETS}    confirm: always\n")).await;
    let elicits = json!({"elicitation": {"form": {}}});
    let (_, asked) = called(&sidecar, &elicits, &json!({})).await;
    let state = &asked["result"]["requestState"];
    let (_, declined) =
        called(&sidecar, &elicits, &answer(state, &json!({"action": "decline"}))).await;
    assert_eq!(declined["result"]["isError"], true, "{declined}");
    assert_eq!(declined["result"]["structuredContent"]["error"]["code"], "rejected");

    for capabilities in [json!({}), json!({"elicitation": {"url": {}}})] {
        let (status, waiting) = called(&sidecar, &capabilities, &json!({})).await;
        assert_eq!((status, &waiting["result"]["isError"]), (200, &json!(true)), "{waiting}");
        let error = &waiting["result"]["structuredContent"]["error"];
        assert_eq!(error["code"], "needs_approval");
        assert_eq!(error["next"], "ask_user");
        let message = error["message"].as_str().unwrap();
        assert!(message.contains('`'), "{message}");
        let id = message.split('`').nth(1).unwrap();
        let path = format!("/v1/approvals/{id}");
        let decided = sidecar.post(&path, &json!({"decision": "approve"})).await.json();
        assert_eq!(decided["response"]["name"], "Rex", "{decided}");
    }
    let call = request("tools/call", &json!({"name": "pets-getPet", "arguments": {"petId": 7}}));
    let (_, refused) = self::asked(&sidecar, "/mcp", &call).await;
    let error = &refused["result"]["structuredContent"]["error"];
    assert_eq!(error["code"], "needs_approval", "{refused}");
}

#[tokio::test]
async fn a_call_of_a_refused_operation_gets_the_reason_by_every_entrance() {
    let sidecar = Sidecar::of("toolsets: {faulty: {openapi: ../fixtures/faulty/spec.yaml}}").await;
    for (tool, reason) in [
        ("faulty-leaveTheFolder", "`hostile-path`: expected a path without dot segments"),
        ("faulty-askAnotherProtocol", "`invalid-server`: expected a server with `http` or `https`"),
    ] {
        let said = format!(
            "the tool `{tool}` is not offered, nothing was sent: its operation is refused, {reason}"
        );
        let calls = json!({"calls": [{"tool": tool, "args": {}}]});
        let called = sidecar.post("/v1/calls", &calls).await.json();
        let error = &called["results"][0]["error"];
        assert_eq!(error["code"], "unknown_tool", "{called}");
        assert_eq!(error["next"], "give_up", "{called}");
        let params = json!({"name": tool, "arguments": {}});
        let (_, over_mcp) = asked(&sidecar, "/mcp", &request("tools/call", &params)).await;
        let shown = sidecar.get(&format!("/v1/tools/{tool}")).await;
        assert_eq!(shown.status, 404);
        for answer in [called.to_string(), over_mcp.to_string(), shown.text] {
            assert!(answer.contains(&said), "{answer}");
            assert!(!answer.contains("faulty.example") && !answer.contains(".."), "{answer}");
        }
    }
}
