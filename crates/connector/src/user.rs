//! The credential of the end user on a request: an access token among the headers of its execution settings, in the query or
//! in the body, where the method has them. The service then acts in the user's name.

use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use callgate_auth::{
    ApiKeyLocation, Authenticator, Authorization, CredentialPlace, CredentialRefusal, Error,
    ErrorKind,
};
use callgate_secret::MASK;
use callgate_tool::{FingerprintHasher, Object, Session, Value, json};
use http::Request;

/// Puts a user's token on requests.
#[derive(Debug)]
pub(crate) struct User {
    /// The authenticator that finds the token; it puts it on a request that is not sent.
    pub(crate) token: Arc<dyn Authenticator>,
    pub(crate) header: String,
    /// The parameter of the query; `None` for methods that have the settings in their body.
    query: Option<CredentialPlace>,
}

impl User {
    /// For methods that have the settings in their body.
    pub(crate) fn in_execution_settings(token: Arc<dyn Authenticator>, header: &str) -> Self {
        Self { token, header: header.to_owned(), query: None }
    }

    /// For methods that have the settings in the query.
    ///
    /// # Errors
    /// None that is possible: the name of the parameter is fixed.
    pub(crate) fn in_query(token: Arc<dyn Authenticator>, header: &str) -> Result<Self, Error> {
        let query = Some(CredentialPlace::new(ApiKeyLocation::Query, SETTINGS)?);
        Ok(Self { token, header: header.to_owned(), query })
    }

    /// The headers of the execution settings with this token, as the service reads them.
    fn token_headers(&self, token: &str) -> String {
        let config = json!({"oauth2_auth_code_flow.access_token": token}).to_string();
        let headers = Object::from_iter([(self.header.clone(), Value::String(config))]);
        Value::Object(headers).to_string()
    }
}

#[async_trait]
impl Authenticator for User {
    async fn authorize(
        &self,
        request: &mut Request<Bytes>,
        session: &Session,
    ) -> Result<Authorization, Error> {
        let mut unsent = Request::new(Bytes::new());
        let authorization = self.token.authorize(&mut unsent, session).await?;
        let [token] = &*authorization.secrets else { return Err(unplaceable_token_error()) };
        let headers = self.token_headers(token.expose());
        match &self.query {
            Some(place) => place.put(request, &headers)?,
            None => put_execution_config_in_body(request, &headers)?,
        }
        Ok(Authorization::from_places(self.places()).with_secrets(authorization.secrets))
    }

    fn places(&self) -> Vec<CredentialPlace> {
        self.query.iter().cloned().collect()
    }

    async fn handle_refusal(
        &self,
        authorization: &Authorization,
        refusal: CredentialRefusal,
        session: &Session,
    ) -> bool {
        self.token.handle_refusal(authorization, refusal, session).await
    }

    fn session_parameter(&self) -> Option<String> {
        self.token.session_parameter()
    }

    fn add_credential_owner(&self, session: &Session, hasher: &mut FingerprintHasher) {
        self.token.add_credential_owner(session, hasher);
    }
}

/// The settings of an execution as a dry run shows them in a body.
pub(crate) fn masked_settings() -> Value {
    json!({"headers": MASK})
}

fn put_execution_config_in_body(request: &mut Request<Bytes>, headers: &str) -> Result<(), Error> {
    let body = std::str::from_utf8(request.body()).ok();
    let mut body =
        body.and_then(|text| Value::parse(text).ok()).ok_or_else(unplaceable_token_error)?;
    let members = body.as_object_mut().ok_or_else(unplaceable_token_error)?;
    members.insert("executionConfig", json!({"headers": headers}));
    *request.body_mut() = Bytes::from(body.to_string());
    Ok(())
}

fn unplaceable_token_error() -> Error {
    Error::new(ErrorKind::Configuration, "the user's token cannot be put on the request")
}

const SETTINGS: &str = "executionConfig.headers";
