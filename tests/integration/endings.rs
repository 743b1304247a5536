//! Endings that no recording can show: the service is silent or not there, or a secret is not. Calls go over TCP on loopback, through
//! an executor that was built from a configuration. What a recording can show is in `fixtures/`.

use crate::prelude::*;
use std::net::TcpListener;

/// Long enough to connect on a busy machine, short enough to wait for.
const TIMEOUT: &str = "300ms";

fn executor(service: SocketAddr) -> Executor {
    executor_with(service, &json!("none"))
}

fn executor_with(service: SocketAddr, auth: &Value) -> Executor {
    let description = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/pets/spec.yaml");
    let configuration = json!({"toolsets": {"pets": {
        "openapi": description.to_str().unwrap(),
        "server": format!("http://{service}/v1"),
        "limits": {"timeout": TIMEOUT},
        "auth": auth,
    }}});
    configured(&configuration.to_string()).unwrap().executor
}

async fn failure(executor: &Executor, tool: &str, arguments: Value) -> Fault {
    let arguments: Arguments = arguments.as_object().cloned().unwrap();
    let call = ToolCall::new("1", tool, arguments);
    match executor.call(&call, &Session::new("s-1")).await.outcome {
        Outcome::Failed(fault) => *fault,
        other => panic!("a failure, got: {other:?}"),
    }
}

#[tokio::test]
async fn a_service_that_never_answers_is_timed_out() {
    // The system accepts the connection; nobody reads from it.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let executor = executor(silent.local_addr().unwrap());
    let read = failure(&executor, "pets-getPet", json!({"petId": 7})).await;
    assert_eq!((read.code, read.reached), (FaultCode::TimedOut, Reached::Maybe));
    let write = json!({"name": "Rex", "species": "dog"});
    let write = failure(&executor, "pets-createPet", write).await;
    assert_eq!((write.code, write.reached), (FaultCode::TimedOut, Reached::Maybe));
    assert_eq!(
        executor.find("pets-createPet").and_then(Entry::declaration).unwrap().effect,
        Effect::Write
    );
    assert_ne!(write.next, read.next, "a write that may have happened is not tried again");
}

#[tokio::test]
async fn an_unreachable_service_ends_the_call_as_unreachable() {
    let gone = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let fault = failure(&executor(gone), "pets-getPet", json!({"petId": 7})).await;
    assert_eq!((fault.code, fault.reached), (FaultCode::Unreachable, Reached::No));
    assert!(!fault.message.contains("127.0.0.1"), "{}", fault.message);
}

#[tokio::test]
async fn a_missing_secret_fails_the_call() {
    let service = TcpListener::bind("127.0.0.1:0").unwrap();
    service.set_nonblocking(true).unwrap();
    let auth = json!({"bearer": {"token": "file:no-such-token"}});
    let executor = executor_with(service.local_addr().unwrap(), &auth);
    let fault = failure(&executor, "pets-getPet", json!({"petId": 7})).await;
    assert_eq!((fault.code, fault.reached), (FaultCode::AuthFailed, Reached::No));
    assert!(service.accept().is_err(), "nobody was called");
}
