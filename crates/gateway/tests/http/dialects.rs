//! Messages of models, by requests as they come in: every call is answered, in the order of the calls.

use crate::prelude::*;
use callgate_testkit::rows;

const OPENAI: &str = "/v1/dialects/openai/calls";

fn openai(calls: &[(&str, &str, &str)]) -> Value {
    let call = |(id, name, arguments): &(&str, &str, &str)| json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}});
    let calls: Vec<Value> = calls.iter().map(call).collect();
    json!({"role": "assistant", "content": null, "tool_calls": calls})
}

#[tokio::test]
async fn every_call_of_a_message_is_answered_in_the_order_of_the_calls() {
    let sidecar = Sidecar::of_pets().await;
    for mode in ["parallel", "sequential"] {
        let message = openai(&[
            ("a", "pets-getPet", r#"{"petId": 7}"#),
            ("b", "pets-getPet", r#"{"petId": 7"#),
            ("c", "pets-getPe", "{}"),
            ("d", "pets-getPet", r#"{"petId": "seven"}"#),
            ("e", "pets-getPet", r#"{"petId": 7}"#),
        ]);
        let body = json!({"message": message, "mode": mode});
        let messages = sidecar.post(OPENAI, &body).await.ok()["messages"].clone();
        let content = |at: usize| messages[at]["content"].as_str().unwrap().to_owned();
        let ids: Vec<_> = (0..5).map(|at| messages[at]["tool_call_id"].clone()).collect();
        assert_eq!(ids, ["a", "b", "c", "d", "e"]);
        assert!(content(0).contains(r#""weightKg":12.50"#), "{}", content(0));
        let code = |at: usize| {
            let content: Value = serde_json::from_str(&content(at)).unwrap();
            content["error"]["code"].clone()
        };
        assert_eq!(
            [code(1), code(2), code(3)],
            ["invalid_arguments", "unknown_tool", "invalid_arguments"]
        );
        assert!(content(2).contains("the nearest are `pets-getPet`"), "{}", content(2));
        assert_eq!(content(0), content(4));
    }
}

#[tokio::test]
async fn each_dialect_is_answered_in_its_own_format() {
    let sidecar = Sidecar::of_pets().await;
    // In `ces` and `dialogflow` tools are named by their operation, and whole numbers come as floating point ones.
    for [dialect, message, pointer] in rows(
        r#"
        openai => {"role": "assistant", "content": null, "tool_calls": [{"id": "a", "type": "function", "function": {"name": "pets-getPet", "arguments": "{\"petId\": 7}"}}]} => /0/content
        anthropic => {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "pets-getPet", "input": {"petId": 7}}]} => /0/content/0/content
        gemini => {"role": "model", "parts": [{"functionCall": {"name": "pets-getPet", "args": {"petId": 7}}}]} => /0/parts/0/functionResponse/response/output/name
        json => {"tool": "pets-getPet", "args": {"petId": 7}} => /0/response/name
        responses => [{"type": "function_call", "call_id": "a", "name": "pets-getPet", "arguments": "{\"petId\": 7}"}] => /0/output
        bedrock => {"role": "assistant", "content": [{"toolUse": {"toolUseId": "a", "name": "pets-getPet", "input": {"petId": 7}}}]} => /0/content/0/toolResult/content/0/text
        mcp => {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "pets-getPet", "arguments": {"petId": 7}}} => /0/result/content/0/text
        ces => {"toolCalls": {"toolCalls": [{"id": "a", "tool": "projects/p/locations/l/apps/a/tools/t", "displayName": "getPet", "args": {"petId": 7.0}}]}} => /0/toolResponses/toolResponses/0/response/output/name
        dialogflow => {"toolCall": {"tool": "projects/p/locations/l/agents/a/tools/t", "action": "getPet", "inputParameters": {"petId": 7.0}}} => /0/toolCallResult/outputParameters/200/name
        semantic_kernel => {"role": "assistant", "items": [{"content_type": "function_call", "id": "a", "plugin_name": "pets", "function_name": "getPet", "arguments": "{\"petId\": 7}"}]} => /0/items/0/result
        "#,
    ) {
        let message = serde_json::from_str::<Value>(message).unwrap();
        let path = format!("/v1/dialects/{dialect}/calls");
        let messages =
            sidecar.post(&path, &json!({"message": message})).await.ok()["messages"].clone();
        let told = messages.pointer(pointer).and_then(Value::as_str);
        assert!(told.is_some_and(|told| told.contains("Rex")), "{dialect}: {messages}");
    }
}

#[tokio::test]
async fn digits_of_arguments_given_as_text_are_preserved() {
    let sidecar = Sidecar::of_pets().await;
    let message = openai(&[("a", "pets-getPet", r#"{"petId": 900719925474099301}"#)]);
    let answered = sidecar.post(OPENAI, &json!({"message": message, "dryRun": true})).await;
    assert!(answered.text.contains("/pets/900719925474099301"), "{}", answered.text);
    assert!(!answered.text.contains("demo-key"));
}

#[tokio::test]
async fn a_message_without_calls_is_answered_without_messages() {
    let sidecar = Sidecar::of_pets().await;
    let message = json!({"role": "assistant", "content": "Done."});
    let answered = sidecar.post(OPENAI, &json!({"message": message})).await;
    assert_eq!((answered.status, answered.json()), (200, json!({"messages": []})));
}

#[tokio::test]
async fn a_call_of_an_unlisted_function_gets_the_list_of_functions() {
    let sidecar = Sidecar::of_pets().await;
    let message = openai(&[("a", "pets-getPet", r#"{"petId": 7}"#), ("b", "pets-listPets", "")]);
    for functions in [json!(["pets-getPet"]), json!(["pets.getPet"])] {
        let body = json!({"message": message, "functions": functions});
        let messages = sidecar.post(OPENAI, &body).await.json()["messages"].clone();
        assert!(messages[0]["content"].as_str().unwrap().contains("Rex"), "{messages}");
        let told = messages[1]["content"].as_str().unwrap();
        assert!(told.contains("call one of `pets-getPet`"), "{told}");
        assert!(told.contains("unknown_tool"), "{told}");
    }
}

#[tokio::test]
async fn a_message_runs_in_its_session() {
    let sidecar = Sidecar::of_pets().await;
    let message = openai(&[("a", "pets-listOwnedPets", "")]);
    let session = json!({"parameters": {"ownerId": "own", "storeNumber": 1}});
    let body = json!({"message": message, "session": session, "dryRun": true});
    let answered = sidecar.post(OPENAI, &body).await;
    assert!(answered.text.contains("own"), "{}", answered.text);
}

#[tokio::test]
async fn a_malformed_message_is_a_problem_with_its_position() {
    let sidecar = Sidecar::of_pets().await;
    for [body, expected] in rows(
        r#"
        [] => expected an object, got: an array
        {} => `message`: expected an object or a list, got: nothing
        {"message": "hello"} => `message`: expected an object or a list, got: a text
        {"message": {"role": "assistant"}, "functions": "a"} => `functions`: expected an array, got: a text
        {"message": {"role": "assistant"}, "functions": [7]} => `functions[0]`: expected a text, got: a number
        {"message": {"role": "assistant"}, "mode": "both"} => got: `both`
        {"message": {"role": "assistant"}, "form": 7} => `form`: expected a text, got: 7
        {"message": {"role": "assistant"}, "dryRun": "yes"} => a boolean, got: `yes`
        {"message": {"role": "assistant"}, "calls": []} => got: `calls`
        "#,
    ) {
        let body = body.parse().unwrap();
        let answered = sidecar.post(OPENAI, &body).await;
        assert_eq!(answered.status, 400, "{body}");
        let problem = answered.json();
        assert_eq!(problem["type"], "urn:callgate:problem:malformed-body");
        assert!(problem["detail"].as_str().unwrap().contains(expected), "{problem}");
    }
    for (message, expected) in [
        (json!({}), "`message`: expected the role and the `tool_calls`"),
        (json!({"role": "user"}), "`role`: expected `assistant`"),
        (json!({"role": "assistant", "tool_calls": 7}), "`tool_calls`: expected a list"),
    ] {
        let answered = sidecar.post(OPENAI, &json!({"message": message})).await;
        assert_eq!(answered.status, 422, "{message}");
        let problem = answered.json();
        assert_eq!(problem["type"], "urn:callgate:problem:foreign-message");
        assert!(problem["detail"].as_str().unwrap().contains(expected), "{problem}");
    }
    let body = json!({"message": {"role": "assistant"}});
    let absent = sidecar.post("/v1/dialects/klingon/calls", &body).await;
    assert_eq!(absent.status, 404);
    assert!(absent.text.contains("`openai`"), "{}", absent.text);
    let headers = [JSON, ("accept", "text/event-stream")];
    assert_eq!(sidecar.send("POST", OPENAI, &headers, &body.to_string()).await.status, 406);
}

#[tokio::test]
async fn each_form_of_a_dialect_declares_tools_and_reads_their_calls() {
    let sidecar = Sidecar::of_pets().await;
    let declared = sidecar.get("/v1/tools?dialect=openai&form=strict").await.json();
    assert_eq!(declared["tools"][0]["function"]["strict"], true, "{declared}");
    let declared = sidecar.get("/v1/tools?dialect=gemini&form=schema").await.json();
    assert_eq!(declared["tools"][0]["parameters"]["type"], "OBJECT", "{declared}");
    let refused = sidecar.get("/v1/tools?dialect=mcp&form=strict").await;
    assert_eq!(refused.status, 422);
    assert!(refused.text.contains("foreign-form"), "{}", refused.text);
    assert!(refused.text.contains("expected a form of `mcp`"), "{}", refused.text);
    // A model of a strict tool writes `null` for every member that is absent, and cannot mean it.
    let arguments = r#"{"name": "Rex", "species": "cat", "nickname": null, "keeper": {"name": "Kim", "email": null}}"#;
    let message = openai(&[("a", "pets-createPet", arguments)]);
    let body = |form: &str| json!({"message": (message.clone()), "form": form, "dryRun": true});
    let strict = sidecar.post(OPENAI, &body("strict")).await;
    assert!(strict.text.contains("Kim") && !strict.text.contains("null"), "{}", strict.text);
    let usual = sidecar.post(OPENAI, &body("usual")).await;
    assert!(usual.text.contains("nickname") && usual.text.contains("null"), "{}", usual.text);
    for (form, status) in [("schema", 422), ("loose", 400)] {
        let refused = sidecar.post(OPENAI, &body(form)).await;
        assert_eq!(refused.status, status, "{}", refused.text);
    }
}

#[tokio::test]
async fn with_execution_client_the_calls_of_a_message_are_pending() {
    let service = Service::start().await;
    let message = openai(&[("a", "order", "{}"), ("b", "order", "{")]);
    let body = json!({"message": message, "execution": "client"});
    let answered = service.sidecar.post(OPENAI, &body).await;
    let content =
        |at: usize| answered.json()["messages"][at]["content"].as_str().unwrap().to_owned();
    assert!(content(0).contains(r#""pending":{"kind":"client""#), "{}", content(0));
    assert!(content(1).contains("invalid_arguments"), "{}", content(1));
    assert_eq!(service.n_orders(), 0);
    let refused =
        service.sidecar.post(OPENAI, &json!({"message": message, "execution": "server"})).await;
    assert_eq!(refused.status, 400, "{}", refused.text);
}

#[tokio::test]
async fn calls_refused_before_they_run_are_in_the_audit_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("audit.jsonl");
    let configuration = format!(
        "audit: {{ file: '{}', key: 'literal:0123456789abcdef0123456789abcdef' }}\ntoolsets:\n  pets: {{ openapi: ../fixtures/pets/spec.yaml, upstream: replay, \
         auth: {{ api_key: {{ in: header, name: X-Api-Key, value: 'literal:demo-key' }} }} }}\n",
        file.display()
    );
    let sidecar = Sidecar::of(&configuration).await;
    let message = openai(&[("call_x", "pets-getPet", "{"), ("call_y", "none-such", "{}")]);
    for (functions, dry_run) in [(json!(["pets-getPet"]), true), (json!(["pets-getPet"]), false)] {
        let before = std::fs::read_to_string(&file).unwrap_or_default();
        assert!(!before.contains("call_x"), "{before}");
        let body = json!({"message": message, "functions": functions, "dryRun": dry_run});
        assert_eq!(sidecar.post(OPENAI, &body).await.status, 200);
    }
    let written = std::fs::read_to_string(&file).unwrap();
    for id in ["call_x", "call_y"] {
        assert!(written.contains(id), "no {id} in {written}");
    }
}

#[tokio::test]
async fn a_repeated_message_gets_the_first_answer() {
    let service = Service::start().await;
    let headers = [JSON, ("idempotency-key", "k")];
    let body = json!({"message": openai(&[("a", "order", ""), ("b", "order", "{}")])}).to_string();
    let first = service.sidecar.send("POST", OPENAI, &headers, &body).await;
    let again = service.sidecar.send("POST", OPENAI, &headers, &body).await;
    assert_eq!((first.status, &first.text), (200, &again.text));
    assert_eq!(service.n_orders(), 2);
    // Under the same key, another format is another request.
    let other = service.sidecar.send("POST", "/v1/dialects/json/calls", &headers, &body).await;
    assert!(other.text.contains("foreign-message"), "{}", other.text);
    let message = json!({"message": {"tool": "order"}}).to_string();
    let other = service.sidecar.send("POST", "/v1/dialects/json/calls", &headers, &message).await;
    assert_eq!(other.status, 422, "{}", other.text);
}

#[tokio::test]
async fn runtimes_that_read_the_description_may_name_arguments_as_the_service_does() {
    let sidecar = Sidecar::of_pets().await;
    let named = sidecar.get("/v1/tools/pets-listPets").await.json();
    let inputs = named["inputs"].as_array().unwrap();
    let input = inputs.iter().find(|input| input["name"] == "filter[status]").unwrap();
    assert_eq!(input["argument"], "filter_status");
    let parameters = json!({"filter[status]": "available"});
    let tool = "projects/p/locations/l/agents/a/tools/pets";
    let call =
        json!({"toolCall": {"tool": tool, "action": "listPets", "inputParameters": parameters}});
    let body = json!({"message": call, "dryRun": true});
    let answered = sidecar.post("/v1/dialects/dialogflow/calls", &body).await;
    assert!(answered.text.contains("filter%5Bstatus%5D=available"), "{}", answered.text);
    // A model that was shown our names is told of them.
    let message = openai(&[("a", "pets-listPets", &parameters.to_string())]);
    let answered = sidecar.post(OPENAI, &json!({"message": message, "dryRun": true})).await;
    assert!(answered.text.contains("filter_status"), "{}", answered.text);
}
