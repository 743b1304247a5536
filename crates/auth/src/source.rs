//! Where a credential's value comes from, and the fetching of it. What is fetched is not empty and can be put in a header;
//! where it goes is not known here.

use callgate_secret::{Secret, SecretReference, SecretStore};
use callgate_tool::Session;
use serde_json::Value;

use crate::{
    error::{self, Error},
    refusal::Refusal,
};

/// The source of a credential's value.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum CredentialSource {
    /// A variable of the session's context, written `$context.variables.name`; a dotted name is a path. The name alone is
    /// kept.
    ContextVariable(String),
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
            Self::ContextVariable(_) | Self::SessionParameter(_) => None,
        }
    }

    pub(crate) async fn fetch(
        &self,
        store: &dyn SecretStore,
        session: &Session,
    ) -> Result<Secret, Error> {
        match self {
            Self::Secret(reference) => fetch_secret(reference, store).await,
            Self::ContextVariable(name) => {
                let place = format!("{CONTEXT_VARIABLES}{name}");
                let value = session.context(&format!("variables.{name}"));
                session_value(&place, value.as_ref())
            }
            Self::SessionParameter(name) => session_value(name, session.parameter(name)),
        }
    }

    /// Where in the session the value is; `None` where it is the operator's.
    pub(crate) fn session_place(&self) -> Option<String> {
        match self {
            Self::ContextVariable(name) => Some(format!("{CONTEXT_VARIABLES}{name}")),
            Self::Secret(_) => None,
            Self::SessionParameter(name) => Some(name.clone()),
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
    let secret = fetch_text(reference, store).await?;
    secret.expose_for_header().map_err(|source| error::no_secret(reference, source))?;
    Ok(secret)
}

/// Tells the store that a service refused what it gave, and finds out whether it gives something else now. What an
/// unnamed refusal refuses may be another thing than the credential: it is read anew for the next request, not for this.
pub(crate) async fn is_changed(
    reference: &SecretReference,
    store: &dyn SecretStore,
    refused: &[Secret],
    refusal: Refusal,
) -> bool {
    for secret in refused {
        store.forget(reference, secret);
    }
    if refusal != Refusal::Token {
        return false;
    }
    let is_new = |secret: Secret| !refused.iter().any(|known| known.is_same_value(&secret));
    store.get(reference).await.is_ok_and(is_new)
}

/// A secret of any form, such as a key of several lines.
pub(crate) async fn fetch_text(
    reference: &SecretReference,
    store: &dyn SecretStore,
) -> Result<Secret, Error> {
    store.get(reference).await.map_err(|source| error::no_secret(reference, source))
}

/// Security row 25: without the session's value nothing is sent.
fn session_value(place: &str, value: Option<&Value>) -> Result<Secret, Error> {
    let text = value.and_then(Value::as_str).filter(|text| !text.trim().is_empty());
    let Some(text) = text else { return Err(error::missing_session_value(place)) };
    let secret = Secret::new(text.to_owned());
    secret.expose_for_header().map_err(|_| error::unusable_session_value(place))?;
    Ok(secret)
}

const CONTEXT_VARIABLES: &str = "$context.variables.";
