//! A credential of one place whose value is fetched for each request: an API key in a header, a query parameter or a cookie,
//! or a bearer token in the `Authorization` header (RFC 6750 §2.1). Keeps no value, so one session's token never gets onto
//! another session's request.

use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use callgate_secret::{SecretReference, SecretStore};
use callgate_tool::{FingerprintHasher, Session};
use http::Request;

use crate::{
    authenticator::{Authenticator, Authorization},
    error::Error,
    place::{ApiKeyLocation, BEARER, CredentialPlace},
    refusal::CredentialRefusal,
    source::{CredentialSource, fetch_secret, forget_and_is_changed},
};

#[derive(Debug)]
pub(crate) struct PlacedCredential {
    place: CredentialPlace,
    value: CredentialSource,
    store: Arc<dyn SecretStore>,
}

impl PlacedCredential {
    pub(crate) fn api_key(
        place: ApiKeyLocation,
        name: &str,
        value: SecretReference,
        store: Arc<dyn SecretStore>,
    ) -> Result<Self, Error> {
        let place = CredentialPlace::new(place, name)?.with_environment(value.environment());
        Ok(Self { place, value: CredentialSource::Secret(value), store })
    }

    pub(crate) fn bearer(token: CredentialSource, store: Arc<dyn SecretStore>) -> Self {
        let place = CredentialPlace::authorization(BEARER).with_environment(token.environment());
        Self { place, value: token, store }
    }
}

#[async_trait]
impl Authenticator for PlacedCredential {
    async fn authorize(
        &self,
        request: &mut Request<Bytes>,
        session: &Session,
    ) -> Result<Authorization, Error> {
        let secret = match &self.value {
            // A key may have a blank in it, a token may not.
            CredentialSource::Secret(key) if self.place.prefix().is_empty() => {
                fetch_secret(key, &*self.store).await?
            }
            token => token.fetch(&*self.store, session).await?,
        };
        self.place.put(request, secret.expose())?;
        Ok(Authorization::from_places(self.places()).with_secrets([secret]))
    }

    fn places(&self) -> Vec<CredentialPlace> {
        vec![self.place.clone()]
    }

    async fn handle_refusal(
        &self,
        authorization: &Authorization,
        refusal: CredentialRefusal,
        _: &Session,
    ) -> bool {
        // Only the session can renew its token.
        let CredentialSource::Secret(reference) = &self.value else { return false };
        forget_and_is_changed(reference, &*self.store, &authorization.secrets, refusal).await
    }

    fn credential_reference_description(&self) -> Option<String> {
        match &self.value {
            CredentialSource::Secret(reference) if !reference.is_literal() => {
                Some(format!("`{reference}`"))
            }
            _ => None,
        }
    }

    fn session_parameter(&self) -> Option<String> {
        self.value.session_place()
    }

    fn add_credential_owner(&self, session: &Session, hasher: &mut FingerprintHasher) {
        self.value.add_credential_owner(session, hasher);
    }
}
