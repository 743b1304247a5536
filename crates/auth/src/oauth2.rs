//! Tokens of an authorization server in the `Authorization` header: client credentials (RFC 6749 §4.4), JWT bearer
//! (RFC 7523 §2.1) and token exchange (RFC 8693). A token is asked for when a call first needs it and kept by
//! [`TokenCache`], one for each session that brings its own, or for each caller.

mod answer;
mod assertion;
mod endpoint;
mod failure;
mod grant;
mod request;
mod settings;

use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use callgate_secret::{Secret, SecretStore};
use callgate_tool::{CallerToken, Session};
use http::{HeaderValue, Request};
use oauth2::AuthType;
use tokio::time::{Instant, sleep};

use crate::{
    authenticator::{Authenticator, Authorization},
    error::{self, Error},
    place::{BEARER, CredentialPlace},
    refusal::Refusal,
    source::{CredentialSource, fetch_password, fetch_secret, fetch_text},
    supplies::Supplies,
    token_cache::{Issued, TokenCache, Version},
};
use endpoint::Endpoint;
use failure::{Failure, Retry};
use grant::Shown;
use request::TokenRequest;

pub use settings::{
    ClientAuthentication, DescribedMetadata, OAuth2Client, OAuth2Config, OAuth2Grant,
    PrivateKeyJwt, SigningAlgorithm, SubjectToken, TokenEndpoint,
};

/// Puts tokens of an authorization server on requests.
#[derive(Debug)]
pub(crate) struct OAuth2 {
    config: OAuth2Config,
    endpoint: Endpoint,
    supplies: Supplies,
    cache: TokenCache,
}

/// The client as the operator's secrets have it now.
#[derive(Debug)]
struct Client {
    id: Secret,
    /// The secret or the private key.
    secret: Option<Secret>,
}

impl OAuth2 {
    pub(crate) fn new(config: OAuth2Config, supplies: Supplies) -> Result<Self, Error> {
        if config.endpoint == TokenEndpoint::Described {
            return Err(error::no_token_endpoint(&config.name));
        }
        // Threat 44 of `SECURITY.md`: no description chooses who gets a caller's token.
        let is_operators =
            matches!(config.endpoint, TokenEndpoint::Issuer(_) | TokenEndpoint::Url(_));
        if config.grant.is_of_caller() && !is_operators {
            return Err(error::callers_endpoint(&config.name));
        }
        let endpoint = Endpoint::new(config.endpoint.clone());
        Ok(Self { config, endpoint, supplies, cache: TokenCache::default() })
    }

    /// The client's own token, where there is nothing to be done for it.
    fn kept(&self) -> Option<(Secret, HeaderValue)> {
        let is_own = matches!(self.config.grant, OAuth2Grant::ClientCredentials);
        self.cache.kept(&grant::OWN).filter(|_| is_own)
    }

    async fn token(&self, session: &Session) -> Result<Secret, Error> {
        let store = &*self.supplies.secrets;
        let shown = self.config.grant.shown(store, session).await?;
        let key = shown.key();
        let client = match self.client(store).await {
            Ok(client) => client,
            // A store that is down fails no call whose token is still good.
            Err(error) if error.is_transient() => return self.cache.good(&key).ok_or(error),
            Err(error) => return Err(error),
        };
        let version = Version::new(client.secrets().chain(shown.actor.iter().cloned()));
        self.cache.token(&key, &version, self.issued(&client, &shown)).await
    }

    async fn client(&self, store: &dyn SecretStore) -> Result<Client, Error> {
        let Some(client) = &self.config.client else {
            return Ok(Client { id: Secret::new(String::new()), secret: None });
        };
        let id = fetch_secret(&client.id, store).await?;
        let secret = match &client.authentication {
            ClientAuthentication::Basic(secret) | ClientAuthentication::Body(secret) => {
                Some(fetch_password(secret, store).await?)
            }
            ClientAuthentication::None => None,
            ClientAuthentication::PrivateKeyJwt(jwt) => Some(fetch_text(&jwt.key, store).await?),
        };
        Ok(Client { id, secret })
    }

    /// Asks until the endpoint answers, for ten seconds in all: one that restarts is there again before that.
    async fn issued(&self, client: &Client, shown: &Shown<'_>) -> Result<Issued, Error> {
        let started = Instant::now();
        let mut pause = FIRST_PAUSE;
        loop {
            let asked_at = Instant::now();
            let time = TOKEN_TIME.saturating_sub(started.elapsed());
            let failure = match self.asked(client, shown, time).await {
                Ok((token, said)) => {
                    let expires_in = shown.life(said, self.supplies.clock.now());
                    return Ok(Issued { token, expires_in, asked_at });
                }
                Err(Asking::Impossible(error)) => return Err(error),
                Err(Asking::Failed(failure)) => failure,
            };
            if !matches!(failure, Failure::Refused(_)) {
                self.endpoint.forget();
            }
            let is_over = started.elapsed().saturating_add(pause) >= TOKEN_TIME;
            if is_over || !matches!(failure, Failure::Unavailable { retry: Retry::Soon, .. }) {
                return Err(self.error(&failure));
            }
            sleep(pause).await;
            pause = pause.saturating_mul(2).min(LONGEST_PAUSE);
        }
    }

