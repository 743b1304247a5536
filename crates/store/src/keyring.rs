//! The operating system's keyring: `keyring:service/user`. Its calls block and may wait for a person, so they run one
//! after another on a thread that ends with the store. Built with the feature `keyring`; without it, creating a store
//! fails with an error that gives the reason.

#[cfg(not(feature = "keyring"))]
use callgate_secret::{Error, ErrorKind, Secret, SecretReference, SecretStore};
#[cfg(feature = "keyring")]
pub use store::KeyringStore;
#[cfg(feature = "keyring")]
pub(crate) use store::Work;

#[cfg(feature = "keyring")]
mod entry;
#[cfg(feature = "keyring")]
mod platform;
#[cfg(feature = "keyring")]
mod store;
#[cfg(feature = "keyring")]
#[cfg(test)]
mod tests;

/// The keyring of the machine to use.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "the closed set of keyrings")]
pub enum KeyringBackend {
    /// The keyring of the Linux kernel: keys of the session that callgate is started in and of its user, kept until the
    /// machine restarts. An entry is a key of the type `user` with the name `keyring:USER@SERVICE`.
    Kernel,
    /// The platform's own keyring: the Secret Service of a Linux or BSD desktop (an item with the attributes `service`
    /// and `username`), the Keychain of macOS, the Credential Manager of Windows.
    #[default]
    Platform,
}

/// Replaces the store when it is not built in: it has no value.
#[cfg(not(feature = "keyring"))]
#[derive(Debug)]
#[expect(clippy::exhaustive_enums, reason = "there is none")]
pub enum KeyringStore {}

#[cfg(not(feature = "keyring"))]
impl KeyringStore {
    /// Refuses to create a store.
    ///
    /// # Errors
    /// `Unsupported`, always.
    pub fn new(_: KeyringBackend) -> Result<Self, Error> {
        let message = "secrets of `keyring:` need a build of callgate with the feature `keyring`";
        Err(Error::new(ErrorKind::Unsupported, message))
    }
}

#[cfg(not(feature = "keyring"))]
#[async_trait::async_trait]
impl SecretStore for KeyringStore {
    async fn get(&self, _: &SecretReference) -> Result<Secret, Error> {
        match *self {}
    }
}
