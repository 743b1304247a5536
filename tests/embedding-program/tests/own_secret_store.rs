//! A store of secrets of one's own, whose secrets the text of a configuration names.

use std::sync::Arc;

use callgate::{
    Outcome, Secret, Session, ToolCall,
    config::{Config, Environment},
    secret::{Error, ErrorKind, SecretReference, SecretStore},
};

/// Holds one secret under `corp:pets/token`.
#[derive(Debug)]
struct Corporate;

#[async_trait::async_trait]
impl SecretStore for Corporate {
    async fn get(&self, reference: &SecretReference) -> Result<Secret, Error> {
        match reference.to_string().as_str() {
            "corp:pets/token" => Ok(Secret::new("canary-token".to_owned())),
            _ => Err(Error::new(ErrorKind::NotFound, "there is no such secret")),
        }
    }
}

fn text(server: &str, token: &str) -> String {
    let description = callgate_embed::description();
    let description = description.display();
    format!(
        "toolsets:\n  pets: {{openapi: '{description}', server: '{server}', auth: {{bearer: {{token: '{token}'}}}}}}\n"
    )
}

#[tokio::test]
async fn a_configuration_names_a_secret_of_the_programs_own_store() {
    let server = callgate_embed::service().await;
    let config = Config::from_text(text(&server, "corp:pets/token"), "").unwrap();
    let environment = Environment::new().with_store("corp", Arc::new(Corporate));
    let executor = config.build(&environment, None).await.unwrap().executor;
    let arguments = serde_json::from_str(r#"{"id": 7}"#).unwrap();
    let call = ToolCall::new("1", "pets-getPet", arguments);
    let result = executor.call(&call, &Session::default()).await;
    assert!(matches!(result.outcome, Outcome::Answered(_)), "{result:?}");
}

/// It may be a secret that was pasted, so nothing of it is shown.
#[tokio::test]
async fn a_reference_without_a_store_is_refused_at_its_position_and_not_shown() {
    let config = Config::from_text(text("https://a.example", "canary:canary"), "").unwrap();
    assert!(!format!("{config:?}").contains("canary:canary"));
    let error = config.build(&Environment::new(), None).await.unwrap_err();
    let [finding] = error.findings() else { panic!("{error}") };
    assert_eq!(finding.pointer, "/toolsets/pets/auth/bearer/token");
    assert_eq!(finding.position.map(|position| position.line), Some(2));
    assert!(!error.to_string().contains("canary"), "{error}");
}
