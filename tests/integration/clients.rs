//! Tools that the client runs: functions of a configuration, and operations with `execution: client`. Calls are checked, wait,
//! and end with what the client answers.

use crate::prelude::*;

const FUNCTIONS: &str = "toolsets:
  clock:
    functions:
      - name: get_time
        description: The time of day
        input: {type: object, properties: {zone: {type: string}, digits: {type: integer}}, required: [zone], additionalProperties: false}
        output: {type: object, properties: {time: {type: string}}, required: [time]}
";

const DESCRIPTION: &str = include_str!("clients.yaml");

fn object(value: Value) -> Object {
    let Value::Object(object) = value else { panic!("no object: {value}") };
    object
}

fn asked(tool: &str, arguments: Value) -> ToolCall {
    ToolCall::new("1", tool, object(arguments))
}

fn pending(result: &ToolResult) -> &Pending {
    let Outcome::Pending(pending) = &result.outcome else { panic!("{result:?}") };
    pending
}

fn pets(server: &str, settings: &str) -> Built {
    let auth = "auth: { api_key: { in: header, name: X-Key, value: literal:canary-key } }";
    let text = format!("toolsets:\n  pets:\n    server: {server}\n    {auth}\n{settings}");
    let text = text.replace("    server:", "    openapi: spec.yaml\n    server:");
    configured_with(DESCRIPTION, &text).unwrap()
}

#[tokio::test]
async fn a_call_of_a_client_function_is_checked_and_pending() {
    let built = configured(FUNCTIONS).unwrap();
    let session = Session::default();
    let wrong = asked("clock-get_time", json!({"digits": "x", "zon": 1}));
    let fault = fault(built.executor.call(&wrong, &session).await.outcome);
    assert_eq!((fault.code, fault.next), (FaultCode::InvalidArguments, Next::CorrectArguments));
    let mut at: Vec<_> = fault.problems.iter().map(|problem| problem.at.as_str()).collect();
    at.sort_unstable();
    assert_eq!(at, ["digits", "zon", "zone"]);

    let call = asked("clock-get_time", json!({"zone": "UTC"}));
    let result = built.executor.call(&call, &session).await;
    let waits = pending(&result);
    assert_eq!((waits.kind, &waits.request), (PendingKind::Client, &json!({"zone": "UTC"})));
    assert!(waits.expires.is_some() && waits.id.starts_with("call_"), "{waits:?}");
    let other = built.executor.call(&call, &session).await;
    assert_ne!(pending(&other).id, waits.id);
    let Outcome::Planned(plan) = built.executor.dry_run(&call, &session).await.outcome else {
        panic!("no plan")
    };
    let told = r#"asks the client to run `clock-get_time` with {"zone":"UTC"}"#;
    assert_eq!(*plan, Preview::Text(told.to_owned()));
}

