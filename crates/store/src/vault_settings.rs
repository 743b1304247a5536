//! The settings of a vault, which a configuration can hold even if the store is not built in.

use callgate_secret::SecretReference;

/// The address of a vault and the login there. Holds references to secrets; shows no literal secret.
///
/// ```
/// # #[cfg(feature = "vault")]
/// # {
/// use std::sync::Arc;
///
/// use callgate_secret::LocalStores;
/// use callgate_store::{VaultConfig, VaultLogin, VaultStore};
/// use callgate_transport::Client;
///
/// let config = VaultConfig {
///     address: "https://vault.example.com:8200".to_owned(),
///     namespace: Some("pets".to_owned()),
///     login: VaultLogin::Token("file:/run/secrets/vault-token".parse()?),
/// };
/// let store = VaultStore::new(config, Arc::new(LocalStores::new(".")), Arc::new(Client::new()?));
/// # drop(store);
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "callers name every setting")]
pub struct VaultConfig {
    /// The origin, with a path if a proxy adds one: `https://vault.example.com:8200`.
    pub address: String,
    /// The namespace (Vault Enterprise, HCP, OpenBao).
    pub namespace: Option<String>,
    /// The way to get a token.
    pub login: VaultLogin,
}

/// The way to get a token.
///
/// ```
/// use callgate_store::VaultLogin;
///
/// let login = VaultLogin::Kubernetes {
///     mount: "kubernetes".to_owned(),
///     role: "pets".to_owned(),
///     jwt: "file:/var/run/secrets/kubernetes.io/serviceaccount/token".parse()?,
/// };
/// let token = match &login {
///     VaultLogin::AppRole { secret_id, .. } => secret_id,
///     VaultLogin::Kubernetes { jwt, .. } => jwt,
///     VaultLogin::Token(token) => token,
/// };
/// assert_eq!(token.scheme(), "file");
/// # Ok::<(), callgate_secret::Error>(())
/// ```
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
