//! Where a credential's value comes from, and the fetching of it. What is fetched is not empty and can be put in a header;
//! where it goes is not known here.

use callgate_secret::{Secret, SecretReference, SecretStore};
use callgate_tool::Session;

use crate::error::{self, Error};

/// The source of a credential's value.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum CredentialSource {
    /// A secret of the operator.
    Secret(SecretReference),
    /// A parameter of the session, written `$session.params.name`; a dotted name is a path. The name alone is kept.
    SessionParameter(String),
}

impl CredentialSource {
    /// The environment variable that holds the value, where one does.
    pub fn environment(&self) -> Option<&str> {
        match self {
            Self::Secret(reference) => reference.environment(),
            Self::SessionParameter(_) => None,
        }
    }

    pub(crate) async fn fetch(
        &self,
        store: &dyn SecretStore,
        session: &Session,
    ) -> Result<Secret, Error> {
        match self {
            Self::Secret(reference) => fetch_secret(reference, store).await,
            Self::SessionParameter(name) => session_value(name, session),
        }
    }
}

/// A secret that is not empty and can be put in a header.
pub(crate) async fn fetch_secret(
    reference: &SecretReference,
    store: &dyn SecretStore,
) -> Result<Secret, Error> {
    let secret = fetch_password(reference, store).await?;
    if secret.is_empty() {
        return Err(error::empty_secret(reference));
    }
    Ok(secret)
}

/// A secret that can be put in a header, and may be empty: some services take the key as the user name of basic
/// authentication and no password.
pub(crate) async fn fetch_password(
    reference: &SecretReference,
    store: &dyn SecretStore,
) -> Result<Secret, Error> {
    let no_secret = |source| error::no_secret(reference, source);
    let secret = store.get(reference).await.map_err(no_secret)?;
    secret.expose_for_header().map_err(no_secret)?;
    Ok(secret)
}

/// Security row 25: without the session's value nothing is sent.
fn session_value(name: &str, session: &Session) -> Result<Secret, Error> {
    let value = session.parameter(name).and_then(|value| value.as_str());
    let Some(value) = value.filter(|value| !value.trim().is_empty()) else {
        return Err(error::missing_session_value(name));
    };
    let secret = Secret::new(value.to_owned());
    secret.expose_for_header().map_err(|_| error::unusable_session_value(name))?;
    Ok(secret)
}