#[tokio::test]
async fn an_answer_of_the_client_is_checked_against_the_output_schema() {
    let built = configured(FUNCTIONS).unwrap();
    let (call, session) = (asked("clock-get_time", json!({"zone": "UTC"})), Session::default());
    let settle = |answer| built.executor.resume(Call::new(&call, &session), answer);
    let fault = settle(ClientAnswer::Output(json!({"time": 12}))).await.unwrap_err();
    assert_eq!((fault.code, &*fault.problems[0].at), (FaultCode::UnreadableResponse, "time"));
    let result = settle(ClientAnswer::Output(json!({"time": "12:00"}))).await.unwrap();
    assert_eq!(result.text(), Some(r#"{"time":"12:00"}"#));
    let failed = settle(ClientAnswer::Failed(json!("no clock here"))).await.unwrap();
    let Outcome::Failed(fault) = failed.outcome else { panic!("no fault") };
    assert_eq!((fault.code, fault.next), (FaultCode::ServiceError, Next::AskUser));
    assert!(fault.message.contains("no clock here"), "{fault:?}");
}

#[tokio::test]
async fn a_waiting_call_whose_tool_was_removed_ends_as_removed() {
    let built = configured(FUNCTIONS).unwrap();
    let (call, session) = (asked("clock-get_date", json!({})), Session::default());
    let settled = built.executor.resume(Call::new(&call, &session), ClientAnswer::Output(json!(1)));
    let Outcome::Failed(fault) = settled.await.unwrap().outcome else { panic!("no fault") };
    assert_eq!((fault.code, fault.next), (FaultCode::ToolRemoved, Next::GiveUp));
}

#[tokio::test]
async fn the_client_gets_filled_arguments_and_no_credential() {
    let server = Server::start().await;
    let built = pets(&server.url(""), "    execution: client\n");
    let session = Session::new("s-1").with_parameters(object(json!({"tenant": "acme"})));
    let arguments = json!({"petId": "7", "tenant": "other", "name": "Rex"});
    let result = built.executor.call(&asked("pets-putPet", arguments), &session).await;
    let expected = json!({
        "petId": 7, "verbose": false, "X_SESSION": "s-1", "tenant": "acme", "name": "Rex",
    });
    assert_eq!(pending(&result).request, expected);
    assert!(!format!("{result:?}").contains("canary"), "{result:?}");
    let wrong = built.executor.call(&asked("pets-putPet", json!({"petId": "x"})), &session).await;
    let Outcome::Failed(fault) = wrong.outcome else { panic!("no fault") };
    let at: Vec<_> = fault.problems.iter().map(|problem| problem.at.as_str()).collect();
    assert_eq!(at, ["name", "petId"]);
    assert_eq!(server.count("/pets/7"), 0);
}

#[tokio::test]
async fn session_values_of_credentials_are_not_sent_to_the_client() {
    let built = configured_with(
        DESCRIPTION,
        "toolsets:
  pets:
    openapi: spec.yaml
    server: http://127.0.0.1:9
    execution: client
    auth: {bearer: {token: $session.params.tenant}}
",
    );
    let session = Session::new("s-1")
        .with_parameters(object(json!({"tenant": "canary-token"})))
        .with_credential("x", Secret::new("canary-other".to_owned()));
    let call = asked("pets-putPet", json!({"petId": 7, "name": "Rex"}));
    let result = built.unwrap().executor.call(&call, &session).await;
    assert_eq!(pending(&result).request["tenant"], json!("****"));
    assert!(!format!("{:?}", result.outcome).contains("canary"), "{result:?}");
}

#[tokio::test]
async fn an_answer_of_the_client_is_shaped_like_one_of_a_service() {
    let settings = "    execution: {tools: {listPets: client}}
    output: {select: [items.id]}
    limits: {response_bytes: 4KiB}
";
    let server = Server::start().await;
    let built = pets(&server.url(""), settings);
    let session = Session::default();
    let call = asked("pets-listPets", json!({}));
    let result = built.executor.call(&call, &session).await;
    assert_eq!(pending(&result).request, json!({}));
    let settle = |answer: Value| {
        built.executor.resume(Call::new(&call, &session), ClientAnswer::Output(answer))
    };
    let answer = json!({"items": [{"id": 7, "name": "Rex"}], "more": true});
    let settled = settle(answer).await.unwrap();
    assert_eq!(settled.text(), Some(r#"{"items":[{"id":7}]}"#));
    let Outcome::Answered(answer) = &settled.outcome else { panic!("{settled:?}") };
    assert_eq!(answer.status, None);
    let settled = settle(json!({"items": "x".repeat(5000)})).await.unwrap();
    let Outcome::Failed(fault) = settled.outcome else { panic!("no fault") };
    assert_eq!(fault.code, FaultCode::ResponseTooLarge);

    let other = asked("pets-putPet", json!({"petId": 7, "name": "Rex"}));
    let session = Session::new("s-1");
    let asked = Call::new(&other, &session).run_by_client();
    assert_eq!(pending(&built.executor.call_with(asked).await).request["petId"], json!(7));
    assert_eq!(server.count("/pets/7"), 0);
    let result = built.executor.call(&other, &session).await;
    assert!(
        matches!(&result.outcome, Outcome::Answered(answer) if matches!(answer.content, Content::Json(_))),
        "{result:?}"
    );
    assert_eq!(server.count("/pets/7"), 1);
}

#[test]
fn faults_of_functions_are_reported_with_their_position() {
    #[track_caller]
    fn check(settings: &str, pointer: &str, code: &str) {
        let text = format!("toolsets:\n  a:\n    {settings}\n");
        let error = configured(&text).unwrap_err();
        let found = error.findings().iter().find(|found| found.severity == Severity::Error);
        let found = found.unwrap();
        assert_eq!((found.pointer.as_str(), found.code), (pointer, code), "{error}");
    }
    let at = "/toolsets/a/functions";
    check("functions: {}", at, "wrong-value");
    check("functions: [{description: x}]", &format!("{at}/0"), "missing-key");
    check("functions: [{name: x, input: 1}]", &format!("{at}/0/input"), "wrong-value");
    check("functions: [{name: x, input: {type: array}}]", &format!("{at}/0/input"), "wrong-value");
    check("functions: [{name: 'a b'}]", &format!("{at}/0/name"), "tool-name");
    check("functions: [{name: x}, {name: x}]", &format!("{at}/1"), "duplicate-tool");
    check("{execution: both, functions: [{name: x}]}", "/toolsets/a/execution", "wrong-value");
}

/// One tool of each export, as its product writes it.
#[tokio::test]
async fn function_tools_of_exports_are_functions() {
    let cx = json!({
        "displayName": "get-weather-tool",
        "description": "The weather",
        "functionSpec": {
            "inputSchema": {
                "type": "object",
                "properties": {"location": {"type": "string", "description": "The city and state, for example, San Francisco, CA"}},
                "required": ["location"],
            },
            "outputSchema": {
                "type": "object",
                "properties": {"temperature": {"type": "number", "description": "The temperature"}},
            },
        },
    });
    let ces = json!({
        "displayName": "get_nearest_store",
        "executionType": "SYNCHRONOUS",
        "clientFunction": {
            "name": "get_nearest_store",
            "description": "The nearest store",
            "parameters": {"type": "OBJECT", "properties": {"zip_code": {"type": "STRING"}}, "required": ["zip_code"]},
            "response": {"type": "OBJECT", "properties": {"name": {"type": "STRING"}, "address": {"type": "STRING"}}},
        },
    });
    let tools = [cx, ces].map(|tool| tool.to_string());
    let folder = temporary_folder(&[("weather.json", &tools[0]), ("store.json", &tools[1])]);
    let toolsets =
        json!({"w": {"dialogflow_tool": "weather.json"}, "s": {"ces_toolset": "store.json"}});
    let file = folder.path().join("callgate.json");
    fs::write(&file, json!({"toolsets": toolsets}).to_string()).unwrap();
    let built = build(&loader().file(&file).unwrap()).unwrap();
    assert_eq!(built.warnings, []);
    let session = Session::default();
    for (tool, argument, value, answer) in [
        ("w-get-weather-tool", "location", "Mountain View", json!({"temperature": 28.0})),
        (
            "s-get_nearest_store",
            "zip_code",
            "92031",
            json!({"name": "Alibaba", "address": "43 Alpha Road"}),
        ),
    ] {
        let mut arguments = Object::new();
        arguments.insert(argument, Value::from(value));
        let call = ToolCall::new("1", tool, arguments.clone());
        let result = built.executor.call(&call, &session).await;
        assert_eq!(pending(&result).request, Value::Object(arguments));
        let answered = ClientAnswer::Output(answer.clone());
        let settled = built.executor.resume(Call::new(&call, &session), answered).await.unwrap();
        assert_eq!(settled.text(), Some(&*answer.to_string()));
        let empty = built.executor.call(&asked(tool, json!({})), &session).await;
        assert!(empty.is_failed(), "{empty:?}");
    }
}
