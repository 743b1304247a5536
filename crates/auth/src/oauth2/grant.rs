//! A grant, prepared for one call: the parameters of the token request, and the person that the token is for.

use std::time::SystemTime;

use callgate_secret::{Secret, SecretStore};
use callgate_tool::{CallerToken, Session};
use sha2::{Digest, Sha256};

use super::settings::{OAuth2Grant, SubjectToken};
use crate::{
    error::{self, Error},
    source::CredentialSource,
    token_cache::{Key, UNSAID},
};

#[derive(Debug, Default)]
pub(super) struct GrantInputs<'s> {
    /// The owner of the token: the session by its id, or the caller.
    holder: Option<&'s str>,
    subject: Option<Secret>,
    pub(super) actor: Option<Secret>,
    /// The expiry of the user's token, if it limits the lifetime of the issued token.
    expires: Option<SystemTime>,
}

/// The key of the client's own token.
pub(super) const OWN: Key = [0; 32];

impl OAuth2Grant {
    pub(super) async fn fetch_inputs<'s>(
        &self,
        store: &dyn SecretStore,
        session: &'s Session,
    ) -> Result<GrantInputs<'s>, Error> {
        let (subject, actor) = match self {
            Self::AuthorizationCode(_) | Self::ClientCredentials => {
                return Ok(GrantInputs::default());
            }
            Self::JwtBearer { assertion } => (Some(assertion), None),
            Self::TokenExchange { subject, actor, .. } => (subject.source(), actor.as_ref()),
        };
        let mut shown = match subject {
            Some(source) => {
                let subject = Some(source.fetch(store, session).await?);
                GrantInputs { holder: session.id(), subject, ..GrantInputs::default() }
            }
            None => GrantInputs::from_caller_token(session)?,
        };
        if let Some((source, _)) = actor {
            shown.actor = Some(source.fetch(store, session).await?);
        }
        Ok(shown)
    }

    pub(crate) fn is_caller_token_exchange(&self) -> bool {
        matches!(self, Self::TokenExchange { subject: SubjectToken::Caller, .. })
    }

    pub(crate) fn credential_sources(&self) -> Vec<&CredentialSource> {
        match self {
            Self::AuthorizationCode(_) | Self::ClientCredentials => Vec::new(),
            Self::JwtBearer { assertion } => vec![assertion],
            Self::TokenExchange { subject, actor, .. } => {
                let actor = actor.iter().map(|(source, _)| source);
                subject.source().into_iter().chain(actor).collect()
            }
        }
    }

    pub(super) fn grant_type(&self) -> &'static str {
        match self {
            Self::AuthorizationCode(_) => "authorization_code",
            Self::ClientCredentials => "client_credentials",
            Self::JwtBearer { .. } => "urn:ietf:params:oauth:grant-type:jwt-bearer",
            Self::TokenExchange { .. } => "urn:ietf:params:oauth:grant-type:token-exchange",
        }
    }

    /// The place in the session of the token that an error code is about, if it is about one.
    pub(super) fn session_place_for_error(&self, code: &str) -> Option<String> {
        match (self, code) {
            (Self::JwtBearer { assertion }, "invalid_grant") => assertion.session_place(),
            // RFC 8693 §2.2.2: an invalid subject is an `invalid_request`; some servers return `invalid_grant`.
            (Self::TokenExchange { subject, .. }, "invalid_grant" | "invalid_request") => {
                match subject {
                    SubjectToken::Caller => Some(CallerToken::PLACE.to_owned()),
                    SubjectToken::Source(source) => source.session_place(),
                }
            }
            _ => None,
        }
    }
}

impl SubjectToken {
    /// The source of the token, unless it is the caller's own.
    fn source(&self) -> Option<&CredentialSource> {
        match self {
            Self::Caller => None,
            Self::Source(source) => Some(source),
        }
    }
}

impl<'s> GrantInputs<'s> {
    fn from_caller_token(session: &'s Session) -> Result<Self, Error> {
        let token = session.caller_token().ok_or_else(error::no_caller_token_error)?;
        Ok(Self {
            holder: Some(token.principal()),
            subject: Some(token.token().clone()),
            actor: None,
            expires: Some(token.expires()),
        })
    }

    /// The lifetime in seconds of a token that is issued `now`: the `said` one, limited to that of the exchanged token.
    pub(super) fn limited_token_lifetime(&self, said: Option<f64>, now: SystemTime) -> Option<f64> {
        let Some(expires) = self.expires else { return said };
        let left = expires.duration_since(now).unwrap_or_default().as_secs_f64();
        let said = said.unwrap_or(UNSAID.as_secs_f64());
        Some(if said > left { left } else { said })
    }

    /// The key of the token in the cache: one session's user or one caller, and the actor; no other session or caller
    /// can get this key.
    pub(super) fn cache_key(&self) -> Key {
        let Some(subject) = &self.subject else { return OWN };
        let mut hash = Sha256::new();
        let actor = self.actor.as_ref().map(Secret::expose);
        for part in [self.holder, Some(subject.expose()), actor] {
            // Each part follows its length, so that no two pairs hash alike; a missing part differs from an empty one.
            hash.update(part.map_or(u64::MAX, |part| part.len() as u64).to_be_bytes());
            hash.update(part.unwrap_or_default());
        }
        hash.finalize().into()
    }

    pub(super) fn grant_specific_parameters<'a>(
        &'a self,
        grant: &'a OAuth2Grant,
    ) -> Vec<(&'a str, &'a str)> {
        let subject = self.subject.as_ref().map(Secret::expose).unwrap_or_default();
        match grant {
            OAuth2Grant::AuthorizationCode(_) | OAuth2Grant::ClientCredentials => Vec::new(),
            OAuth2Grant::JwtBearer { .. } => vec![("assertion", subject)],
            OAuth2Grant::TokenExchange { subject_type, actor, requested_type, .. } => {
                let mut parameters =
                    vec![("subject_token", subject), ("subject_token_type", subject_type)];
                if let (Some(actor), Some((_, actor_type))) = (&self.actor, actor) {
                    parameters.push(("actor_token", actor.expose()));
                    parameters.push(("actor_token_type", actor_type));
                }
                let requested = requested_type.iter();
                parameters.extend(requested.map(|kind| ("requested_token_type", &**kind)));
                parameters
            }
        }
    }
}
