//! The tokens of a person who logged in: read from the grant store, and renewed there by one process at a time. A
//! renewed grant is stored before its token is used, since many servers accept a refresh token only once.

use callgate_tool::hexadecimal;
use std::sync::{Arc, Mutex, PoisonError};

use callgate_secret::Secret;
use callgate_store::{GrantLock, GrantStore};
use sha2::{Digest, Sha256};
use tokio::time::Instant;

use super::{
    failure::EndpointFailure,
    request::TokenRequest,
    server::{Client, Server, TOKEN_TIME, TokenRequestError},
    settings::TokenEndpoint,
    stored_grant::StoredGrant,
};
use crate::{
    error::{self, Error},
    token_cache::IssuedToken,
};

#[derive(Debug)]
pub(super) struct Logins {
    pub(super) server: Arc<Server>,
    /// The token that the service refused last: no other call of this process uses it.
    refused: Mutex<Option<Secret>>,
}

impl Logins {
    pub(super) fn new(server: Arc<Server>) -> Self {
        Self { server, refused: Mutex::default() }
    }

    pub(super) async fn fetch_or_renew_token(
        self: &Arc<Self>,
        client: &Client,
    ) -> Result<IssuedToken, Error> {
        let name = self.grant_name(&client.id)?;
        let held = self.read_grant(&name).await?.ok_or_else(|| self.missing_login_error())?;
        if self.is_fresh(&held) {
            return Ok(self.issued_token(&held));
        }
        let (logins, client) = (Arc::clone(self), client.clone());
        // Spawned, because the caller may go away meanwhile: the server's response must still be stored.
        let renewing = tokio::spawn(async move { logins.renew_token(&client, &name).await });
        renewing.await.unwrap_or_else(|_| Err(error::token_endpoint_slow()))
    }

    /// Reacts to the service's refusal of one of these secrets. Returns true if another token may be available.
    pub(super) fn handle_refusal(&self, secrets: &[Secret]) -> bool {
        let mut refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(token) = secrets.last() {
            *refused = Some(token.clone());
        }
        true
    }

    async fn renew_token(&self, client: &Client, name: &str) -> Result<IssuedToken, Error> {
        let _lock = self.lock_grant(name).await?;
        // Another process may have renewed the grant, or logged out, while this one waited.
        let held = self.read_grant(name).await?.ok_or_else(|| self.missing_login_error())?;
        if self.is_fresh(&held) {
            return Ok(self.issued_token(&held));
        }
        let asking = match &held.refresh_token {
            Some(token) => match self.request_renewed_grant(client, token, &held).await {
                Ok(renewed) => {
                    self.store_grant(name, &renewed).await?;
                    return Ok(self.issued_token(&renewed));
                }
                Err(TokenRequestError::Failed(EndpointFailure::Refused {
                    code: code @ "invalid_grant",
                    said,
                })) => {
                    let (name, command) = (self.credential_name(), self.login_command());
                    let server = self.server.endpoint.server_origin();
                    return Err(
                        error::login_refused(name, code, command).with_asked_server(server, said)
                    );
                }
                Err(asking) => Some(asking),
            },
            None => None,
        };
        if self.is_still_usable(&held) {
            return Ok(self.issued_token(&held));
        }
        Err(match asking {
            Some(asking) => {
                self.server.endpoint.forget_metadata();
                self.server.token_request_error(&asking)
            }
            None => error::login_over(self.credential_name(), self.login_command()),
        })
    }

    async fn request_renewed_grant(
        &self,
        client: &Client,
        token: &Secret,
        held: &StoredGrant,
    ) -> Result<StoredGrant, TokenRequestError> {
        let asked_at = self.server.context.clock.now();
        let mut parameters = vec![("refresh_token", token.expose())];
        let resources = self.server.config.resources.iter();
        parameters.extend(resources.map(|resource| ("resource", &**resource)));
        let asked = TokenRequest { grant_type: "refresh_token", scopes: &[], parameters };
        let answered = self.server.request_token(client, asked, TOKEN_TIME).await?;
        Ok(StoredGrant::new(answered, asked_at, Some(token.clone()), &held.scopes))
    }

