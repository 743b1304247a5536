//! The source of a credential's value, and the code that fetches it. A fetched value is not empty and can be put in a
//! header; its place on the request is not known here.

use callgate_secret::{Secret, SecretReference, SecretStore};
use callgate_tool::{FingerprintHasher, Session, SessionName, Value};

use crate::{
    error::{self, Error},
    refusal::CredentialRefusal,
};

/// The source of a credential's value.
///
/// ```
/// use callgate_auth::{AuthConfig, CredentialSource};
///
/// // What the user of a session is signed in with.
/// let token = CredentialSource::SessionCredential("github".to_owned());
/// let auth = AuthConfig::Bearer { token };
/// assert!(auth.session_value_names().is_empty(), "no input reads it");
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum CredentialSource {
    /// A variable of the session's context, written `$context.variables.name`; a dotted name is a path. Holds only the
    /// name.
    ContextVariable(String),
    /// A secret of the operator.
    Secret(SecretReference),
    /// A credential of the session, written `$session.credentials.name`. Holds only the name.
    SessionCredential(String),
    /// A parameter of the session, written `$session.params.name`; a dotted name is a path. Holds only the name.
    SessionParameter(String),
}

impl CredentialSource {
    /// The environment variable that holds the value, if there is one.
    pub fn environment(&self) -> Option<&str> {
        match self {
            Self::Secret(reference) => reference.environment(),
            Self::ContextVariable(_) | Self::SessionCredential(_) | Self::SessionParameter(_) => {
                None
            }
        }
    }

    /// The name of the session value that the credential reads and that inputs could read too.
    pub(crate) fn session_name(&self) -> Option<SessionName> {
        match self {
            Self::ContextVariable(name) | Self::SessionParameter(name) => {
                Some(SessionName::new(name))
            }
            Self::Secret(_) | Self::SessionCredential(_) => None,
        }
    }

    pub(crate) async fn fetch(
        &self,
        store: &dyn SecretStore,
        session: &Session,
    ) -> Result<Secret, Error> {
        match self {
            Self::Secret(reference) => {
                let secret = fetch_secret(reference, store).await?;
                secret
                    .expose_as_token()
                    .map_err(|source| error::secret_fetch_error(reference, source))?;
                Ok(secret)
            }
            Self::ContextVariable(name) => {
                let place = format!("{CONTEXT_VARIABLES}{name}");
                let value = session.context(&format!("variables.{name}"));
                session_value_as_secret(&place, value.as_ref())
            }
            Self::SessionCredential(name) => {
                let place = format!("{CREDENTIALS}{name}");
                usable_session_value(&place, session.credential(name).cloned())
            }
            Self::SessionParameter(name) => session_value_as_secret(name, session.parameter(name)),
        }
    }

    /// Adds the person whose value it is to a fingerprint; nothing if the value is the operator's.
    pub(crate) fn add_credential_owner(&self, session: &Session, hasher: &mut FingerprintHasher) {
        let text = |value: Option<&Value>| {
            value.and_then(Value::as_str).map(|text| Secret::new(text.to_owned()))
        };
        let token = match self {
            Self::Secret(_) => return,
            Self::ContextVariable(name) => {
                text(session.context(&format!("variables.{name}")).as_ref())
            }
            Self::SessionCredential(name) => session.credential(name).cloned(),
            Self::SessionParameter(name) => text(session.parameter(name)),
        };
        match token {
            Some(token) => hasher.add_token_subject(&token),
            None => hasher.add_optional_text(None),
        };
    }

    /// The place of the value in the session; `None` if the value is the operator's.
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
    let secret = fetch_non_empty_encodable(reference, store).await?;
    secret.expose_for_header().map_err(|source| error::secret_fetch_error(reference, source))?;
    Ok(secret)
}

/// A secret that is not empty and can be put in a header after it is encoded.
pub(crate) async fn fetch_non_empty_encodable(
    reference: &SecretReference,
    store: &dyn SecretStore,
) -> Result<Secret, Error> {
    let secret = fetch_encodable(reference, store).await?;
    if secret.is_empty() { Err(error::empty_secret(reference)) } else { Ok(secret) }
}

/// A secret that can be put in a header after it is encoded, and may be empty: some services take the key as the user
/// name of basic authentication and no password.
pub(crate) async fn fetch_encodable(
    reference: &SecretReference,
    store: &dyn SecretStore,
) -> Result<Secret, Error> {
    let secret = fetch_any_text(reference, store).await?;
    secret.expose_encoded().map_err(|source| error::secret_fetch_error(reference, source))?;
    Ok(secret)
}

/// Makes the store forget a value that a service refused, and returns true if the store now has another value. An
/// unnamed refusal may not concern the credential: then the value is read again only for the next request.
pub(crate) async fn forget_and_is_changed(
    reference: &SecretReference,
    store: &dyn SecretStore,
    refused: &[Secret],
    refusal: CredentialRefusal,
) -> bool {
    for secret in refused {
        store.forget(reference, secret);
    }
    if refusal != CredentialRefusal::Token {
        return false;
    }
    let is_new = |secret: Secret| {
        !refused.iter().any(|refused_secret| refused_secret.is_same_value(&secret))
    };
    store.get(reference).await.is_ok_and(is_new)
}

/// A secret of any form, such as a key of several lines.
pub(crate) async fn fetch_any_text(
    reference: &SecretReference,
    store: &dyn SecretStore,
) -> Result<Secret, Error> {
    store.get(reference).await.map_err(|source| error::secret_fetch_error(reference, source))
}

/// The session's text is taken literally: `env:NAME` in it is not a reference.
fn session_value_as_secret(place: &str, value: Option<&Value>) -> Result<Secret, Error> {
    let text = value.and_then(Value::as_str);
    usable_session_value(place, text.map(|text| Secret::new(text.to_owned())))
}

/// Threat 25 of `SECURITY.md`: without the session's value no request is sent.
fn usable_session_value(place: &str, secret: Option<Secret>) -> Result<Secret, Error> {
    let secret = secret.filter(|secret| !secret.expose().trim().is_empty());
    let Some(secret) = secret else { return Err(error::missing_session_value(place)) };
    secret.expose_as_token().map_err(|why| error::unusable_session_value(place, &why))?;
    Ok(secret)
}

const CREDENTIALS: &str = "$session.credentials.";
const CONTEXT_VARIABLES: &str = "$context.variables.";
