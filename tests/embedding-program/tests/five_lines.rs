//! An API in five lines.

use callgate::{Outcome, Secret, Session, ToolCall};

#[tokio::test]
async fn a_description_becomes_calls_in_five_lines() -> Result<(), Box<dyn std::error::Error>> {
    let (text, server) =
        (std::fs::read(callgate_embed::description())?, callgate_embed::service().await);

    let token = Secret::new("canary-token".to_owned());
    let executor = callgate::openapi(text).server(server).bearer(token).build().await?;
    let arguments = serde_json::from_str(r#"{"id": 7}"#)?;
    let call = ToolCall::new("1", "getPet", arguments);
    let result = executor.call(&call, &Session::default()).await;

    assert!(matches!(result.outcome, Outcome::Answered(_)), "{result:?}");
    Ok(())
}

#[tokio::test]
async fn an_invalid_server_is_refused_when_the_executor_is_built() {
    let error =
        callgate::openapi("openapi: 3.1.0").server("example.com").build().await.unwrap_err();
    assert!(error.to_string().contains("https://api.example.com/v1"), "{error}");
}
