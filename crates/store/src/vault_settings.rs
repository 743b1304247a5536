//! The settings of a vault, which a configuration can hold even if the store is not built in.

use callgate_secret::SecretReference;

/// The address of a vault and the login there. Holds references to secrets; shows no literal secret.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct VaultConfig {
    /// The origin, with a path if a proxy adds one: `https://vault.example.com:8200`.
    pub address: String,
    /// The namespace (Vault Enterprise, HCP, OpenBao).
    pub namespace: Option<String>,
    /// The way to get a token.
    pub login: VaultLogin,
}

/// The way to get a token.
#[derive(Clone, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "the closed set of ways to log in")]
pub enum VaultLogin {
    /// The AppRole method.
    AppRole {
        /// The mount path of the method, usually `approle`.
        mount: String,
        /// The role's id.
        role_id: SecretReference,
        /// The secret id.
        secret_id: SecretReference,
    },
    /// The Kubernetes method, or the JWT method, which takes equal settings.
    Kubernetes {
        /// The mount path of the method, usually `kubernetes`.
        mount: String,
        /// The role.
        role: String,
        /// The service account's token, read again at each login.
        jwt: SecretReference,
    },
    /// A token that was made elsewhere. It is renewed if possible, and read again when it is rejected.
    Token(SecretReference),
}
