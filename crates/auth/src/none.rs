//! No credential, for services that require none.

use async_trait::async_trait;
use bytes::Bytes;
use callgate_tool::{FingerprintHasher, Session};
use http::Request;

use crate::{
    authenticator::{Authenticator, Authorization},
    error::Error,
    place::CredentialPlace,
};

#[derive(Clone, Copy, Debug)]
pub(crate) struct NoCredential;

#[async_trait]
impl Authenticator for NoCredential {
    async fn authorize(&self, _: &mut Request<Bytes>, _: &Session) -> Result<Authorization, Error> {
        Ok(Authorization::default())
    }

    fn places(&self) -> Vec<CredentialPlace> {
        Vec::new()
    }

    fn add_credential_owner(&self, _: &Session, _: &mut FingerprintHasher) {}
}
