//! Logs a person in at an authorization server and out again: the steps, over our own transport. The caller shows the
//! page to the person and waits for the browser to come back.

mod code;
mod device;
mod logout;

use std::{sync::Arc, time::Duration};

use super::{
    logins::Logins,
    server::Server,
    settings::{LoginEndpoints, OAuth2Config, OAuth2Grant},
    stored_grant::StoredGrant,
};
use crate::{
    context::AuthContext,
    error::{self, Error},
};

pub use code::BegunLogin;
pub use device::DeviceLogin;
pub use logout::LoggedOut;

/// The logins of one credential.
///
/// A login in a browser: [`Login::begin_in_browser`] returns the page to show, the browser comes back to the redirect URL with a
/// query, and [`Login::finish_in_browser`] takes the query. On another device: [`Login::begin_on_device`] returns the code to
/// show, [`Login::finish_on_device`] waits.
#[derive(Debug)]
pub struct Login {
    logins: Logins,
    endpoints: LoginEndpoints,
}

/// The ways in which a person can log in.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct LoginWays {
    /// In a browser on this machine (RFC 8252).
    pub browser: bool,
    /// In a browser anywhere (RFC 8628).
    pub device: bool,
}

/// The result of a login.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct LoggedIn {
    /// The granted scopes.
    pub scopes: Vec<String>,
    /// The lifetime of the first token; `None` if the server does not say.
    pub expires_in: Option<Duration>,
    /// The place where the login is kept, in words.
    pub place: String,
    /// True if tokens are renewed; otherwise the login ends when its token expires.
    pub is_renewed: bool,
}

impl Login {
    /// The logins of a credential of the kind `oauth2_authorization_code`. Creating it sends nothing.
    ///
    /// # Errors
    /// [`ErrorKind::Configuration`](crate::ErrorKind::Configuration) if the credential is not of that kind, or its
    /// token endpoint is unknown.
    pub fn new(config: &OAuth2Config, context: &AuthContext) -> Result<Self, Error> {
        let OAuth2Grant::AuthorizationCode(endpoints) = &config.grant else {
            return Err(error::no_person(&config.name));
        };
        let server = Server::new(config.clone(), context.clone())?;
        Ok(Self { endpoints: endpoints.clone(), logins: Logins::new(Arc::new(server)) })
    }

    /// The only address that the browser may come back to, if the server accepts only one.
    pub fn redirect_url(&self) -> Option<&str> {
        self.endpoints.redirect_url.as_deref()
    }

    /// The ways of logging in whose endpoint the settings or the server's metadata name.
    ///
    /// # Errors
    /// The metadata cannot be read.
    pub async fn available_ways(&self) -> Result<LoginWays, Error> {
        let endpoints = self.fetch_endpoints().await?;
        Ok(LoginWays {
            browser: endpoints.authorization_url.is_some(),
            device: endpoints.device_authorization_url.is_some(),
        })
    }

    /// Begins a login in a browser that comes back to `redirect_url`, an address on this machine.
    ///
    /// # Errors
    /// The page is unknown, or the client's id cannot be read.
    pub async fn begin_in_browser(&self, redirect_url: &str) -> Result<BegunLogin, Error> {
        let server = &*self.logins.server;
        self.logins.grant_store()?;
        let client = server.fetch_client(&*server.context.secrets).await?;
        let page = self.fetch_endpoints().await?.authorization_url;
        let page = page.ok_or_else(|| error::no_login_page(&server.config.name))?;
        let all = server.endpoint.fetch_endpoints(&*server.context.transport, TIME).await;
        let all = all.map_err(|failure| server.credential_error(&failure))?;
        let issuer = all.issuer.clone().map(|issuer| (issuer, all.names_itself));
        code::begin_browser_login(&server.config, client.id.expose(), &page, redirect_url, issuer)
    }

    /// Ends a login with the query that the browser came back with, and keeps the grant.
    ///
    /// # Errors
    /// The query is not a response to this login, the person or the server refused, or the grant cannot be stored.
    pub async fn finish_in_browser(
        &self,
        begun: BegunLogin,
        query: &str,
    ) -> Result<LoggedIn, Error> {
        let server = &*self.logins.server;
        let client = server.fetch_client(&*server.context.secrets).await?;
        let held = code::exchange_code(server, &client, begun, query).await?;
        self.store_grant_under_lock(&self.logins.grant_name(&client.id)?, &held).await
    }

