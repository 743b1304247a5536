//! Secrets in memory, for tests and for programs that hold their secrets themselves. The store reads nothing from outside.

use std::collections::BTreeMap;

use async_trait::async_trait;

use crate::{
    error::{self, Error},
    reference::SecretReference,
    secret::Secret,
    store::SecretStore,
};

/// Returns the secrets that were added, under references of any scheme, and literals.
///
/// ```
/// use callgate_secret::{MemoryStore, Secret, SecretReference, SecretStore};
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
/// let reference = "env:PETS_KEY".parse()?;
/// let store = MemoryStore::new().with(&reference, Secret::new("a key".to_owned()));
/// assert_eq!(store.get(&reference).await?.expose(), "a key");
/// # Ok::<(), callgate_secret::Error>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct MemoryStore {
    secrets: BTreeMap<String, Secret>,
}

impl MemoryStore {
    /// A store without secrets.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a secret; a second one under an equal reference replaces the first.
    #[must_use]
    pub fn with(mut self, reference: &SecretReference, secret: Secret) -> Self {
        self.secrets.insert(reference.to_string(), secret);
        self
    }
}

#[async_trait]
impl SecretStore for MemoryStore {
    async fn get(&self, reference: &SecretReference) -> Result<Secret, Error> {
        if let SecretReference::Literal { value } = reference {
            return Ok(value.clone());
        }
        let secret = self.secrets.get(&reference.to_string());
        secret.cloned().ok_or_else(|| error::not_found(reference))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;

    #[tokio::test]
    async fn a_stored_secret_is_returned_and_not_printed() {
        let reference = "vault:pets/prod#key".parse().unwrap();
        let store = MemoryStore::new().with(&reference, Secret::new("canary".to_owned()));
        assert_eq!(store.get(&reference).await.unwrap().expose(), "canary");
        let shown = format!("{store:?}");
        assert!(shown.contains("vault:pets/prod#key") && !shown.contains("canary"), "{shown}");
    }

    #[tokio::test]
    async fn a_secret_that_was_not_stored_is_not_found() {
        let error = MemoryStore::new().get(&"env:X".parse().unwrap()).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound);
    }
}
