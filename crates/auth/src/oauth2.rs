//! Tokens of an authorization server in the `Authorization` header: client credentials (RFC 6749 §4.4), JWT bearer (RFC
//! 7523 §2.1), token exchange (RFC 8693), and tokens of people who logged in (RFC 6749 §4.1, RFC 8628). A token is
//! requested when a call first needs it and kept by [`TokenCache`], one for each session that brings its own, or for
//! each caller.

mod assertion;
mod codes;
mod endpoint;
mod failure;
mod grant;
mod login;
mod logins;
mod request;
mod response;
mod server;
mod settings;
mod stored_grant;
mod token_response;

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use bytes::Bytes;
use callgate_secret::Secret;
use callgate_tool::{CallerToken, FingerprintHasher, Session};
use http::{HeaderValue, Request};
use tokio::time::{Instant, sleep};

use crate::{
    authenticator::{Authenticator, Authorization},
    context::AuthContext,
    error::Error,
    place::{ApiKeyLocation::Header, BEARER, CredentialPlace},
    refusal::CredentialRefusal,
    source::CredentialSource,
    token_cache::{IssuedToken, SecretsVersion, TokenCache, description_with_age},
};
use failure::{EndpointFailure, Retry};
use grant::GrantInputs;
use logins::Logins;
use request::TokenRequest;
use server::{Client, Server, TOKEN_TIME, TokenRequestError};

pub use login::{BegunLogin, DeviceLogin, LoggedIn, LoggedOut, Login, LoginWays};
pub use settings::{
    ClientAuthentication, DescribedMetadata, LoginEndpoints, OAuth2Client, OAuth2Config,
    OAuth2Grant, PrivateKeyJwt, SigningAlgorithm, SubjectToken, TokenEndpoint,
};

#[derive(Debug)]
pub(crate) struct OAuth2 {
    server: Arc<Server>,
    logins: Option<Arc<Logins>>,
    cache: TokenCache,
    place: CredentialPlace,
}

impl OAuth2 {
    pub(crate) fn new(config: OAuth2Config, context: AuthContext) -> Result<Self, Error> {
        let place = config.header.as_deref().map(|name| CredentialPlace::new(Header, name));
        let place = place.unwrap_or_else(|| Ok(CredentialPlace::authorization(BEARER)))?;
        let is_of_a_person = matches!(config.grant, OAuth2Grant::AuthorizationCode(_));
        let server = Arc::new(Server::new(config, context)?);
        let logins = is_of_a_person.then(|| Arc::new(Logins::new(Arc::clone(&server))));
        Ok(Self { server, logins, cache: TokenCache::default(), place })
    }

    fn cached_own_token(&self) -> Option<(Secret, HeaderValue)> {
        let is_own = matches!(
            self.server.config.grant,
            OAuth2Grant::AuthorizationCode(_) | OAuth2Grant::ClientCredentials
        );
        self.cache.fresh_token(&grant::OWN).filter(|_| is_own)
    }

    async fn fetch_token(&self, session: &Session) -> Result<Secret, Error> {
        let store = &*self.server.context.secrets;
        let shown = self.server.config.grant.fetch_inputs(store, session).await?;
        let key = shown.cache_key();
        let client = match self.server.fetch_client(store).await {
            Ok(client) => client,
            // While the store is down, calls whose token is still good succeed.
            Err(error) if error.is_transient() => return self.cache.valid_token(&key).ok_or(error),
            Err(error) => return Err(error),
        };
        let version =
            SecretsVersion::new(client.id_and_secret().chain(shown.actor.iter().cloned()));
        match &self.logins {
            Some(logins) => {
                self.cache
                    .cached_or_fetched_token(&key, &version, logins.fetch_or_renew_token(&client))
                    .await
            }
            None => {
                self.cache
                    .cached_or_fetched_token(
                        &key,
                        &version,
                        self.request_token_with_retries(&client, &shown),
                    )
                    .await
            }
        }
    }

    /// Retries until the endpoint responds, for ten seconds in all: a server that restarts is back before that.
    async fn request_token_with_retries(
        &self,
        client: &Client,
        shown: &GrantInputs<'_>,
    ) -> Result<IssuedToken, Error> {
        let started = Instant::now();
        let mut pause = FIRST_PAUSE;
        loop {
            let asked_at = Instant::now();
            let time = TOKEN_TIME.saturating_sub(started.elapsed());
            let failure =
                match self.server.request_token(client, self.token_request(shown), time).await {
                    Ok(answered) => {
                        let now = self.server.context.clock.now();
                        let expires_in = shown.limited_token_lifetime(answered.expires_in, now);
                        let token = answered.token;
                        return Ok(IssuedToken { token, expires_in, asked_at });
                    }
                    Err(TokenRequestError::Impossible(error)) => return Err(error),
                    Err(TokenRequestError::Failed(failure)) => failure,
                };
            if !matches!(failure, EndpointFailure::Refused { .. }) {
                self.server.endpoint.forget_metadata();
            }
            let wait = match failure {
                EndpointFailure::Unavailable { retry: Retry::After(time), .. } => {
                    Some(time.max(pause))
                }
                EndpointFailure::Unavailable { retry: Retry::Soon, .. } => Some(pause),
                _ => None,
            };
            let is_in_time = |wait: &Duration| started.elapsed().saturating_add(*wait) < TOKEN_TIME;
            let Some(wait) = wait.filter(is_in_time) else {
                return Err(self.server.credential_error(&failure));
            };
            sleep(wait).await;
            pause = pause.saturating_mul(2).min(LONGEST_PAUSE);
        }
    }