    /// The grant of this name; `None` if nobody has logged in.
    pub(super) async fn read_grant(&self, name: &str) -> Result<Option<StoredGrant>, Error> {
        let text = self.grant_store()?.get(name).await;
        let Some(text) = text.map_err(|source| self.store_error(source))? else { return Ok(None) };
        let unreadable = || error::login_unreadable(self.credential_name(), self.login_command());
        StoredGrant::from_stored_text(&text).map(Some).ok_or_else(unreadable)
    }

    pub(super) async fn store_grant(&self, name: &str, held: &StoredGrant) -> Result<(), Error> {
        let kept = self.grant_store()?.put(name, &held.stored_text()).await;
        kept.map_err(|source| self.store_error(source))
    }

    pub(super) async fn remove_grant(&self, name: &str) -> Result<bool, Error> {
        let removed = self.grant_store()?.remove(name).await;
        removed.map_err(|source| self.store_error(source))
    }

    pub(super) async fn lock_grant(&self, name: &str) -> Result<GrantLock, Error> {
        let lock = self.grant_store()?.lock(name).await;
        lock.map_err(|source| self.store_error(source))
    }

    /// The name of a grant: a hash of the server, the client, the requested values and the owner, so that it may be
    /// shown.
    pub(super) fn grant_name(&self, client_id: &Secret) -> Result<String, Error> {
        let config = &self.server.config;
        let server = match &config.endpoint {
            TokenEndpoint::Described => "",
            TokenEndpoint::DescribedMetadata(described) => &described.url,
            TokenEndpoint::DescribedUrl(url)
            | TokenEndpoint::Issuer(url)
            | TokenEndpoint::Url(url) => url,
        };
        let mut hash = Sha256::new();
        let mut add = |parts: &[&str]| {
            // The length comes first, so that no two lists hash alike.
            hash.update((parts.len() as u64).to_be_bytes());
            for part in parts {
                hash.update((part.len() as u64).to_be_bytes());
                hash.update(part);
            }
        };
        add(&[server, client_id.expose(), self.grant_store()?.profile().unwrap_or_default()]);
        for list in [&config.scopes, &config.audiences, &config.resources] {
            let mut list: Vec<_> = list.iter().map(String::as_str).collect();
            list.sort_unstable();
            add(&list);
        }
        Ok(hexadecimal(hash.finalize().get(..NAME_BYTES).unwrap_or_default()))
    }

    pub(super) fn grant_store(&self) -> Result<&dyn GrantStore, Error> {
        let store = self.server.context.grants.as_deref();
        store.ok_or_else(|| error::no_grant_store(self.credential_name()))
    }

    pub(super) fn missing_login_error(&self) -> Error {
        error::no_login(self.credential_name(), self.login_command())
    }

    fn credential_name(&self) -> &str {
        &self.server.config.name
    }

    fn login_command(&self) -> Option<&str> {
        self.server.context.grants.as_deref().and_then(GrantStore::login_command)
    }

    fn store_error(&self, source: callgate_secret::Error) -> Error {
        error::login_store_error(self.credential_name(), source)
    }

    fn is_fresh(&self, held: &StoredGrant) -> bool {
        held.is_fresh(self.server.context.clock.now()) && !self.is_refused(held)
    }

    fn is_still_usable(&self, held: &StoredGrant) -> bool {
        held.is_still_usable(self.server.context.clock.now()) && !self.is_refused(held)
    }

    fn is_refused(&self, held: &StoredGrant) -> bool {
        let refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        refused.as_ref().is_some_and(|token| token.is_same_value(&held.access_token))
    }

    fn issued_token(&self, held: &StoredGrant) -> IssuedToken {
        let left = held.remaining_life(self.server.context.clock.now());
        let expires_in = left.map(|left| left.as_secs_f64());
        IssuedToken { token: held.access_token.clone(), expires_in, asked_at: Instant::now() }
    }
}

/// The bytes of the hash in a name: enough that no two grants share a name.
const NAME_BYTES: usize = 16;
