//! The address of a database, read again when the database refuses the login: its password may have been rotated.

use std::sync::Arc;

use callgate_secret::{Secret, SecretReference, SecretStore};

/// The secret store that has the address of a database, and the secret's name.
#[derive(Clone)]
#[expect(clippy::exhaustive_structs, reason = "a secret has a store and a name in it")]
pub struct Renewal {
    /// The secret store.
    pub store: Arc<dyn SecretStore>,
    /// The name of the secret.
    pub reference: SecretReference,
}

impl Renewal {
    /// The address as it is now; `None` if it is the rejected one still, or cannot be read.
    #[cfg_attr(not(feature = "postgres"), expect(dead_code, reason = "SQLite has no passwords"))]
    pub(crate) async fn renew_url(&self, rejected: &Secret) -> Option<Secret> {
        self.store.forget(&self.reference, rejected);
        let secret = self.store.get(&self.reference).await.ok()?;
        (!secret.is_same_value(rejected)).then_some(secret)
    }
}

callgate_secret::opaque!(Renewal { reference });
