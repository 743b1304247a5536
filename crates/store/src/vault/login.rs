//! Gets a token: logs in, or uses the token that the operator names. Before the token expires it logs in again or
//! renews the token. This module does not know which secrets are read with it.

use std::{sync::Arc, time::Duration};

use callgate_secret::{
    Error, ErrorKind, Secret, SecretStore,
    single_flight::{Lasting, Life, Pace, SingleFlight},
};
use http::{Method, StatusCode};
use serde::Deserialize;
use zeroize::Zeroizing;

use super::server::Server;
use crate::vault_settings::VaultLogin;
use crate::{exchange::StoreResponse, json};

#[derive(Debug)]
pub(super) struct Login {
    how: VaultLogin,
    local: Arc<dyn SecretStore>,
    held: SingleFlight<Secret, Error>,
}

#[derive(Deserialize)]
struct LoggedIn {
    auth: Auth,
}

#[derive(Deserialize)]
struct Auth {
    client_token: String,
    #[serde(default)]
    lease_duration: u64,
}

#[derive(Deserialize)]
struct LookedUp {
    data: TimeLeft,
}

#[derive(Deserialize)]
struct TimeLeft {
    #[serde(default)]
    ttl: u64,
    #[serde(default)]
    renewable: bool,
}

impl Login {
    pub(super) fn new(how: VaultLogin, local: Arc<dyn SecretStore>) -> Self {
        Self { how, local, held: SingleFlight::new(PACE) }
    }

    /// A token that does not expire soon.
    pub(super) async fn usable_token(&self, server: &Server) -> Result<Secret, Error> {
        self.held.get(&(), async |_| self.renew_or_log_in(server).await).await
    }

    /// A token other than the rejected one; `None` if there is no other.
    pub(super) async fn fetch_other_token(
        &self,
        rejected: &Secret,
        server: &Server,
    ) -> Result<Option<Secret>, Error> {
        self.held.forget_if(|held| held.value.is_same_value(rejected));
        let token = self.usable_token(server).await?;
        Ok((!token.is_same_value(rejected)).then_some(token))
    }

    /// The known token, renewed, if the operator named it; otherwise the token of a new login.
    async fn renew_or_log_in(&self, server: &Server) -> Result<(Secret, Life), Error> {
        let current_token = self.held.inspect_value(|held| held.value.clone());
        match current_token.filter(|_| matches!(self.how, VaultLogin::Token(_))) {
            Some(token) => {
                let life = renew_token(server, &token).await;
                Ok((token, life))
            }
            None => self.log_in(server).await,
        }
    }

    async fn log_in(&self, server: &Server) -> Result<(Secret, Life), Error> {
        let (mount, body) = match &self.how {
            VaultLogin::Token(reference) => {
                let token = self.local.get(reference).await?;
                let life =
                    look_up_renewable_life(server, &token).await.unwrap_or_else(Life::without_end);
                return Ok((token, life));
            }
            VaultLogin::AppRole { mount, role_id, secret_id } => {
                let role_id = self.local.get(role_id).await?;
                let secret_id = self.local.get(secret_id).await?;
                let members = [("role_id", role_id.expose()), ("secret_id", secret_id.expose())];
                (mount, json_object_text(&members))
            }
            VaultLogin::Kubernetes { mount, role, jwt } => {
                let jwt = self.local.get(jwt).await?;
                (mount, json_object_text(&[("role", role), ("jwt", jwt.expose())]))
            }
        };
        let path = format!("auth/{mount}/login");
        let answer = server.send_request(Method::POST, &path, None, Some(body)).await?;
        let LoggedIn { auth } = parse_login_response(&answer)?;
        Ok((Secret::new(auth.client_token), life_with_early_renewal(auth.lease_duration)))
    }
}

fn parse_login_response(answer: &StoreResponse) -> Result<LoggedIn, Error> {
    if answer.status != StatusCode::OK {
        let status = answer.status.as_u16();
        let message = format!("the vault refused the login and answered {status}");
        return Err(Error::new(ErrorKind::Denied, message));
    }
    json::parse_json(answer.body.bytes()).ok_or_else(no_token_error)
}

/// The life of a token that the operator named, if it is renewable or may not look itself up.
async fn look_up_renewable_life(server: &Server, token: &Secret) -> Option<Life> {
    let answer =
        server.send_request(Method::GET, "auth/token/lookup-self", Some(token), None).await.ok()?;
    let LookedUp { data } = json::parse_json(answer.body.bytes())?;
    data.renewable.then(|| life_with_early_renewal(data.ttl))
}

/// Renews a token and returns its lifetime; a token that cannot be renewed is used until the vault rejects it.
async fn renew_token(server: &Server, token: &Secret) -> Life {
    let body = Some(json_object_text(&[]));
    match server.send_request(Method::POST, "auth/token/renew-self", Some(token), body).await {
        Ok(answer) => json::parse_json(answer.body.bytes())
            .map_or_else(Life::without_end, |LoggedIn { auth }| {
                life_with_early_renewal(auth.lease_duration)
            }),
        Err(_) => Life::from_duration(RENEWAL_PAUSE),
    }
}

/// The token is renewed when a third of its lifetime is left; zero seconds mean that it does not expire.
fn life_with_early_renewal(seconds: u64) -> Life {
    let life = Duration::from_secs(seconds);
    if life.is_zero() { Life::without_end() } else { Life::with_early_renewal(life / 3 * 2, life) }
}

/// The JSON text of an object. The buffer has room for all of it, because a buffer that grows leaves copies behind.
fn json_object_text(members: &[(&str, &str)]) -> Zeroizing<Vec<u8>> {
    let length: usize = members.iter().map(|(_, value)| value.len().saturating_mul(6)).sum();
    let mut text = Zeroizing::new(Vec::with_capacity(length.saturating_add(64)));
    text.push(b'{');
    for (at, (name, value)) in members.iter().enumerate() {
        let start = if at == 0 { "\"" } else { ",\"" };
        text.extend_from_slice(start.as_bytes());
        text.extend_from_slice(name.as_bytes());
        text.extend_from_slice(b"\":");
        // Writing to memory does not fail.
        serde_json::to_writer(&mut *text, value).ok();
    }
    text.push(b'}');
    text
}

fn no_token_error() -> Error {
    Error::new(ErrorKind::Unreadable, "the vault's answer to the login holds no token")
}

/// No pause after a failure: the reader of secrets, which uses this token, pauses after a store failed.
const PACE: Pace =
    Pace { pause: Duration::ZERO, stale: Duration::ZERO, lasting: Lasting::Withdraws };

const RENEWAL_PAUSE: Duration = Duration::from_secs(30);
