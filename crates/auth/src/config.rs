//! The kinds of credential an operator can choose, and the way from the choice to the authenticator. How the choice is
//! written in a file is not known here.

use std::sync::Arc;

use callgate_secret::{SecretReference, SecretStore};

use crate::{
    api_key::ApiKey, authenticator::Authenticator, basic::Basic, bearer::Bearer, error::Error,
    none::NoCredential, place::Place, source::CredentialSource,
};

/// One kind of credential with its settings. Holds references; shows no literal.
///
/// ```
/// # use std::sync::Arc;
/// # use callgate_auth::{AuthConfig, Error, Place};
/// # use callgate_secret::LocalStores;
/// let value = "env:PETS_KEY".parse().expect("a reference");
/// let config = AuthConfig::ApiKey { place: Place::Header, name: "X-Api-Key".to_owned(), value };
/// let authenticator = config.build(Arc::new(LocalStores::new(".")))?;
/// assert_eq!(authenticator.places()[0].environment(), Some("PETS_KEY"));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum AuthConfig {
    /// An API key.
    ApiKey {
        /// The part of the request it goes to.
        place: Place,
        /// The header or query parameter.
        name: String,
        /// The key.
        value: SecretReference,
    },
    /// A user name and a password (RFC 7617).
    Basic {
        /// The user name, without a colon.
        username: SecretReference,
        /// The password, which may be an empty literal.
        password: SecretReference,
    },
    /// A bearer token (RFC 6750).
    Bearer {
        /// The token.
        token: CredentialSource,
    },
    /// No credential.
    None,
}

impl AuthConfig {
    /// The authenticator of this choice. Fetches no secret.
    ///
    /// # Errors
    /// [`ErrorKind::Configuration`](crate::ErrorKind::Configuration) if the name is none of a header or parameter that can
    /// hold a credential.
    pub fn build(self, store: Arc<dyn SecretStore>) -> Result<Arc<dyn Authenticator>, Error> {
        Ok(match self {
            Self::ApiKey { place, name, value } => {
                Arc::new(ApiKey::new(place, &name, value, store)?)
            }
            Self::Basic { username, password } => Arc::new(Basic::new(username, password, store)),
            Self::Bearer { token } => Arc::new(Bearer::new(token, store)),
            Self::None => Arc::new(NoCredential),
        })
    }
}

#[cfg(test)]
mod tests;
