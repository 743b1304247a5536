//! What a grant shows for a token, fetched for one call: the parameters of the request, and whom the token is for.

use callgate_secret::{Secret, SecretStore};
use callgate_tool::Session;
use sha2::{Digest, Sha256};

use super::settings::OAuth2Grant;
use crate::{error::Error, source::CredentialSource, token_cache::Key};

/// The text that is shown for one call.
#[derive(Debug)]
pub(super) struct Shown {
    /// The user's token, where the grant is on behalf of one.
    subject: Option<Secret>,
    /// The token of who acts for the user.
    pub(super) actor: Option<Secret>,
}

/// The key of the client's own token.
pub(super) const OWN: Key = [0; 32];

impl OAuth2Grant {
    /// Fetches what the grant shows.
    pub(super) async fn shown(
        &self,
        store: &dyn SecretStore,
        session: &Session,
    ) -> Result<Shown, Error> {
        let (subject, actor) = match self {
            Self::ClientCredentials => return Ok(Shown { subject: None, actor: None }),
            Self::JwtBearer { assertion } => (assertion, None),
            Self::TokenExchange { subject, actor, .. } => (subject, actor.as_ref()),
        };
        let subject = Some(subject.fetch(store, session).await?);
        let actor = match actor {
            Some((source, _)) => Some(source.fetch(store, session).await?),
            None => None,
        };
        Ok(Shown { subject, actor })
    }

    /// The place where the tokens come from that the grant shows: the user's, and that of who acts for the user.
    pub(crate) fn sources(&self) -> Vec<&CredentialSource> {
        match self {
            Self::ClientCredentials => Vec::new(),
            Self::JwtBearer { assertion } => vec![assertion],
            Self::TokenExchange { subject, actor, .. } => {
                [subject].into_iter().chain(actor.iter().map(|(source, _)| source)).collect()
            }
        }
    }

    /// `grant_type`.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::ClientCredentials => "client_credentials",
            Self::JwtBearer { .. } => "urn:ietf:params:oauth:grant-type:jwt-bearer",
            Self::TokenExchange { .. } => "urn:ietf:params:oauth:grant-type:token-exchange",
        }
    }

    /// The place where the session has the token that an error code is about, where it is about one.
    pub(super) fn session_place_of(&self, code: &str) -> Option<String> {
        match (self, code) {
            (Self::JwtBearer { assertion }, "invalid_grant") => assertion.session_place(),
            // RFC 8693 §2.2.2: an invalid subject is an `invalid_request`; some say `invalid_grant`.
            (Self::TokenExchange { subject, .. }, "invalid_grant" | "invalid_request") => {
                subject.session_place()
            }
            _ => None,
        }
    }
}

impl Shown {
    /// Whom the token is for: one session's user and who acts for the user, whatever another session shows.
    pub(super) fn key(&self, session: &Session) -> Key {
        let Some(subject) = &self.subject else { return OWN };
        let mut hash = Sha256::new();
        let actor = self.actor.as_ref().map(Secret::expose);
        for part in [session.id(), Some(subject.expose()), actor] {
            // A length before each, so that no two pairs read alike; none differs from empty.
            hash.update(part.map_or(u64::MAX, |part| part.len() as u64).to_be_bytes());
            hash.update(part.unwrap_or_default());
        }
        hash.finalize().into()
    }

    /// The grant's own parameters.
    pub(super) fn parameters<'a>(&'a self, grant: &'a OAuth2Grant) -> Vec<(&'a str, &'a str)> {
        let subject = self.subject.as_ref().map(Secret::expose).unwrap_or_default();
        match grant {
            OAuth2Grant::ClientCredentials => Vec::new(),
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
