//! The place where a credential's value comes from, and the fetching of it. What is fetched is not empty and can be put
//! in a header; where it goes is not known here.

use callgate_secret::{Secret, SecretReference, SecretStore};
use callgate_tool::{Session, SessionName, Value};

use crate::{
    error::{self, Error},
    refusal::Refusal,
};

/// The source of a credential's value.
///
/// ```
/// use callgate_auth::{AuthConfig, CredentialSource};
///
/// // What the user of a session is signed in with.
/// let token = CredentialSource::SessionCredential("github".to_owned());
/// let auth = AuthConfig::Bearer { token };
/// assert!(auth.session_names().is_empty(), "no input reads it");
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum CredentialSource {
    /// A variable of the session's context, written `$context.variables.name`; a dotted name is a path. The name alone is
    /// kept.
    ContextVariable(String),
    /// A secret of the operator.
    Secret(SecretReference),
    /// A credential of the session, written `$session.credentials.name`. The name alone is kept.
    SessionCredential(String),
    /// A parameter of the session, written `$session.params.name`; a dotted name is a path. The name alone is kept.
    SessionParameter(String),
}

impl CredentialSource {
    /// The environment variable that holds the value, where one does.
    pub fn environment(&self) -> Option<&str> {
        match self {
            Self::Secret(reference) => reference.environment(),
            Self::ContextVariable(_) | Self::SessionCredential(_) | Self::SessionParameter(_) => {
                None
            }
        }
    }

    /// The name of the session value it reads that inputs could read too.
    pub(crate) fn session_name(&self) -> Option<SessionName> {
        match self {
            Self::ContextVariable(name) | Self::SessionParameter(name) => {
                Some(SessionName::new(name))
            }
            Self::Secret(_) | Self::SessionCredential(_) => None,
        }
    }

    /// The value, which is a token.
    pub(crate) async fn fetch(
        &self,
        store: &dyn SecretStore,
        session: &Session,
    ) -> Result<Secret, Error> {
        match self {
            Self::Secret(reference) => {
                let secret = fetch_secret(reference, store).await?;
                secret.expose_as_token().map_err(|source| error::no_secret(reference, source))?;
                Ok(secret)
            }
            Self::ContextVariable(name) => {
                let place = format!("{CONTEXT_VARIABLES}{name}");
                let value = session.context(&format!("variables.{name}"));
                session_value(&place, value.as_ref())
            }
            Self::SessionCredential(name) => {
                let place = format!("{CREDENTIALS}{name}");
                usable(&place, session.credential(name).cloned())
            }
            Self::SessionParameter(name) => session_value(name, session.parameter(name)),
        }
    }

    /// The place of the value in the session; `None` where it is the operator's.
    pub(crate) fn session_place(&self) -> Option<String> {
        match self {
            Self::ContextVariable(name) => Some(format!("{CONTEXT_VARIABLES}{name}")),
            Self::Secret(_) => None,
            Self::SessionCredential(name) => Some(format!("{CREDENTIALS}{name}")),
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
    secret.expose_for_header().map_err(|source| error::no_secret(reference, source))?;
    Ok(secret)
}

/// A secret that can be put in a header once it is encoded, and may be empty: some services take the key as the user name
/// of basic authentication and no password.
pub(crate) async fn fetch_password(
    reference: &SecretReference,
    store: &dyn SecretStore,
) -> Result<Secret, Error> {
    let secret = fetch_text(reference, store).await?;
    secret.expose_encoded().map_err(|source| error::no_secret(reference, source))?;
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

/// A text of the session is taken as it is: `env:NAME` in it is no reference.
fn session_value(place: &str, value: Option<&Value>) -> Result<Secret, Error> {
    let text = value.and_then(Value::as_str);
    usable(place, text.map(|text| Secret::new(text.to_owned())))
}

/// Threat 25 of `SECURITY.md`: without the session's value nothing is sent.
fn usable(place: &str, secret: Option<Secret>) -> Result<Secret, Error> {
    let secret = secret.filter(|secret| !secret.expose().trim().is_empty());
    let Some(secret) = secret else { return Err(error::missing_session_value(place)) };
    secret.expose_as_token().map_err(|why| error::unusable_session_value(place, &why))?;
    Ok(secret)
}

const CREDENTIALS: &str = "$session.credentials.";
const CONTEXT_VARIABLES: &str = "$context.variables.";
