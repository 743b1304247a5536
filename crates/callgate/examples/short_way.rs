//! One description with everything of one's own: a store, settings, a function and middleware.
#![expect(clippy::print_stdout, reason = "an example shows what comes of it")]

use callgate::{
    Arguments, Call, Middleware, Secret, Session, ToolCall,
    auth::{AuthConfig, CredentialSource},
    config::ToolEdit,
    dialect, json,
    middleware::Ended,
    policy::Confirm,
    secret::{Error, ErrorKind, SecretReference, SecretStore},
};

/// Knows one secret: `corp:pets/token`.
#[derive(Debug)]
struct Corporate;

#[async_trait::async_trait]
impl SecretStore for Corporate {
    async fn get(&self, reference: &SecretReference) -> Result<Secret, Error> {
        match reference.to_string().as_str() {
            "corp:pets/token" => Ok(Secret::new("canary".to_owned())),
            _ => Err(Error::new(ErrorKind::NotFound, "there is no such secret")),
        }
    }
}

/// Says how each call ended.
#[derive(Debug)]
struct Endings;

#[async_trait::async_trait]
impl Middleware for Endings {
    async fn after(&self, _: &Call<'_>, ended: &Ended<'_>) {
        println!("a call ended: {}", ended.ending.as_str());
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let token = CredentialSource::Secret(SecretReference::own("corp", "pets/token")?);
    let edit = ToolEdit { name: Some("removePet".to_owned()), ..ToolEdit::default() };

    let executor = callgate::openapi(std::fs::read("fixtures/pets/spec.yaml")?)
        .server("https://api.example.com/v1")
        .store("corp", Corporate)
        .auth(AuthConfig::Bearer { token })
        .toolset(|pets| pets.with_tool_edit("deletePet", edit).with_confirm(Confirm::Destructive))
        .function("clock", "today", json!({"type": "object"}), |_| async { json!("Monday") })
        .middleware(Endings)
        .build()
        .await?;

    // The function answers, the deletion waits for a person: nothing is sent.
    for (tool, arguments) in [("clock-today", json!({})), ("removePet", json!({"petId": 7}))] {
        let arguments: Arguments = arguments.as_object().cloned().unwrap_or_default();
        let call = ToolCall::new("1", tool, arguments);
        let result = executor.call(&call, &Session::new("session-1")).await;
        println!("{}", dialect::json_result(&result));
    }
    Ok(())
}
