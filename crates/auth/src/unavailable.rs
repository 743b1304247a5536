//! For operations that need a credential which is not configured, or which must not be sent to their server: refuses
//! every request, with a sentence that says what is missing. The loader decides which operations those are.

use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use callgate_tool::{FingerprintHasher, Session};
use http::Request;

use crate::{
    authenticator::{Authenticator, Authorization},
    error::{self, Error},
    place::CredentialPlace,
};

/// An authenticator that refuses every request; `why` names the security scheme and the key to write, never a host or a
/// secret.
pub fn unavailable_authenticator(why: String) -> Arc<dyn Authenticator> {
    Arc::new(Unavailable { error: error::missing_credential_error(why) })
}

#[derive(Debug)]
struct Unavailable {
    error: Error,
}

#[async_trait]
impl Authenticator for Unavailable {
    async fn authorize(&self, _: &mut Request<Bytes>, _: &Session) -> Result<Authorization, Error> {
        Err(self.error.clone())
    }

    fn places(&self) -> Vec<CredentialPlace> {
        Vec::new()
    }

    fn obstacle(&self) -> Option<&Error> {
        Some(&self.error)
    }

    fn add_credential_owner(&self, _: &Session, _: &mut FingerprintHasher) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;

    #[tokio::test]
    async fn an_unavailable_credential_refuses_every_request_with_its_reason() {
        let unavailable = unavailable_authenticator("no credential for `key`".to_owned());
        let mut request = Request::get("http://h/").body(Bytes::new()).unwrap();
        let error = unavailable.authorize(&mut request, &Session::default()).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::MissingCredential);
        assert_eq!(error.to_string(), "no credential for `key`");
        assert!(unavailable.places().is_empty() && unavailable.obstacle().is_some());
    }
}
