//! The trait of all secret stores. The module knows no particular store.

use std::fmt::Debug;

use async_trait::async_trait;

use crate::{error::Error, reference::SecretReference, secret::Secret};

/// A place where secrets are kept. A store implements this and serves only references of its own scheme.
///
/// ```
/// use callgate_secret::{Error, ErrorKind, Secret, SecretReference, SecretStore};
///
/// /// The secrets that the program was started with.
/// #[derive(Debug)]
/// struct Started(Secret);
///
/// #[async_trait::async_trait]
/// impl SecretStore for Started {
///     async fn get(&self, reference: &SecretReference) -> Result<Secret, Error> {
///         match reference {
///             SecretReference::Own { name, .. } if name == "pets" => Ok(self.0.clone()),
///             _ => Err(Error::new(ErrorKind::NotFound, "there is no such secret")),
///         }
///     }
/// }
/// ```
#[async_trait]
pub trait SecretStore: Debug + Send + Sync {
    /// The current secret of a reference.
    ///
    /// # Errors
    /// `Denied` if the store does not allow the read, `Invalid` if the value cannot be a secret, `NotFound` if there is no
    /// secret, `Unreadable` if it cannot be read now, `Unsupported` if the store does not know the scheme.
    async fn get(&self, reference: &SecretReference) -> Result<Secret, Error>;

    /// Notifies the store that a service rejected a secret. A store with a cache must read the secret again before it
    /// returns it once more; other stores do nothing.
    fn forget(&self, _reference: &SecretReference, _rejected: &Secret) {}
}
