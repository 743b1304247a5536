//! Tools of a program that ask their callers over MCP for values.

use crate::prelude::*;
use callgate_executor::{AnswersSignIns, Call, Function};
use callgate_mcp::{Attachment, Client, Question, Reply};
use callgate_tool::{Fault, json as value};

const NOTHING: &str = "toolsets: {pets: {openapi: ../fixtures/pets/spec.yaml, upstream: replay}}";

/// A sidecar with a tool that asks twice, which a person has to approve where `confirm` says so.
async fn sidecar() -> Sidecar {
    let schema = value!({"type": "object", "properties": {"n": {"type": "integer"}}});
    let tool = Function::new("desk", "book", schema, booked).unwrap();
    Sidecar::with(NOTHING, &Environment::new().with_tool(tool)).await
}

async fn booked(call: Call<'static>) -> Result<callgate_tool::Value, Box<Fault>> {
    let mut given = value!({});
    let client = Client::from_call(&call);
    for name in ["name", "seat"] {
        let schema = value!({"type": "object", "properties": {(name): {"type": "string"}}, "required": [name]});
        let question = Question::of_person(name, "Which?", schema);
        let Reply::Given(values) = client.ask(&question).await? else {
            return Ok(value!("not booked"));
        };
        given[name] = values[name].clone();
    }
    client.attach(Attachment::resource("desk://ticket", "text/plain", "a ticket"));
    Ok(given)
}

/// A call by the revision 2026-07-28.
async fn called(sidecar: &Sidecar, more: &Value) -> Value {
    called_by(sidecar, &json!({"elicitation": {}}), more).await.1
}

async fn called_by(sidecar: &Sidecar, capabilities: &Value, more: &Value) -> (u16, Value) {
    let mut params = json!({"name": "desk-book", "arguments": {"n": 1}});
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": capabilities,
    });
    for (name, value) in more.as_object().unwrap() {
        params[name] = value.clone();
    }
    let headers = [
        JSON,
        ("accept", "application/json, text/event-stream"),
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", "tools/call"),
        ("mcp-name", "desk-book"),
    ];
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    let answered = sidecar.send("POST", "/mcp", &headers, &body.to_string()).await;
    (answered.status, answered.json())
}

fn answered(asked: &Value, name: &str, values: &Value) -> Value {
    let state = &asked["result"]["requestState"];
    let answer = json!({"action": "accept", "content": values});
    json!({"requestState": state, "inputResponses": {(name): answer}})
}

#[tokio::test]
async fn values_are_collected_in_rounds_and_each_state_is_accepted_once() {
    let sidecar = sidecar().await;
    let first = called(&sidecar, &json!({})).await;
    assert_eq!(first["result"]["resultType"], "input_required", "{first}");
    let asked = |round: &Value| {
        round["result"]["inputRequests"].as_object().unwrap().keys().next().unwrap().clone()
    };
    assert_eq!(asked(&first), "name");
    let named = answered(&first, "name", &json!({"name": "Kim"}));
    let second = called(&sidecar, &named).await;
    assert_eq!(asked(&second), "seat", "{second}");
    assert_ne!(second["result"]["requestState"], first["result"]["requestState"]);
    let replayed = called(&sidecar, &named).await;
    assert_eq!(replayed["error"]["code"], -32602, "{replayed}");
    let last = called(&sidecar, &answered(&second, "seat", &json!({"seat": "4C"}))).await;
    assert_eq!(last["result"]["structuredContent"], json!({"name": "Kim", "seat": "4C"}), "{last}");
    let content = last["result"]["content"].as_array().unwrap();
    assert_eq!(content.last().unwrap()["resource"]["text"], "a ticket", "{last}");
}

#[tokio::test]
async fn a_state_is_accepted_only_unchanged_and_with_its_arguments() {
    let sidecar = sidecar().await;
    let yes = json!({"name": "Kim"});
    let mut foreign = answered(&called(&sidecar, &json!({})).await, "name", &yes);
    foreign["arguments"] = json!({"n": 2});
    let mut tampered = answered(&called(&sidecar, &json!({})).await, "name", &yes);
    tampered["requestState"] = json!(format!("{}A", tampered["requestState"].as_str().unwrap()));
    for wrong in [foreign, tampered] {
        let refused = called(&sidecar, &wrong).await;
        assert_eq!(refused["error"]["code"], -32602, "{refused}");
    }
}

#[tokio::test]
async fn an_invalid_answer_is_requested_again_and_a_person_may_decline() {
    let sidecar = sidecar().await;
    let first = called(&sidecar, &json!({})).await;
    let again = called(&sidecar, &answered(&first, "name", &json!({"name": 7}))).await;
    assert_eq!(again["result"]["resultType"], "input_required", "{again}");
    let mut declined = answered(&again, "name", &json!({}));
    declined["inputResponses"]["name"] = json!({"action": "decline"});
    let ended = called(&sidecar, &declined).await;
    assert_eq!(ended["result"]["structuredContent"]["result"], "not booked", "{ended}");
}

#[tokio::test]
async fn a_tool_that_elicits_is_refused_without_a_client_that_can_ask() {
    let sidecar = sidecar().await;
    let (status, refused) = called_by(&sidecar, &json!({}), &json!({})).await;
    assert_eq!((status, &refused["error"]["code"]), (400, &json!(-32021)), "{refused}");
    let call = json!({"calls": [{"tool": "desk-book", "args": {"n": 1}}]});
    let called = sidecar.post("/v1/calls", &call).await.json();
    let error = &called["results"][0]["error"];
    assert_eq!((&error["code"], &error["next"]), (&json!("needs_values"), &json!("ask_user")));
}

#[tokio::test]
async fn arguments_that_a_tool_of_a_program_does_not_declare_are_refused() {
    let sidecar = sidecar().await;
    let answer = called(&sidecar, &json!({"arguments": {"n": "x"}})).await;
    let result = &answer["result"];
    assert_eq!(result["isError"], true, "{answer}");
    assert!(result.to_string().contains("invalid_arguments"), "{answer}");
}

#[tokio::test]
async fn a_call_waits_for_a_sign_in_where_its_answer_may_come_with_another_credential() {
    let mark = |call: Call<'static>| {
        let is_marked = call.extensions().get::<AnswersSignIns>().is_some();
        async move { value!(is_marked) }
    };
    let tool = Function::new("desk", "mark", value!({"type": "object"}), mark).unwrap();
    let environment = Environment::new().with_tool(tool);
    let sidecar = Sidecar::with(NOTHING, &environment).await;
    let params = json!({"name": "desk-mark", "arguments": {}});
    for (capabilities, expected) in [(json!({"elicitation": {}}), true), (json!({}), false)] {
        let answer = sidecar.ask_2026("tools/call", &params, &capabilities, &[]).await.json();
        assert_eq!(answer["result"]["structuredContent"]["result"], expected, "{answer}");
    }
    let answer = sidecar.ask("tools/call", params).await;
    assert_eq!(answer["result"]["structuredContent"]["result"], false, "{answer}");
    for (session, expected) in [
        (json!({"parameters": {"lang": "en"}}), true),
        (json!({"credentials": {}}), true),
        (json!({"credentials": {"me": "token-of-kim"}}), false),
    ] {
        let call = json!({"calls": [{"tool": "desk-mark"}], "session": session});
        let answer = sidecar.post("/v1/calls", &call).await.json();
        assert_eq!(answer["results"][0]["response"], expected, "{answer}");
    }
}
