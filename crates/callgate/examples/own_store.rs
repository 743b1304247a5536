//! A store of secrets of one's own, which a configuration names. Answered by a recording: no network.
#![expect(clippy::print_stdout, reason = "an example shows what comes of it")]

use std::sync::Arc;

use callgate::{
    Arguments, Secret, Session, ToolCall,
    config::{Config, Environment},
    dialect,
    secret::{Error, ErrorKind, SecretReference, SecretStore},
};

/// Knows one secret: `corp:pets/key`.
#[derive(Debug)]
struct Corporate;

#[async_trait::async_trait]
impl SecretStore for Corporate {
    async fn get(&self, reference: &SecretReference) -> Result<Secret, Error> {
        match reference.to_string().as_str() {
            "corp:pets/key" => Ok(Secret::new("demo-key".to_owned())),
            _ => Err(Error::new(ErrorKind::NotFound, "there is no such secret")),
        }
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), callgate::config::Error> {
    let text = "
toolsets:
  pets:
    openapi: spec.yaml
    auth: { api_key: { in: header, name: X-Api-Key, value: 'corp:pets/key' } }
    upstream: replay
";
    let environment = Environment::new().with_store("corp", Arc::new(Corporate));
    let config = Config::from_text(text, "fixtures/pets")?;
    let executor = config.build(&environment, None).await?.executor;
    let arguments = Arguments::from_iter([("petId".to_owned(), 7.into())]);
    let call = ToolCall::new("1", "pets-getPet", arguments);
    let result = executor.call(&call, &Session::default()).await;
    println!("{}", dialect::json_result(&result));
    Ok(())
}