    async fn asked(
        &self,
        client: &Client,
        shown: &Shown<'_>,
        time: Duration,
    ) -> Result<request::Answered, Asking> {
        let transport = &*self.supplies.transport;
        let url = self.endpoint.url(transport, time).await?;
        let proof = self.proof(client, &url)?;
        let config = &self.config;
        let mut parameters = shown.parameters(&config.grant);
        parameters.extend(config.audiences.iter().map(|audience| ("audience", &**audience)));
        parameters.extend(config.resources.iter().map(|resource| ("resource", &**resource)));
        parameters.extend(config.parameters.iter().map(|(name, value)| (&**name, &**value)));
        if let Proof::Jwt(jwt) = &proof {
            parameters.push(("client_assertion_type", ASSERTION_TYPE));
            parameters.push(("client_assertion", jwt.expose()));
        }
        let asked = TokenRequest {
            url: &url,
            named_by: self.endpoint.named_by(),
            client_id: client.id.expose(),
            secret: proof.secret(),
            grant_type: config.grant.name(),
            scopes: &config.scopes,
            parameters,
        };
        Ok(request::send(transport, asked, time).await?)
    }

    fn proof<'a>(&self, client: &'a Client, url: &str) -> Result<Proof<'a>, Error> {
        let chosen = self.config.client.as_ref().map(|client| &client.authentication);
        Ok(match (chosen, &client.secret) {
            (Some(ClientAuthentication::Basic(_)), Some(secret)) => {
                Proof::Secret(secret, AuthType::BasicAuth)
            }
            (Some(ClientAuthentication::Body(_)), Some(secret)) => {
                Proof::Secret(secret, AuthType::RequestBody)
            }
            (Some(ClientAuthentication::PrivateKeyJwt(jwt)), Some(key)) => {
                let audience = jwt.audience.as_deref().or_else(|| self.endpoint.issuer());
                let id = client.id.expose();
                let now = self.supplies.clock.now();
                Proof::Jwt(assertion::signed(jwt, key, id, audience.unwrap_or(url), now)?)
            }
            _ => Proof::None,
        })
    }

    fn error(&self, failure: &Failure) -> Error {
        let name = &self.config.name;
        match failure {
            Failure::Refused(code) => match self.config.grant.session_place_of(code) {
                Some(place) => error::session_token_refused(name, &place, code),
                None => error::token_refused(name, code),
            },
            Failure::Unavailable { why, .. } => error::token_unavailable(name, why),
            Failure::Unreadable(why) => error::token_unreadable(name, why),
        }
    }
}

#[async_trait]
impl Authenticator for OAuth2 {
    async fn authorize(
        &self,
        request: &mut Request<Bytes>,
        session: &Session,
    ) -> Result<Authorization, Error> {
        let place = CredentialPlace::authorization(BEARER);
        let token = if let Some((token, header)) = self.kept() {
            CredentialPlace::put_bearer(request, header);
            token
        } else {
            // Most calls need not make room for all that asking takes.
            let token = Box::pin(self.token(session)).await?;
            place.put(request, token.expose())?;
            token
        };
        Ok(Authorization::placed(vec![place]).with_secrets([token]))
    }

    fn places(&self) -> Vec<CredentialPlace> {
        vec![CredentialPlace::authorization(BEARER)]
    }

    async fn refused(
        &self,
        authorization: &Authorization,
        refusal: Refusal,
        session: &Session,
    ) -> bool {
        let Ok(shown) = self.config.grant.shown(&*self.supplies.secrets, session).await else {
            return false;
        };
        self.cache.refused(&shown.key(), &authorization.secrets, refusal)
    }

    fn session_parameter(&self) -> Option<String> {
        if self.config.grant.is_of_caller() {
            return Some(CallerToken::PLACE.to_owned());
        }
        self.config.grant.sources().into_iter().find_map(CredentialSource::session_place)
    }
}

impl Client {
    fn secrets(&self) -> impl Iterator<Item = Secret> {
        [Some(self.id.clone()), self.secret.clone()].into_iter().flatten()
    }
}

/// The way the client shows that it is the client.
#[derive(Debug)]
enum Proof<'a> {
    Jwt(Secret),
    None,
    Secret(&'a Secret, AuthType),
}

impl Proof<'_> {
    fn secret(&self) -> Option<(&Secret, AuthType)> {
        match self {
            Self::Secret(secret, place) => Some((secret, place.clone())),
            Self::Jwt(_) | Self::None => None,
        }
    }
}

/// The reason why one asking came to nothing.
#[derive(Debug)]
enum Asking {
    Failed(Failure),
    /// Nothing was asked.
    Impossible(Error),
}

impl From<Error> for Asking {
    fn from(error: Error) -> Self {
        Self::Impossible(error)
    }
}

impl From<Failure> for Asking {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

/// RFC 7523 §2.2.
const ASSERTION_TYPE: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/// Security §4: what a call waits for a token, however often it is asked for.
const TOKEN_TIME: Duration = Duration::from_secs(10);

/// Doubled from one try to the next.
const FIRST_PAUSE: Duration = Duration::from_millis(100);

/// A server that is down for five seconds is asked ten times.
const LONGEST_PAUSE: Duration = Duration::from_secs(1);
