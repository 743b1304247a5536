//! The account whose tokens are asked for: the one at hand, and the one it may stand in for. Fetches nothing.

use std::path::PathBuf;

use callgate_secret::SecretReference;

use crate::endpoints::Endpoints;

/// The account whose tokens are asked for, and the server that is asked.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[expect(
    clippy::exhaustive_structs,
    reason = "callers build it field by field; a new field is a decision for them"
)]
pub struct Identity {
    /// The account at hand.
    pub account: Account,
    /// The account it stands in for.
    pub impersonation: Option<Impersonation>,
    /// The place where Google's services answer.
    #[doc(hidden)]
    pub endpoints: Endpoints,
}

/// The account at hand.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub enum Account {
    /// Application default credentials (AIP-4110): the file that `GOOGLE_APPLICATION_CREDENTIALS` names, the one `gcloud`
    /// wrote, or the machine's own account at the metadata server.
    #[default]
    Default,
    /// A file of application default credentials at this path.
    File(PathBuf),
    /// A key, or another file of credentials, whose JSON is a secret.
    Key(SecretReference),
    /// The machine's own account at the metadata server.
    Machine,
}

/// The account whose tokens are asked for with those of the account at hand.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Impersonation {
    /// Its e-mail address.
    pub principal: String,
    /// The chain of accounts in between, each of which may make tokens for the next.
    pub delegates: Vec<String>,
}

impl Impersonation {
    /// Stands in for `principal`.
    pub fn of(principal: impl Into<String>) -> Self {
        Self { principal: principal.into(), delegates: Vec::new() }
    }

    /// The same through a chain of accounts.
    #[must_use]
    pub fn through(mut self, delegates: impl IntoIterator<Item = String>) -> Self {
        self.delegates.extend(delegates);
        self
    }
}