    fn token_request<'a>(&'a self, shown: &'a GrantInputs<'a>) -> TokenRequest<'a> {
        let config = &self.server.config;
        let mut parameters = shown.grant_specific_parameters(&config.grant);
        parameters.extend(config.audiences.iter().map(|audience| ("audience", &**audience)));
        parameters.extend(config.resources.iter().map(|resource| ("resource", &**resource)));
        parameters.extend(config.parameters.iter().map(|(name, value)| (&**name, &**value)));
        TokenRequest { grant_type: config.grant.grant_type(), scopes: &config.scopes, parameters }
    }
}

#[async_trait]
impl Authenticator for OAuth2 {
    async fn authorize(
        &self,
        request: &mut Request<Bytes>,
        session: &Session,
    ) -> Result<Authorization, Error> {
        let place = self.place.clone();
        let token = if let Some((token, header)) = self.cached_own_token() {
            match self.server.config.header {
                None => CredentialPlace::put_bearer(request, header),
                Some(_) => place.put(request, token.expose())?,
            }
            token
        } else {
            // Boxed, because most calls do not need the memory of a token request.
            let token = Box::pin(self.fetch_token(session)).await?;
            place.put(request, token.expose())?;
            token
        };
        Ok(Authorization::from_places(vec![place]).with_secrets([token]))
    }

    fn places(&self) -> Vec<CredentialPlace> {
        vec![self.place.clone()]
    }

    fn credential_reference_description(&self) -> Option<String> {
        let name = format!("the token of `{}`", self.server.config.name);
        Some(description_with_age(&name, self.cache.token_age(&grant::OWN)))
    }

    async fn handle_refusal(
        &self,
        authorization: &Authorization,
        refusal: CredentialRefusal,
        session: &Session,
    ) -> bool {
        let config = &self.server.config;
        let Ok(shown) = config.grant.fetch_inputs(&*self.server.context.secrets, session).await
        else {
            return false;
        };
        let secrets = &authorization.secrets;
        let helps = self.cache.handle_refusal(&shown.cache_key(), secrets, refusal);
        match &self.logins {
            Some(logins) if helps => logins.handle_refusal(secrets),
            _ => helps,
        }
    }

    fn session_parameter(&self) -> Option<String> {
        if self.server.config.grant.is_caller_token_exchange() {
            return Some(CallerToken::PLACE.to_owned());
        }
        let sources = self.server.config.grant.credential_sources();
        sources.into_iter().find_map(CredentialSource::session_place)
    }

    fn add_credential_owner(&self, session: &Session, hasher: &mut FingerprintHasher) {
        let grant = &self.server.config.grant;
        if grant.is_caller_token_exchange() {
            hasher.add_optional_text(session.caller_token().map(CallerToken::principal));
        }
        grant
            .credential_sources()
            .into_iter()
            .for_each(|source| source.add_credential_owner(session, hasher));
    }
}

/// The first pause, which doubles from one attempt to the next.
const FIRST_PAUSE: Duration = Duration::from_millis(100);

/// The longest pause. A server that is down for five seconds gets ten requests.
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

#[cfg(test)]
mod tests {
    use callgate_secret::MemoryStore;
    use callgate_transport::{Limits, Transport};
    use http::Response;

    use super::*;

    #[derive(Debug)]
    struct Issuer;

    #[async_trait]
    impl Transport for Issuer {
        async fn send(
            &self,
            _: Request<Bytes>,
            _: &Limits,
        ) -> Result<Response<Bytes>, callgate_transport::Error> {
            let token =
                b"{\"access_token\": \"t0k3n\", \"token_type\": \"bearer\", \"expires_in\": 60}";
            Ok(Response::new(Bytes::from_static(token)))
        }
    }

    fn oauth(header: Option<&str>) -> OAuth2 {
        let config = OAuth2Config {
            name: "shop".to_owned(),
            endpoint: TokenEndpoint::Url("https://login.example.com/token".to_owned()),
            client: None,
            grant: OAuth2Grant::ClientCredentials,
            scopes: Vec::new(),
            audiences: Vec::new(),
            resources: Vec::new(),
            header: header.map(str::to_owned),
            parameters: Vec::new(),
        };
        let context = AuthContext::new(Arc::new(MemoryStore::new()), Arc::new(Issuer));
        OAuth2::new(config, context).unwrap()
    }

    #[track_caller]
    fn check(request: &Request<Bytes>, expected: (&str, &str)) {
        let headers: Vec<_> = request.headers().iter().collect();
        let (name, value) = headers[0];
        assert_eq!((name.as_str(), value.to_str().unwrap()), expected);
        assert_eq!((headers.len(), value.is_sensitive()), (1, true));
    }

    #[tokio::test]
    async fn a_token_goes_alone_into_the_header_of_its_own() {
        for (header, expected) in [
            (None, ("authorization", "Bearer t0k3n")),
            (Some("X-Shop-Access-Token"), ("x-shop-access-token", "t0k3n")),
        ] {
            let (oauth, session) = (oauth(header), Session::default());
            let (mut first, mut second) = (Request::new(Bytes::new()), Request::new(Bytes::new()));
            oauth.authorize(&mut first, &session).await.unwrap();
            // The second request takes the token that is kept.
            oauth.authorize(&mut second, &session).await.unwrap();
            check(&first, expected);
            check(&second, expected);
            assert_eq!(oauth.places()[0].name(), expected.0);
        }
    }
}
