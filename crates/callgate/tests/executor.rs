//! What an executor is made of, and what it says where it cannot work.

#![cfg(test)]

use std::{
    pin::pin,
    sync::Arc,
    task::{Context, Poll, Waker},
    time::Duration,
};

use callgate::{
    Arguments, Call, Content, ErrorKind, Executor, FaultCode, Next, Outcome, Preview, Principal,
    Reached, Session, ToolCall, auth::AuthConfig, openapi::Limits, secret::LocalStores,
    transport::Refuse,
};
use callgate_auth::AuthContext;
use callgate_executor::{Callable, Toolset};
use callgate_openapi::{Document, LoadOptions, load};
use callgate_tool::json;
use tokio::time::Instant;

const DESCRIPTION: &str = r#"
openapi: 3.0.3
info: { title: Pets, version: "1" }
servers: [{ url: "https://api.example.com" }]
paths:
  /pets/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
    get: { operationId: getPet, responses: { 200: { description: ok } } }
    delete: { operationId: deletePet, responses: { 200: { description: ok } } }
"#;

/// The operations of a description, whose requests go nowhere.
fn toolset(description: &str) -> Toolset {
    let document = Document::read(description.as_bytes(), &Limits::default()).unwrap().value;
    let operations = load(&document, &LoadOptions::default()).operations;
    let context = AuthContext::new(Arc::new(LocalStores::new(".")), Arc::new(Refuse::new()));
    let authenticator = AuthConfig::None.build(&context).unwrap();
    let callable = |operation| Callable { operation, authenticator: Arc::clone(&authenticator) };
    Toolset {
        name: String::new(),
        operations: operations.into_iter().map(callable).collect(),
        refused: Vec::new(),
        transport: Arc::new(Refuse::new()),
        call: callgate_executor::CallSettings::default(),
        session_values: callgate_executor::SessionValues::default(),
        secret_arguments: Vec::new(),
        tool_shapes: std::collections::BTreeMap::new(),
        client: callgate_executor::ClientSide::default(),
    }
}

#[test]
fn each_entry_of_an_executor_has_a_tool_and_its_operation() {
    let executor = Executor::builder().toolset(toolset(DESCRIPTION)).build().unwrap();
    let rows: Vec<_> = executor
        .entries()
        .map(|entry| {
            let (declared, operation) = (entry.declaration().unwrap(), entry.operation().unwrap());
            assert_eq!(declared.name, *entry.name());
            (entry.name().as_str(), operation.method.as_str())
        })
        .collect();
    assert_eq!(rows, [("getPet", "GET"), ("deletePet", "DELETE")]);
    assert_eq!(executor.find("get_pet").unwrap().name().as_str(), "getPet");
    assert!(executor.find("nope").is_none());
}

#[test]
fn two_tools_of_one_name_are_refused_with_both() {
    let other = DESCRIPTION.replace("/pets/{id}", "/cats/{id}");
    let builder = Executor::builder().toolset(toolset(DESCRIPTION)).toolset(toolset(&other));
    let error = builder.build().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::DuplicateTool);
    assert_eq!(
        error.to_string(),
        "two tools are named `getPet`: `GET /pets/{id}` and `GET /cats/{id}`"
    );
}

#[test]
fn a_call_outside_a_runtime_ends_with_a_fault() {
    let executor = Executor::builder().toolset(toolset(DESCRIPTION)).build().unwrap();
    let arguments = Arguments::from_iter([("id".to_owned(), "7".into())]);
    let (call, session) = (ToolCall::new("1", "getPet", arguments), Session::default());
    let ended = pin!(executor.call(&call, &session)).poll(&mut Context::from_waker(Waker::noop()));
    let Poll::Ready(result) = ended else { panic!("the call waits") };
    let Outcome::Failed(fault) = result.outcome else { panic!("{result:?}") };
    assert_eq!((fault.code, fault.reached), (FaultCode::NotSupported, Reached::No));
    assert!(fault.message.contains("Tokio runtime"), "{fault:?}");
}

fn clock() -> Executor {
    let schema = json!({
        "type": "object",
        "description": "The time in a zone",
        "properties": {"zone": {"type": "string"}},
        "required": ["zone"],
    });
    let executor = Executor::builder().function("clock", "get_time", schema, |call| async move {
        let principal = call.principal().map(|principal| principal.id().to_owned());
        json!({"zone": call.arguments()["zone"], "for": principal})
    });
    executor.build().unwrap()
}

#[tokio::test]
async fn a_function_is_called_with_arguments_that_fit_its_schema() {
    let (executor, session) = (clock(), Session::default());
    let declared = executor.find("clock-get_time").unwrap().declaration().unwrap();
    assert_eq!(declared.description, "The time in a zone");

    let zone = Arguments::from_iter([("zone".to_owned(), "UTC".into())]);
    let asked = ToolCall::new("1", "clock-get_time", zone);
    let call = Call::new(&asked, &session).with_principal(Principal::new("kim"));
    let Outcome::Answered(answer) = executor.call_with(call).await.outcome else {
        panic!("no answer")
    };
    assert_eq!(answer.content, Content::Json(json!({"zone": "UTC", "for": "kim"}).into()));
    assert_eq!(answer.status, None);
    let Outcome::Planned(preview) = executor.dry_run(&asked, &session).await.outcome else {
        panic!("not planned")
    };
    let expected = r#"calls `clock-get_time` with {"zone":"UTC"}"#;
    assert_eq!(*preview, Preview::Text(expected.to_owned()));

    let wrong = ToolCall::new("1", "clock-get_time", Arguments::new());
    for result in [executor.call(&wrong, &session).await, executor.dry_run(&wrong, &session).await]
    {
        let Outcome::Failed(fault) = result.outcome else { panic!("{result:?}") };
        assert_eq!((fault.code, fault.next), (FaultCode::InvalidArguments, Next::CorrectArguments));
        assert_eq!(fault.problems[0].at, "zone");
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_ends_at_its_callers_deadline() {
    let executor = Executor::builder().function("", "slow", json!({"type": "object"}), |_| async {
        std::future::pending::<()>().await;
        json!(null)
    });
    let executor = executor.build().unwrap();
    let (asked, session) = (ToolCall::new("1", "slow", Arguments::new()), Session::default());
    let started = Instant::now();
    let call = Call::new(&asked, &session).with_deadline(started + Duration::from_secs(2));
    let Outcome::Failed(fault) = executor.call_with(call).await.outcome else { panic!("no fault") };
    assert_eq!(fault.code, FaultCode::TimedOut);
    assert_eq!(started.elapsed().as_secs(), 2);
}

#[test]
fn an_invalid_function_is_reported_when_the_executor_is_built() {
    let rows = [
        ("clock", "get-time it", json!({"type": "object"}), ErrorKind::IllegalName),
        ("my-clock", "get_time", json!({"type": "object"}), ErrorKind::IllegalName),
        ("clock", "get_time", json!({"type": "string"}), ErrorKind::InvalidSchema),
        ("clock", "get_time", json!(true), ErrorKind::InvalidSchema),
    ];
    for (toolset, name, schema, kind) in rows {
        let builder = Executor::builder().function(toolset, name, schema, |_| async { json!(1) });
        assert_eq!(builder.build().unwrap_err().kind(), kind, "{toolset} {name}");
    }
}
