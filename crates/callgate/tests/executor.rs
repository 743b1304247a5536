//! What an executor is made of, and what it says where it cannot work.

#![cfg(test)]

use std::{
    pin::pin,
    sync::Arc,
    task::{Context, Poll, Waker},
};

use callgate::{
    Arguments, Callable, ErrorKind, Executor, FaultCode, Outcome, Reached, Session, ToolCall,
    Toolset,
    auth::{AuthConfig, Supplies},
    openapi::{Document, Limits, LoadOptions, load},
    secret::LocalStores,
    transport::Refuse,
};

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
    let supplies = Supplies::new(Arc::new(LocalStores::new(".")), Arc::new(Refuse::new()));
    let authenticator = AuthConfig::None.build(&supplies).unwrap();
    let callable = |operation| Callable { operation, authenticator: Arc::clone(&authenticator) };
    Toolset {
        operations: operations.into_iter().map(callable).collect(),
        transport: Arc::new(Refuse::new()),
        limits: callgate::transport::Limits::default(),
        redirects: callgate::Redirects::None,
        session_values: callgate::SessionValues::default(),
        shape: callgate::Shape::default(),
        tool_shapes: std::collections::BTreeMap::new(),
    }
}

#[test]
fn an_entry_is_a_tool_and_its_operation() {
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
