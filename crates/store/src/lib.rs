//! Secrets of remote stores, one file each, over our own transport, and of the operating system's keyring. These stores
//! keep no secret; the cache in `secret` does. The credentials that a store needs to sign in are references to the
//! local stores. A new one also has its scheme in
//! `secret::scheme` and its keys in `config::secrets`. The module `grants` keeps the grants of people who logged in.

pub mod aws;
mod exchange;
mod grants;
mod json;
mod keyring;
#[cfg(feature = "vault")]
mod vault;
mod vault_settings;

#[cfg(feature = "keyring")]
pub use grants::GrantKeyring;
pub use grants::{GrantFolder, GrantLock, GrantStore};
pub use keyring::{KeyringBackend, KeyringStore};
#[cfg(feature = "vault")]
pub use vault::VaultStore;
pub use vault_settings::{VaultConfig, VaultLogin};
