//! An authenticator of the program that embeds callgate, as one of the kinds of credential.

use std::sync::Arc;

use crate::authenticator::Authenticator;

/// An authenticator of the embedding program. Two values are equal only if they share one authenticator.
///
/// ```
/// # use bytes::Bytes;
/// # use callgate_auth::{Authenticator, Authorization, CredentialPlace, Error};
/// # use callgate_tool::Session;
/// # use http::Request;
/// use callgate_auth::{AuthConfig, OwnAuthenticator};
///
/// # #[derive(Debug)]
/// # struct Signer;
/// # #[async_trait::async_trait]
/// # impl Authenticator for Signer {
/// #     async fn authorize(&self, _: &mut Request<Bytes>, _: &Session) -> Result<Authorization, Error> {
/// #         Ok(Authorization::default())
/// #     }
/// #     fn places(&self) -> Vec<CredentialPlace> {
/// #         Vec::new()
/// #     }
/// # }
/// // One authenticator of the program for two security schemes.
/// let signer = OwnAuthenticator::new(Signer);
/// let (user, admin) = (AuthConfig::Own(signer.clone()), AuthConfig::Own(signer));
/// assert_eq!(user, admin);
/// assert_ne!(user, AuthConfig::own(Signer), "another one");
/// ```
#[derive(Clone, Debug)]
pub struct OwnAuthenticator(pub(crate) Arc<dyn Authenticator>);

impl OwnAuthenticator {
    /// Wraps this authenticator. The value equals only its clones.
    pub fn new(authenticator: impl Authenticator + 'static) -> Self {
        Self(Arc::new(authenticator))
    }
}

impl PartialEq for OwnAuthenticator {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for OwnAuthenticator {}
