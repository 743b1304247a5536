//! A user name and a password in the `Authorization` header (RFC 7617), both the operator's secrets.

use std::sync::Arc;

use async_trait::async_trait;
use base64::{Engine, prelude::BASE64_STANDARD};
use bytes::Bytes;
use callgate_secret::{Secret, SecretReference, SecretStore};
use callgate_tool::{FingerprintHasher, Session};
use http::Request;

use crate::{
    authenticator::{Authenticator, Authorization},
    error::{self, Error},
    place::CredentialPlace,
    refusal::CredentialRefusal,
    source::fetch_encodable,
};

#[derive(Debug)]
pub(crate) struct Basic {
    username: SecretReference,
    password: SecretReference,
    store: Arc<dyn SecretStore>,
}

impl Basic {
    pub(crate) fn new(
        username: SecretReference,
        password: SecretReference,
        store: Arc<dyn SecretStore>,
    ) -> Self {
        Self { username, password, store }
    }

    /// The credential, followed by its parts that must not be echoed. RFC 7617 §2: user name and password may be empty;
    /// the first colon ends the user name. If both are empty, there is no credential.
    async fn fetch_credential_and_parts(&self) -> Result<[Secret; 3], Error> {
        let username = fetch_encodable(&self.username, &*self.store).await?;
        let password = fetch_encodable(&self.password, &*self.store).await?;
        if username.expose().contains(':') {
            return Err(error::colon_in_user_name(&self.username));
        }
        if username.is_empty() && password.is_empty() {
            return Err(error::empty_secret(&self.password));
        }
        let pair = Secret::new(format!("{}:{}", username.expose(), password.expose()));
        let credential = Secret::new(BASE64_STANDARD.encode(pair.expose()));
        // Without a password the user name is the secret, as in services with one key per client.
        let secret = if password.is_empty() { username } else { password };
        Ok([credential, pair, secret])
    }
}

#[async_trait]
impl Authenticator for Basic {
    async fn authorize(
        &self,
        request: &mut Request<Bytes>,
        _: &Session,
    ) -> Result<Authorization, Error> {
        let secrets = self.fetch_credential_and_parts().await?;
        let [credential, ..] = &secrets;
        let place = CredentialPlace::authorization(PREFIX);
        place.put(request, credential.expose())?;
        Ok(Authorization::from_places(vec![place]).with_secrets(secrets))
    }

    fn places(&self) -> Vec<CredentialPlace> {
        vec![CredentialPlace::authorization(PREFIX)]
    }

    fn credential_reference_description(&self) -> Option<String> {
        (!self.password.is_literal()).then(|| format!("`{}`", self.password))
    }

    async fn handle_refusal(
        &self,
        authorization: &Authorization,
        refusal: CredentialRefusal,
        _: &Session,
    ) -> bool {
        if let Ok(username) = self.store.get(&self.username).await {
            self.store.forget(&self.username, &username);
        }
        for secret in &authorization.secrets {
            self.store.forget(&self.password, secret);
        }
        let is_known =
            |new: &Secret| authorization.secrets.iter().any(|old| old.is_same_value(new));
        refusal == CredentialRefusal::Token
            && self
                .fetch_credential_and_parts()
                .await
                .is_ok_and(|[credential, ..]| !is_known(&credential))
    }

    fn add_credential_owner(&self, _: &Session, _: &mut FingerprintHasher) {}
}

const PREFIX: &str = "Basic ";
