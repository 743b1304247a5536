//! Secrets of remote stores, one file each, over our own transport, and of the operating system's keyring; none of them
//! keeps a secret, which is the memory's business in `secret`. What a store needs to sign in comes from the local stores
//! by reference. Beside them are the grants of people who logged in (`grants`).

pub mod aws;
mod exchange;
mod grants;
mod json;
mod keyring;
#[cfg(test)]
mod test_server;
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
