//! The stores of this machine behind one door: chooses by the reference's scheme. Remote stores are refused by name.

use std::path::PathBuf;

use async_trait::async_trait;

use crate::{
    env::EnvStore,
    error::{self, Error},
    file::FileStore,
    reference::SecretReference,
    secret::Secret,
    store::SecretStore,
};

/// Answers `env:`, `file:` and `literal:`.
#[derive(Clone, Debug)]
pub struct LocalStores {
    env: EnvStore,
    file: FileStore,
}

impl LocalStores {
    /// The local stores; relative paths of `file:` start at `base`.
    pub fn new(base: impl Into<PathBuf>) -> Self {
        Self { env: EnvStore::new(), file: FileStore::new(base) }
    }
}

#[async_trait]
impl SecretStore for LocalStores {
    async fn get(&self, reference: &SecretReference) -> Result<Secret, Error> {
        match reference {
            SecretReference::Env { .. } => self.env.get(reference).await,
            SecretReference::File { .. } => self.file.get(reference).await,
            SecretReference::Literal { value } => Ok(value.clone()),
            SecretReference::Aws { .. }
            | SecretReference::Gcp { .. }
            | SecretReference::Vault { .. } => Err(error::unsupported(reference.scheme())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;

    #[track_caller]
    fn check(result: &Result<Secret, Error>, expected: Result<&str, ErrorKind>) {
        let result = result.as_ref().map(Secret::expose).map_err(Error::kind);
        assert_eq!(result, expected);
    }

    #[tokio::test]
    async fn each_scheme_goes_to_its_store() {
        let stores = LocalStores::new("/nowhere");
        let get = async |text: &str| stores.get(&text.parse().unwrap()).await;
        check(&get("env:CARGO_PKG_NAME").await, Ok("callgate-secret"));
        check(&get("literal:abc").await, Ok("abc"));
        check(&get("file:none").await, Err(ErrorKind::NotFound));
        check(&get("aws:a#b").await, Err(ErrorKind::Unsupported));
        check(&get("gcp:projects/p/secrets/s/versions/1").await, Err(ErrorKind::Unsupported));
        check(&get("vault:a#b").await, Err(ErrorKind::Unsupported));
    }

    #[tokio::test]
    async fn a_remote_scheme_is_refused_by_name() {
        let error = LocalStores::new(".").get(&"vault:a#b".parse().unwrap()).await.unwrap_err();
        assert!(error.to_string().contains("`vault:` are not supported by this build"), "{error}");
    }
}
