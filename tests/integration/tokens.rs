//! Tokens of an authorization server on calls: asked for once, renewed in time, replaced when they are refused, and
//! never another's. Configurations, sockets and servers are real.

mod callers;
mod described;
mod endpoint;
mod exchange;
mod kinds;
mod logins;
mod refusals;

use crate::prelude::*;

/// An executor of the pets service at the provider's address, with these credentials.
fn built(provider: &Provider, auth: &Value) -> Result<Built, config::Error> {
    let description = crate::root().join("fixtures/pets/spec.yaml");
    let configuration = json!({"toolsets": {"pets": {
        "openapi": description.to_str().unwrap(),
        "prefix": "",
        "server": provider.url("/v1"),
        "auth": auth,
    }}});
    configured(&configuration.to_string())
}

fn executor(provider: &Provider, auth: &Value) -> Executor {
    built(provider, auth).unwrap().executor
}

/// Client credentials at the provider's token endpoint.
fn client(provider: &Provider) -> Value {
    json!({"oauth2_client_credentials": {
        "token_url": provider.url("/token"),
        "client_id": "me",
        "client_secret": "literal:canary-secret",
    }})
}

async fn call(executor: &Executor, session: &Session) -> ToolResult {
    let arguments = json!({"petId": 7}).as_object().cloned().unwrap();
    executor.call(&ToolCall::new("1", "getPet", arguments), session).await
}

async fn calls(executor: &Executor, count: usize) -> Vec<ToolResult> {
    let session = Session::default();
    join_all((0..count).map(|_| call(executor, &session))).await
}

#[track_caller]
fn is_answered(result: &ToolResult) {
    assert!(matches!(result.outcome, Outcome::Answered(_)), "{result:?}");
    assert!(!format!("{result:?}").contains("canary"), "{result:?}");
}

#[track_caller]
fn fault(result: ToolResult) -> Box<Fault> {
    assert!(!format!("{result:?}").contains("canary"), "{result:?}");
    let Outcome::Failed(fault) = result.outcome else { panic!("{result:?}") };
    fault
}

fn session(id: &str, token: &str) -> Session {
    let token = json!({ "token": token }).as_object().cloned().unwrap();
    let context = json!({"variables": token}).as_object().cloned().unwrap();
    Session::new(id).with_parameters(token).with_context(context)
}

async fn provider_with(
    behaviour: impl Fn(&Provider) -> Response + Send + 'static,
) -> Arc<Provider> {
    let provider = Provider::start().await;
    provider.behave(move |provider, _| behaviour(provider));
    provider
}
