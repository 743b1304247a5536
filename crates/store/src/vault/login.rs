//! Comes by a token: logs in, or takes the one it is told of; ahead of its end it logs in again or renews it. Which
//! secret a token is for is not known here.

use std::{sync::Arc, time::Duration};

use callgate_secret::{Error, ErrorKind, Secret, SecretStore};
use http::{Method, StatusCode};
use serde::Deserialize;
use tokio::{sync::Mutex, time::Instant};
use zeroize::Zeroizing;

use super::server::Server;
use crate::vault_settings::VaultLogin;
use crate::{exchange::Answer, json};

/// The token of one vault.
#[derive(Debug)]
pub(super) struct Login {
    how: VaultLogin,
    local: Arc<dyn SecretStore>,
    // Held while logging in: who needs a token of this vault has nothing else to wait for.
    held: Mutex<Option<Held>>,
}

#[derive(Debug)]
struct Held {
    token: Secret,
    // When a third of its life is left; none where it lives for good, or cannot be renewed.
    due: Option<Instant>,
}

/// The answer to a login, and to a renewal.
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

/// The words of a vault about a token.
#[derive(Deserialize)]
struct LookedUp {
    data: Life,
}

#[derive(Deserialize)]
struct Life {
    #[serde(default)]
    ttl: u64,
    #[serde(default)]
    renewable: bool,
}

impl Login {
    pub(super) fn new(how: VaultLogin, local: Arc<dyn SecretStore>) -> Self {
        Self { how, local, held: Mutex::new(None) }
    }

    /// A token that is not near its end.
    pub(super) async fn token(&self, server: &Server) -> Result<Secret, Error> {
        let mut held = self.held.lock().await;
        match held.as_mut() {
            Some(known) if known.due.is_none_or(|due| Instant::now() < due) => {}
            Some(known) if matches!(self.how, VaultLogin::Token(_)) => {
                known.due = renewed(server, &known.token).await;
            }
            _ => *held = Some(self.obtain(server).await?),
        }
        held.as_ref().map(|held| held.token.clone()).ok_or_else(no_token)
    }

    /// Another token than a rejected one, where one is to be had.
    pub(super) async fn another_than(
        &self,
        rejected: &Secret,
        server: &Server,
    ) -> Result<Option<Secret>, Error> {
        let mut held = self.held.lock().await;
        let is_held = held.as_ref().is_some_and(|held| held.token.is_same_value(rejected));
        if is_held {
            *held = Some(self.obtain(server).await?);
        }
        let token = held.as_ref().map(|held| held.token.clone());
        Ok(token.filter(|token| !token.is_same_value(rejected)))
    }

    async fn obtain(&self, server: &Server) -> Result<Held, Error> {
        let (mount, body) = match &self.how {
            VaultLogin::Token(reference) => {
                let token = self.local.get(reference).await?;
                let due = looked_up(server, &token).await;
                return Ok(Held { token, due });
            }
            VaultLogin::AppRole { mount, role_id, secret_id } => {
                let role_id = self.local.get(role_id).await?;
                let secret_id = self.local.get(secret_id).await?;
                let members = [("role_id", role_id.expose()), ("secret_id", secret_id.expose())];
                (mount, object(&members))
            }
            VaultLogin::Kubernetes { mount, role, jwt } => {
                let jwt = self.local.get(jwt).await?;
                (mount, object(&[("role", role), ("jwt", jwt.expose())]))
            }
        };
        let path = format!("auth/{mount}/login");
        let answer = server.ask(Method::POST, &path, None, Some(body)).await?;
        let LoggedIn { auth } = logged_in(&answer)?;
        let life = auth.lease_duration;
        Ok(Held { token: Secret::new(auth.client_token), due: due(life) })
    }
}

fn logged_in(answer: &Answer) -> Result<LoggedIn, Error> {
    if answer.status != StatusCode::OK {
        let status = answer.status.as_u16();
        let message = format!("the vault refused the login and answered {status}");
        return Err(Error::new(ErrorKind::Denied, message));
    }
    json::read(answer.body.bytes()).ok_or_else(no_token)
}

/// The time when a token of somebody else's making is to be renewed. That it may not be looked up is no failure.
async fn looked_up(server: &Server, token: &Secret) -> Option<Instant> {
    let answer = server.ask(Method::GET, "auth/token/lookup-self", Some(token), None).await.ok()?;
    let LookedUp { data } = json::read(answer.body.bytes())?;
    if data.renewable { due(data.ttl) } else { None }
}

/// Renews a token and says when to do so again; one that cannot be renewed is used to its end.
async fn renewed(server: &Server, token: &Secret) -> Option<Instant> {
    let body = Some(object(&[]));
    match server.ask(Method::POST, "auth/token/renew-self", Some(token), body).await {
        Ok(answer) => due(json::read::<LoggedIn>(answer.body.bytes())?.auth.lease_duration),
        Err(_) => Some(Instant::now() + RENEWAL_PAUSE),
    }
}

fn due(life: u64) -> Option<Instant> {
    let life = Duration::from_secs(life);
    if life.is_zero() { None } else { Instant::now().checked_add(life / 3 * 2) }
}

/// The text of an object. Room for all of it: a buffer that grows leaves copies behind.
fn object(members: &[(&str, &str)]) -> Zeroizing<Vec<u8>> {
    let length: usize = members.iter().map(|(_, value)| value.len().saturating_mul(6)).sum();
    let mut text = Zeroizing::new(Vec::with_capacity(length.saturating_add(64)));
    text.push(b'{');
    for (at, (name, value)) in members.iter().enumerate() {
        let start = if at == 0 { "\"" } else { ",\"" };
        text.extend_from_slice(start.as_bytes());
        text.extend_from_slice(name.as_bytes());
        text.extend_from_slice(b"\":");
        // A text can always be written.
        serde_json::to_writer(&mut *text, value).ok();
    }
    text.push(b'}');
    text
}

fn no_token() -> Error {
    Error::new(ErrorKind::Unreadable, "the vault's answer to the login holds no token")
}

/// The time for which a renewal that failed is not tried again.
const RENEWAL_PAUSE: Duration = Duration::from_secs(30);
