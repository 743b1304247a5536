//! The Google account whose tokens are requested: the own account, and the account it may impersonate. Fetches nothing.

use std::path::PathBuf;

use callgate_secret::SecretReference;

use crate::endpoints::Endpoints;

/// The account whose tokens are requested, and the server that issues them.
///
/// ```
/// # use std::sync::Arc;
/// use callgate_google::{Account, Identity, Impersonation, Rest, Tokens};
/// # use callgate_secret::MemoryStore;
/// # use callgate_transport::Refuse;
///
/// # let (rest, secrets) = (Rest::new(Arc::new(Refuse::new())), Arc::new(MemoryStore::new()));
/// let identity = Identity {
///     account: Account::Machine,
///     impersonation: Some(Impersonation::new("pets@example.iam.gserviceaccount.com")),
///     ..Identity::default()
/// };
/// let tokens = Tokens::new(identity, rest, secrets);
/// # drop(tokens);
/// ```
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Identity {
    /// The own account.
    pub account: Account,
    /// The account that the own account impersonates.
    pub impersonation: Option<Impersonation>,
    /// The addresses of Google's services.
    #[doc(hidden)]
    pub endpoints: Endpoints,
}

/// The own account.
///
/// ```
/// # use std::sync::Arc;
/// use callgate_google::{Account, ErrorKind, Identity, Rest, Tokens};
/// # use callgate_secret::MemoryStore;
/// # use callgate_transport::Refuse;
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// # let (rest, secrets) = (Rest::new(Arc::new(Refuse::new())), Arc::new(MemoryStore::new()));
/// let account = Account::File("no-such-key.json".into());
/// let tokens = Tokens::new(Identity { account, ..Identity::default() }, rest, secrets);
/// let refused = tokens.access_token().await.unwrap_err();
/// assert_eq!(refused.kind(), ErrorKind::Configuration);
/// # });
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub enum Account {
    /// Application default credentials (AIP-4110): the file that `GOOGLE_APPLICATION_CREDENTIALS` names, the file that
    /// `gcloud` wrote, or the machine's own account at the metadata server.
    #[default]
    Default,
    /// A file of application default credentials at this path.
    File(PathBuf),
    /// A key, or another file of credentials; its JSON is a secret.
    Key(SecretReference),
    /// The machine's own account at the metadata server.
    Machine,
}

/// The account that is impersonated with the tokens of the own account.
///
/// ```
/// use callgate_google::Impersonation;
///
/// let broker = "broker@example.iam.gserviceaccount.com".to_owned();
/// let impersonation = Impersonation::new("pets@example.iam.gserviceaccount.com").through([broker]);
/// assert_eq!(impersonation.principal, "pets@example.iam.gserviceaccount.com");
/// assert_eq!(impersonation.delegates, ["broker@example.iam.gserviceaccount.com"]);
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Impersonation {
    /// The e-mail address of the impersonated account.
    pub principal: String,
    /// The chain of accounts in between; each may make tokens for the next.
    pub delegates: Vec<String>,
}

impl Impersonation {
    /// Impersonates `principal`.
    pub fn new(principal: impl Into<String>) -> Self {
        Self { principal: principal.into(), delegates: Vec::new() }
    }

    /// Impersonates the account through a chain of accounts.
    #[must_use]
    pub fn through(mut self, delegates: impl IntoIterator<Item = String>) -> Self {
        self.delegates.extend(delegates);
        self
    }
}
