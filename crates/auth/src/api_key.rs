//! An API key in a header or a query parameter. The value is the operator's secret, fetched for each request.

use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use callgate_secret::{SecretReference, SecretStore};
use callgate_tool::{FingerprintHasher, Session};
use http::Request;

use crate::{
    authenticator::{Authenticator, Authorization},
    error::Error,
    place::{ApiKeyLocation, CredentialPlace},
    refusal::CredentialRefusal,
    source::{fetch_secret, is_changed},
};

#[derive(Debug)]
pub(crate) struct ApiKey {
    place: CredentialPlace,
    value: SecretReference,
    store: Arc<dyn SecretStore>,
}

impl ApiKey {
    pub(crate) fn new(
        place: ApiKeyLocation,
        name: &str,
        value: SecretReference,
        store: Arc<dyn SecretStore>,
    ) -> Result<Self, Error> {
        let place = CredentialPlace::new(place, name)?.with_environment(value.environment());
        Ok(Self { place, value, store })
    }
}

#[async_trait]
impl Authenticator for ApiKey {
    async fn authorize(
        &self,
        request: &mut Request<Bytes>,
        _: &Session,
    ) -> Result<Authorization, Error> {
        let key = fetch_secret(&self.value, &*self.store).await?;
        self.place.put(request, key.expose())?;
        Ok(Authorization::placed(self.places()).with_secrets([key]))
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
        is_changed(&self.value, &*self.store, &authorization.secrets, refusal).await
    }

    fn described(&self) -> Option<String> {
        (!self.value.is_literal()).then(|| format!("`{}`", self.value))
    }

    fn fingerprint(&self, _: &Session, _: &mut FingerprintHasher) {}
}
