//! Grants in the operating system's keyring, with a folder as fallback if no keyring accepts them. If both hold a
//! grant, the folder's is newer: a grant that the keyring accepts is removed from the folder.

use std::time::Duration;

use async_trait::async_trait;
use callgate_secret::{Error, ErrorKind, Secret, SecretReference};
use tokio::time::timeout;

use super::{GrantFolder, GrantLock, GrantStore};
use crate::keyring::{KeyringBackend, KeyringStore, Work};

/// The keyring, with the folder that has the locks and the grants that the keyring does not accept.
#[derive(Debug)]
pub struct GrantKeyring {
    folder: GrantFolder,
    keyring: KeyringStore,
}

impl GrantKeyring {
    /// Keeps grants in a keyring, or else in this folder. Creating it reads nothing.
    ///
    /// # Errors
    /// `Unsupported` if the platform does not have this keyring.
    pub fn new(folder: GrantFolder, backend: KeyringBackend) -> Result<Self, Error> {
        Ok(Self { folder, keyring: KeyringStore::new(backend)? })
    }

    /// Uses the keyring, which may be absent, locked or stuck.
    async fn perform_with_timeout(&self, name: &str, work: Work) -> Result<Option<Secret>, Error> {
        let reference: SecretReference = format!("keyring:{SERVICE}/login-{name}").parse()?;
        match timeout(PATIENCE, self.keyring.perform(&reference, work)).await {
            Ok(Err(error)) if error.kind() == ErrorKind::NotFound => Ok(None),
            Ok(answered) => answered,
            Err(_) => Err(Error::new(ErrorKind::Unreadable, "the keyring does not answer")),
        }
    }
}

#[async_trait]
impl GrantStore for GrantKeyring {
    async fn get(&self, name: &str) -> Result<Option<Secret>, Error> {
        if let Some(grant) = self.folder.get(name).await? {
            return Ok(Some(grant));
        }
        match self.perform_with_timeout(name, Work::Read).await {
            // A keyring that is not available holds nothing.
            Err(error) if error.is_transient() => Ok(None),
            result => result,
        }
    }

    async fn put(&self, name: &str, grant: &Secret) -> Result<(), Error> {
        match self.perform_with_timeout(name, Work::Write(grant.clone())).await {
            Ok(_) => self.folder.remove(name).await.map(drop),
            Err(_) => self.folder.put(name, grant).await,
        }
    }

    async fn remove(&self, name: &str) -> Result<bool, Error> {
        let was_in_folder = self.folder.remove(name).await?;
        match self.perform_with_timeout(name, Work::Remove).await {
            Ok(removed) => Ok(was_in_folder || removed.is_some()),
            Err(error) if error.is_transient() => Ok(was_in_folder),
            Err(error) => Err(error),
        }
    }

    async fn lock(&self, name: &str) -> Result<GrantLock, Error> {
        self.folder.lock(name).await
    }

    fn profile(&self) -> Option<&str> {
        self.folder.profile()
    }

    fn place(&self, name: &str) -> String {
        if self.folder.grant_file(name).exists() {
            return self.folder.place(name);
        }
        "the keyring of this machine".to_owned()
    }

    fn login_command(&self) -> Option<&str> {
        self.folder.login_command()
    }
}

/// The service name that keyrings display.
const SERVICE: &str = "callgate";

/// The longest time for which a keyring may wait for a person to type its password.
const PATIENCE: Duration = Duration::from_secs(20);

#[cfg(test)]
mod tests {
    use super::*;

    /// Needs a kernel that lets this process have keys; otherwise the folder holds the grant, which is compared as well.
    #[tokio::test]
    async fn a_grant_is_stored_in_the_keyring_or_the_folder_and_not_in_both() {
        let kept = tempfile::tempdir().unwrap();
        let folder = GrantFolder::new(kept.path());
        let grants = GrantKeyring::new(folder.clone(), KeyringBackend::Kernel).unwrap();
        let name = format!("test-{}", std::process::id());
        assert!(grants.get(&name).await.unwrap().is_none());
        folder.put(&name, &Secret::new("canary-old".to_owned())).await.unwrap();
        assert_eq!(grants.get(&name).await.unwrap().unwrap().expose(), "canary-old");
        for grant in ["canary-1", "canary-2"] {
            grants.put(&name, &Secret::new(grant.to_owned())).await.unwrap();
            assert_eq!(grants.get(&name).await.unwrap().unwrap().expose(), grant);
            let is_in_folder = folder.get(&name).await.unwrap().is_some();
            assert_eq!(is_in_folder, grants.place(&name).contains("the file"));
        }
        assert!(grants.remove(&name).await.unwrap());
        assert!(!grants.remove(&name).await.unwrap());
        assert!(grants.get(&name).await.unwrap().is_none());
        assert!(!format!("{grants:?}").contains("canary"));
    }

    #[tokio::test]
    async fn a_grant_too_large_for_the_keyring_is_stored_in_the_folder() {
        let kept = tempfile::tempdir().unwrap();
        let folder = GrantFolder::new(kept.path());
        let grants = GrantKeyring::new(folder.clone(), KeyringBackend::Kernel).unwrap();
        // A key in the kernel has at most 32,767 bytes.
        let huge = Secret::new("a".repeat(100_000));
        grants.put("huge", &huge).await.unwrap();
        assert!(folder.get("huge").await.unwrap().is_some_and(|kept| kept.is_same_value(&huge)));
        assert!(grants.place("huge").contains("the file"));
        assert!(grants.remove("huge").await.unwrap());
    }
}
