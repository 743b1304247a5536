//! The trait behind which secrets lie. Knows no store.

use std::fmt::Debug;

use async_trait::async_trait;

use crate::{error::Error, reference::SecretReference, secret::Secret};

/// The place where secrets are kept. A new store implements this and answers for its scheme only.
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
    /// The secret under a reference, as it is now.
    ///
    /// # Errors
    /// `Denied` if the store does not let us read it, `Invalid` if the value cannot be a secret, `NotFound` if nothing is
    /// there, `Unreadable` if it cannot be read now, `Unsupported` if the store does not know the scheme.
    async fn get(&self, reference: &SecretReference) -> Result<Secret, Error>;

    /// Tells the store that a service rejected the secret it gave: what is kept of it is not given again before it was
    /// read anew. A store that keeps nothing does nothing.
    fn forget(&self, _reference: &SecretReference, _rejected: &Secret) {}
}
