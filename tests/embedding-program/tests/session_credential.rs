//! Each user's own token: a credential of the session, which no tool takes as an input and nothing shows.

use axum::{Json, Router, http::HeaderMap, routing::get};
use callgate::{
    Arguments, Secret, Session, ToolCall,
    auth::{AuthConfig, CredentialSource},
    dialect::json_result,
};
use serde_json::{Value, json};

async fn echo(headers: HeaderMap) -> Json<Value> {
    let sent = headers["authorization"].to_str().unwrap_or_default();
    // The service says the token itself, and how long it is, which tells whose it was.
    Json(json!({"id": 7, "sent": sent, "length": sent.len()}))
}

#[tokio::test]
async fn each_session_calls_with_its_own_token() {
    let server = callgate_embed::serve(Router::new().route("/pets/{id}", get(echo))).await;
    let description = std::fs::read(callgate_embed::description()).unwrap();
    let token = CredentialSource::SessionCredential("pets".to_owned());
    let tools = callgate::openapi(description).server(server).auth(AuthConfig::Bearer { token });
    let executor = tools.build().await.unwrap();
    let arguments = Arguments::from_iter([("id".to_owned(), 7.into())]);
    let call = ToolCall::new("1", "getPet", arguments);

    for (user, token) in [("ann", "token-of-ann"), ("bob", "another-token-of-bob")] {
        let session = Session::new(user).with_credential("Pets", Secret::new(token.to_owned()));
        let result = json_result(&executor.call(&call, &session).await);
        assert_eq!(result.value()["response"]["length"], "Bearer ".len() + token.len(), "{result}");
        assert_eq!(result.value()["response"]["sent"], "Bearer ****");
        let planned = json_result(&executor.dry_run(&call, &session).await).to_string();
        assert!(!planned.contains(token), "{planned}");
    }
    let without = json_result(&executor.call(&call, &Session::new("eve")).await);
    assert_eq!(without.value()["error"]["reached"], "no", "{without}");
    assert_eq!(without.value()["error"]["next"], "ask_user", "{without}");
}
