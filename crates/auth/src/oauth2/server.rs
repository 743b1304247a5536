//! One authorization server that a client requests tokens from: the client, its authentication, and the errors that it
//! causes. The requests, the grant's parameters and the use of the token belong to other modules.

use std::time::Duration;

use callgate_secret::{Secret, SecretStore};

use super::{
    assertion,
    endpoint::Endpoint,
    failure::EndpointFailure,
    settings::{ClientAuthentication, OAuth2Config, TokenEndpoint},
};
use crate::{
    context::AuthContext,
    error::{self, Error},
    source::{fetch_any_text, fetch_encodable, fetch_non_empty_encodable},
};

#[derive(Debug)]
pub(super) struct Server {
    pub(super) config: OAuth2Config,
    pub(super) endpoint: Endpoint,
    pub(super) context: AuthContext,
}

#[derive(Clone, Debug)]
pub(super) struct Client {
    pub(super) id: Secret,
    pub(super) secret: Option<Secret>,
}

impl Server {
    pub(super) fn new(config: OAuth2Config, context: AuthContext) -> Result<Self, Error> {
        if config.endpoint == TokenEndpoint::Described {
            return Err(error::no_token_endpoint(&config.name));
        }
        // Threat 44 of `SECURITY.md`: no description chooses the endpoint that receives a caller's token.
        let is_operators =
            matches!(config.endpoint, TokenEndpoint::Issuer(_) | TokenEndpoint::Url(_));
        if config.grant.is_caller_token_exchange() && !is_operators {
            return Err(error::callers_endpoint(&config.name));
        }
        let endpoint = Endpoint::new(config.endpoint.clone());
        Ok(Self { config, endpoint, context })
    }

    /// The client's id alone; empty if no client is configured.
    pub(super) async fn fetch_client_id(&self, store: &dyn SecretStore) -> Result<Secret, Error> {
        match &self.config.client {
            Some(client) => fetch_non_empty_encodable(&client.id, store).await,
            None => Ok(Secret::new(String::new())),
        }
    }

    pub(super) async fn fetch_client(&self, store: &dyn SecretStore) -> Result<Client, Error> {
        let id = self.fetch_client_id(store).await?;
        let Some(client) = &self.config.client else { return Ok(Client { id, secret: None }) };
        let secret = match &client.authentication {
            ClientAuthentication::Basic(secret) | ClientAuthentication::Body(secret) => {
                Some(fetch_encodable(secret, store).await?)
            }
            ClientAuthentication::None => None,
            ClientAuthentication::PrivateKeyJwt(jwt) => {
                Some(fetch_any_text(&jwt.key, store).await?)
            }
        };
        Ok(Client { id, secret })
    }

    pub(super) fn client_proof<'a>(
        &self,
        client: &'a Client,
        url: &str,
    ) -> Result<Proof<'a>, Error> {
        let chosen = self.config.client.as_ref().map(|client| &client.authentication);
        Ok(match (chosen, &client.secret) {
            (Some(ClientAuthentication::Basic(_)), Some(secret)) => Proof::Basic(secret),
            (Some(ClientAuthentication::Body(_)), Some(secret)) => Proof::Body(secret),
            (Some(ClientAuthentication::PrivateKeyJwt(jwt)), Some(key)) => {
                let audience =
                    jwt.audience.as_deref().or_else(|| self.endpoint.configured_issuer());
                let id = client.id.expose();
                let now = self.context.clock.now();
                Proof::Jwt(assertion::signed_jwt(jwt, key, id, audience.unwrap_or(url), now)?)
            }
            _ => Proof::None,
        })
    }

    pub(super) fn credential_error(&self, failure: &EndpointFailure) -> Error {
        let name = &self.config.name;
        let error = match failure {
            EndpointFailure::Refused { code, .. } => {
                match self.config.grant.session_place_for_error(code) {
                    Some(place) => error::session_token_refused(name, &place, code),
                    None => error::token_refused(name, code, self.other_authentication(code)),
                }
            }
            EndpointFailure::Unavailable { why, .. } => error::token_unavailable(name, why),
            EndpointFailure::Unreadable { why, .. } => error::token_unreadable(name, why),
        };
        let said = failure.server_words().map(ToOwned::to_owned);
        error.with_asked_server(self.endpoint.server_origin(), said)
    }

    /// The other way to send the client's secret, if the server refuses the client: some servers read only one of the
    /// two, and some read `Basic` without the form encoding of RFC 6749 §2.3.1.
    fn other_authentication(&self, code: &str) -> Option<&'static str> {
        match &self.config.client.as_ref()?.authentication {
            _ if code != "invalid_client" => None,
            ClientAuthentication::Basic(_) => Some("body"),
            ClientAuthentication::Body(_) => Some("basic"),
            ClientAuthentication::None | ClientAuthentication::PrivateKeyJwt(_) => None,
        }
    }

    pub(super) fn token_request_error(&self, asking: &TokenRequestError) -> Error {
        match asking {
            TokenRequestError::Failed(failure) => self.credential_error(failure),
            TokenRequestError::Impossible(error) => error.clone(),
        }
    }
}

impl Client {
    /// The proof of the client: its secret or its key.
    pub(super) fn secret(&self) -> Option<&Secret> {
        self.secret.as_ref()
    }

    pub(super) fn id_and_secret(&self) -> impl Iterator<Item = Secret> {
        [Some(self.id.clone()), self.secret.clone()].into_iter().flatten()
    }
}

#[derive(Debug)]
pub(super) enum Proof<'a> {
    Basic(&'a Secret),
    Body(&'a Secret),
    Jwt(Secret),
    None,
}

#[derive(Debug)]
pub(super) enum TokenRequestError {
    Failed(EndpointFailure),
    Impossible(Error),
}

impl From<Error> for TokenRequestError {
    fn from(error: Error) -> Self {
        Self::Impossible(error)
    }
}

impl From<EndpointFailure> for TokenRequestError {
    fn from(failure: EndpointFailure) -> Self {
        Self::Failed(failure)
    }
}

/// Security §4: the longest time that a call waits for a token, however many requests are made.
pub(super) const TOKEN_TIME: Duration = Duration::from_secs(10);
