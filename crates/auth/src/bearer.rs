//! A bearer token in the `Authorization` header (RFC 6750 §2.1): the operator's secret, or the session's own token.

use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use callgate_secret::SecretStore;
use callgate_tool::{FingerprintHasher, Session};
use http::Request;

use crate::{
    authenticator::{Authenticator, Authorization},
    error::Error,
    place::CredentialPlace,
    refusal::CredentialRefusal,
    source::{CredentialSource, is_changed},
};

/// Places a bearer token on requests. Keeps none, so one session's token never gets onto another session's request.
#[derive(Debug)]
pub(crate) struct Bearer {
    place: CredentialPlace,
    token: CredentialSource,
    store: Arc<dyn SecretStore>,
}

impl Bearer {
    pub(crate) fn new(token: CredentialSource, store: Arc<dyn SecretStore>) -> Self {
        let place = CredentialPlace::authorization(PREFIX).with_environment(token.environment());
        Self { place, token, store }
    }
}

#[async_trait]
impl Authenticator for Bearer {
    async fn authorize(
        &self,
        request: &mut Request<Bytes>,
        session: &Session,
    ) -> Result<Authorization, Error> {
        let token = self.token.fetch(&*self.store, session).await?;
        self.place.put(request, token.expose())?;
        Ok(Authorization::placed(self.places()).with_secrets([token]))
    }

    fn places(&self) -> Vec<CredentialPlace> {
        vec![self.place.clone()]
    }

    async fn refused(
        &self,
        authorization: &Authorization,
        refusal: CredentialRefusal,
        _: &Session,
    ) -> bool {
        // Only the session can renew its token.
        let CredentialSource::Secret(reference) = &self.token else { return false };
        is_changed(reference, &*self.store, &authorization.secrets, refusal).await
    }

    fn described(&self) -> Option<String> {
        match &self.token {
            CredentialSource::Secret(reference) if !reference.is_literal() => {
                Some(format!("`{reference}`"))
            }
            _ => None,
        }
    }

    fn session_parameter(&self) -> Option<String> {
        self.token.session_place()
    }

    fn fingerprint(&self, session: &Session, hasher: &mut FingerprintHasher) {
        self.token.fingerprint(session, hasher);
    }
}

const PREFIX: &str = "Bearer ";
