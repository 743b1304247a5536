//! A header with a fixed text that is no secret: a version, a tenant, a format. It is set like a credential, so that no
//! argument replaces it and a signer signs it, but it is shown and never masked.

use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use callgate_tool::{FingerprintHasher, Session};
use http::Request;

use crate::{
    authenticator::{Authenticator, Authorization},
    error::Error,
    place::{ApiKeyLocation, CredentialPlace},
};

/// The authenticator that sets a header to a text that everyone may see.
///
/// # Errors
/// [`ErrorKind::Configuration`](crate::ErrorKind::Configuration) if no header can have this name.
pub fn plain_header_authenticator(
    name: &str,
    text: String,
) -> Result<Arc<dyn Authenticator>, Error> {
    let place = CredentialPlace::new(ApiKeyLocation::Header, name)?.with_plain(text.clone());
    Ok(Arc::new(PlainHeader { place, text }))
}

#[derive(Debug)]
struct PlainHeader {
    place: CredentialPlace,
    text: String,
}

#[async_trait]
impl Authenticator for PlainHeader {
    async fn authorize(
        &self,
        request: &mut Request<Bytes>,
        _: &Session,
    ) -> Result<Authorization, Error> {
        self.place.put_plain(request, &self.text)?;
        // No credential was placed.
        Ok(Authorization::default())
    }

    fn places(&self) -> Vec<CredentialPlace> {
        vec![self.place.clone()]
    }

    fn add_credential_owner(&self, _: &Session, _: &mut FingerprintHasher) {}
}
