//! All stores of this machine as one: the reference's scheme selects the store. Stores that need more than the file system
//! are not part of it.

use std::path::PathBuf;

use async_trait::async_trait;

use crate::{
    directory::{DirectoryStore, USUAL_DIRECTORY},
    env::EnvStore,
    error::{self, Error},
    file::FileStore,
    reference::SecretReference,
    secret::Secret,
    store::SecretStore,
};

/// Reads references of `directory:`, `env:`, `file:` and `literal:`.
///
/// ```
/// use callgate_secret::{LocalStores, SecretStore};
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
/// # let directory = tempfile::tempdir()?;
/// # let directory = directory.path();
/// std::fs::write(directory.join("pets-key"), "s3cr3t\n")?;
/// let stores = LocalStores::new(directory).with_directory(directory);
/// assert_eq!(stores.get(&"file:pets-key".parse()?).await?.expose(), "s3cr3t");
/// assert_eq!(stores.get(&"directory:pets-key".parse()?).await?.expose(), "s3cr3t");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct LocalStores {
    directory: DirectoryStore,
    env: EnvStore,
    file: FileStore,
}

impl LocalStores {
    /// The local stores; relative paths of `file:` start at `base`, and `directory:` reads [`USUAL_DIRECTORY`].
    pub fn new(base: impl Into<PathBuf>) -> Self {
        Self {
            directory: DirectoryStore::new(USUAL_DIRECTORY),
            env: EnvStore::new(),
            file: FileStore::new(base),
        }
    }

    /// Sets the mounted directory to read.
    #[must_use]
    pub fn with_directory(mut self, directory: impl Into<PathBuf>) -> Self {
        self.directory = DirectoryStore::new(directory);
        self
    }
}

#[async_trait]
impl SecretStore for LocalStores {
    async fn get(&self, reference: &SecretReference) -> Result<Secret, Error> {
        match reference {
            SecretReference::Directory { .. } => self.directory.get(reference).await,
            SecretReference::Env { .. } => self.env.get(reference).await,
            SecretReference::File { .. } => self.file.get(reference).await,
            SecretReference::Literal { value } => Ok(value.clone()),
            SecretReference::Own { .. } | SecretReference::Remote { .. } => {
                Err(error::remote(reference.scheme()))
            }
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
    async fn each_scheme_of_a_reference_is_read_from_its_store() {
        let stores = LocalStores::new("/nowhere");
        let get = async |text: &str| stores.get(&text.parse().unwrap()).await;
        check(&get("env:CARGO_PKG_NAME").await, Ok("callgate-secret"));
        check(&get("literal:abc").await, Ok("abc"));
        check(&get("file:none").await, Err(ErrorKind::NotFound));
        check(&get("directory:none").await, Err(ErrorKind::NotFound));
        for remote in
            ["aws:a#b", "gcp:projects/p/secrets/s/versions/1", "keyring:a/b", "vault:a/b#c"]
        {
            check(&get(remote).await, Err(ErrorKind::Unsupported));
        }
    }
}
