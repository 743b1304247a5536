//! A signature of one's own, put on finished requests, and what becomes of a call when it cannot be made.

use std::fs;

use async_trait::async_trait;
use axum::{Json, Router, http::HeaderMap, routing::get};
use bytes::Bytes;
use callgate::{
    Arguments, Executor, Secret, Session, ToolCall,
    auth::{
        ApiKeyLocation, AuthConfig, Authenticator, Authorization, CredentialPlace, Error, ErrorKind,
    },
    dialect::json_result,
};
use http::{HeaderValue, Request};
use serde_json::{Value, json};

/// Signs for members of the staff, and for nobody else.
#[derive(Debug)]
struct StaffSignature;

#[async_trait]
impl Authenticator for StaffSignature {
    async fn authorize(
        &self,
        request: &mut Request<Bytes>,
        session: &Session,
    ) -> Result<Authorization, Error> {
        let Some(user) = session.id().and_then(|id| id.strip_prefix("staff-")) else {
            let message = "requests are signed for members of the staff alone";
            return Err(Error::new(ErrorKind::MissingCredential, message));
        };
        if user == "locked" {
            let message = "the signing service is restarting";
            return Err(Error::new(ErrorKind::TokenUnavailable, message).transient());
        }
        let signature = format!("signed-{}-{user}", request.method());
        let value = HeaderValue::from_str(&signature)
            .map_err(|_| Error::new(ErrorKind::UnusableSecret, "the signature is no header"))?;
        request.headers_mut().insert(SIGNATURE, value);
        Ok(Authorization::from_places(self.places()).with_secrets([Secret::new(signature)]))
    }

    fn places(&self) -> Vec<CredentialPlace> {
        CredentialPlace::new(ApiKeyLocation::Header, SIGNATURE).into_iter().collect()
    }
}

const SIGNATURE: &str = "x-signature";

async fn echo(headers: HeaderMap) -> Json<Value> {
    Json(json!({"sent": headers.get(SIGNATURE).and_then(|value| value.to_str().ok())}))
}

async fn executor(server: String) -> Executor {
    let description = fs::read(callgate_embed::description()).unwrap();
    let tools = callgate::openapi(description).server(server).auth(AuthConfig::own(StaffSignature));
    tools.build().await.unwrap()
}

#[tokio::test]
async fn a_call_that_is_not_signed_is_not_sent() {
    let server = callgate_embed::serve(Router::new().route("/pets/{id}", get(echo))).await;
    let executor = executor(server).await;
    let arguments = Arguments::from_iter([("id".to_owned(), 7.into())]);
    let call = ToolCall::new("1", "getPet", arguments);
    let ended = async |session: &str| {
        json_result(&executor.call(&call, &Session::new(session)).await).into_value()
    };

    assert_eq!(ended("staff-ann").await["response"], callgate::json!({"sent": "****"}));
    let stranger = ended("eve").await;
    assert_eq!(stranger["error"]["code"], "auth_failed", "{stranger}");
    assert_eq!(stranger["error"]["reached"], "no", "{stranger}");
    let told = stranger["error"]["message"].as_str().unwrap_or_default();
    assert!(told.contains("signed for members of the staff alone"), "{told}");
    assert_eq!(ended("staff-locked").await["error"]["next"], "try_later");
}