    /// Begins a login on another device.
    ///
    /// # Errors
    /// The endpoint is unknown, or the server refuses.
    pub async fn begin_on_device(&self) -> Result<DeviceLogin, Error> {
        let server = &*self.logins.server;
        self.logins.grant_store()?;
        let client = server.fetch_client(&*server.context.secrets).await?;
        let url = self.fetch_endpoints().await?.device_authorization_url;
        let url = url.ok_or_else(|| error::no_device_login(&server.config.name))?;
        device::begin_device_login(server, &client, &url).await
    }

    /// Waits until the person has logged in on another device, and keeps the grant.
    ///
    /// # Errors
    /// The person or the server refused, the time is over, or the grant cannot be stored.
    pub async fn finish_on_device(&self, begun: DeviceLogin) -> Result<LoggedIn, Error> {
        let server = &*self.logins.server;
        let client = server.fetch_client(&*server.context.secrets).await?;
        let held = device::poll_for_grant(server, &client, begun).await?;
        self.store_grant_under_lock(&self.logins.grant_name(&client.id)?, &held).await
    }

    /// Checks that somebody has logged in. Sends nothing.
    ///
    /// # Errors
    /// If nobody has logged in, an error that names the command to log in; or the grants cannot be read.
    pub async fn check_logged_in(&self) -> Result<(), Error> {
        let server = &*self.logins.server;
        let id = server.fetch_client_id(&*server.context.secrets).await?;
        let held = self.logins.read_grant(&self.logins.grant_name(&id)?).await?;
        held.map(drop).ok_or_else(|| self.logins.missing_login_error())
    }

    /// Revokes the tokens at the server (RFC 7009), and removes the grant even if the server refuses.
    ///
    /// # Errors
    /// The grant cannot be removed.
    pub async fn logout(&self) -> Result<LoggedOut, Error> {
        let server = &*self.logins.server;
        let client = server.fetch_client(&*server.context.secrets).await?;
        let name = self.logins.grant_name(&client.id)?;
        let _lock = self.logins.lock_grant(&name).await?;
        // A grant that cannot be read is removed, too.
        let held = self.logins.read_grant(&name).await.ok().flatten();
        let unrevoked = match (&held, self.fetch_endpoints().await) {
            (None, _) => None,
            (Some(held), Ok(login_endpoints)) => logout::revoke_tokens(
                server,
                &client,
                held,
                login_endpoints.revocation_url.as_deref(),
            )
            .await
            .err(),
            (Some(_), Err(error)) => Some(error.to_string()),
        };
        let was_there = self.logins.remove_grant(&name).await?;
        Ok(LoggedOut { was_there, unrevoked })
    }

    async fn fetch_endpoints(&self) -> Result<LoginEndpoints, Error> {
        let server = &*self.logins.server;
        let all = server.endpoint.fetch_endpoints(&*server.context.transport, TIME).await;
        let all = all.map_err(|failure| server.credential_error(&failure))?;
        let own = self.endpoints.clone();
        Ok(LoginEndpoints {
            authorization_url: own.authorization_url.or_else(|| all.authorization.clone()),
            device_authorization_url: own
                .device_authorization_url
                .or_else(|| all.device_authorization.clone()),
            revocation_url: own.revocation_url.or_else(|| all.revocation.clone()),
            redirect_url: own.redirect_url,
        })
    }

    async fn store_grant_under_lock(
        &self,
        name: &str,
        held: &StoredGrant,
    ) -> Result<LoggedIn, Error> {
        let _lock = self.logins.lock_grant(name).await?;
        self.logins.store_grant(name, held).await?;
        Ok(LoggedIn {
            scopes: held.scopes.clone(),
            expires_in: held.token_lifetime(),
            place: self.logins.grant_store()?.place(name),
            is_renewed: held.refresh_token.is_some(),
        })
    }
}

/// The longest time that a person waits for a server's metadata.
const TIME: Duration = Duration::from_secs(10);
