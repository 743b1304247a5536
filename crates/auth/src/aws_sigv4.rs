//! Signs requests as AWS requires it (Signature Version 4), as the last step, when the request no longer changes.
//! `store` finds the keys and computes the signature.

mod refusal;

use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use callgate_secret::Secret;
use callgate_store::aws::{AwsKeySource, KeySource, Scope, sign};
use callgate_tool::{FingerprintHasher, Session};
use callgate_transport::{Clock, CredentialPlaces};
use http::{HeaderValue, Request, Response};

use crate::{
    authenticator::{Authenticator, Authorization},
    context::AuthContext,
    error::{self, Error},
    place::CredentialPlace,
};

#[derive(Debug)]
pub(crate) struct AwsSigV4 {
    scope: Scope,
    keys: AwsKeySource,
    clock: Clock,
}

impl AwsSigV4 {
    pub(crate) fn new(scope: Scope, keys: KeySource, context: &AuthContext) -> Self {
        let (secrets, transport) = (Arc::clone(&context.secrets), Arc::clone(&context.transport));
        let clock = context.clock.clone();
        Self { scope, keys: AwsKeySource::new(keys, secrets, transport), clock }
    }
}

#[async_trait]
impl Authenticator for AwsSigV4 {
    async fn authorize(
        &self,
        request: &mut Request<Bytes>,
        _: &Session,
    ) -> Result<Authorization, Error> {
        let keys = self.keys.keys().await.map_err(error::signing_error)?;
        let signed = sign(request, &keys, &self.scope, self.clock.now());
        // A token that is already there is neither signed nor ours.
        request.headers_mut().remove("x-amz-security-token");
        let mut secrets: Vec<Secret> =
            [keys.secret_access_key].into_iter().chain(keys.session_token).collect();
        for header in signed.map_err(error::signing_error)? {
            secrets.extend(signature_in_header(&header.value));
            CredentialPlaces::mark_header(request.extensions_mut(), header.name.clone());
            request.headers_mut().insert(header.name, header.value);
        }
        Ok(Authorization::from_places(self.places()).with_secrets(secrets))
    }

    fn places(&self) -> Vec<CredentialPlace> {
        vec![CredentialPlace::authorization(PREFIX)]
    }

    fn explain(&self, answer: &Response<Bytes>) -> Option<String> {
        refusal::signature_problem(answer, self.clock.now())
    }

    fn add_credential_owner(&self, _: &Session, _: &mut FingerprintHasher) {}
}

/// The signature in a header; it is valid for some minutes, so a service that answers with it must not show it.
fn signature_in_header(header: &HeaderValue) -> Option<Secret> {
    let (_, signature) = header.to_str().ok()?.split_once("Signature=")?;
    Some(Secret::new(signature.to_owned()))
}

const PREFIX: &str = "AWS4-HMAC-SHA256 ";

#[cfg(test)]
mod tests {
    use callgate_secret::MemoryStore;
    use callgate_store::aws::NamedKeys;
    use callgate_transport::{Refuse, render_request};

    use super::*;
    use crate::{AuthConfig, ErrorKind};

    fn authenticator(key: &str, token: Option<&str>) -> Arc<dyn Authenticator> {
        let secrets = [("env:KEY", "canary-key"), ("env:TOKEN", "canary-token")];
        let store = secrets.into_iter().fold(MemoryStore::new(), |store, (name, value)| {
            store.with(&name.parse().unwrap(), Secret::new(value.to_owned()))
        });
        let keys = NamedKeys {
            access_key_id: "literal:AKID".parse().unwrap(),
            secret_access_key: key.parse().unwrap(),
            session_token: token.map(|token| token.parse().unwrap()),
        };
        let scope = Scope {
            region: "eu-west-1".to_owned(),
            service: "execute-api".to_owned(),
            is_payload_unsigned: false,
        };
        let config = AuthConfig::AwsSigV4 { scope, keys: KeySource::Named(Box::new(keys)) };
        config.build(&AuthContext::new(Arc::new(store), Arc::new(Refuse::new()))).unwrap()
    }

    fn request() -> Request<Bytes> {
        let request = Request::post("https://h/pets").header("authorization", "MODEL");
        request.header("x-amz-security-token", "MODEL").body(Bytes::from_static(b"{}")).unwrap()
    }

    #[tokio::test]
    async fn a_request_is_signed_once_and_shows_nothing() {
        let authenticator = authenticator("env:KEY", Some("env:TOKEN"));
        let mut request = request();
        let put = authenticator.authorize(&mut request, &Session::default()).await.unwrap();
        assert_eq!((put.placed, put.secrets.len()), (authenticator.places(), 3));
        let headers = request.headers();
        assert_eq!(headers.get_all("authorization").iter().count(), 1);
        let signature = headers["authorization"].to_str().unwrap();
        assert!(put.secrets.iter().any(|secret| signature.ends_with(secret.expose())));
        assert!(signature.starts_with("AWS4-HMAC-SHA256 Credential=AKID/"), "{signature}");
        assert!(
            signature.contains("/eu-west-1/execute-api/aws4_request, SignedHeaders=host;x-amz-date;x-amz-security-token,"),
            "{signature}"
        );
        assert_eq!(headers["x-amz-security-token"], "canary-token");
        let shown = String::from_utf8(render_request(&request)).unwrap();
        assert!(!shown.contains("canary") && !shown.contains("Signature="), "{shown}");
        assert!(!format!("{authenticator:?} {headers:?}").contains("canary"));
    }

    #[tokio::test]
    async fn without_a_session_token_no_security_token_header_is_sent() {
        let mut request = request();
        let put = authenticator("env:KEY", None).authorize(&mut request, &Session::default()).await;
        assert!(put.is_ok() && !request.headers().contains_key("x-amz-security-token"));
    }

    #[tokio::test]
    async fn a_missing_signing_key_is_reported_as_a_missing_secret() {
        let mut request = request();
        let put =
            authenticator("env:NONE", None).authorize(&mut request, &Session::default()).await;
        let error = put.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::MissingSecret);
        assert!(error.to_string().contains("the request cannot be signed"), "{error}");
    }
}
