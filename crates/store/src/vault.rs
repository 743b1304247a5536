//! HashiCorp Vault and OpenBao: `vault:mount/path#key` of the key-value engine, version 1 or 2; the store asks the
//! server for the version, as `vault kv get` does. A path may be written as the command takes it (`secret/pets`) or as
//! the API does (`secret/data/pets`). Other engines, whose secrets expire with a lease, are refused by name.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use callgate_secret::{Error, ErrorKind, Secret, SecretReference, SecretStore};
use callgate_transport::Transport;
use http::{Method, StatusCode};
use tokio::time::Instant;

use crate::{exchange::StoreResponse, vault_settings::VaultConfig};
use kv::Mount;
use login::Login;
use server::Server;

mod kv;
mod login;
mod server;
#[cfg(test)]
mod tests;

/// A secret store that reads `vault:mount/path#key` at each call.
#[derive(Debug)]
pub struct VaultStore {
    server: Server,
    login: Login,
    // A mount keeps its version as long as it exists.
    mounts: Mutex<Vec<Mount>>,
    // The time when a new token was denied too: then a policy denies access, and another login does not help.
    denied: Mutex<Option<Instant>>,
}

impl VaultStore {
    /// A store that signs in with secrets of `local`. Creating it sends nothing.
    pub fn new(
        config: VaultConfig,
        local: Arc<dyn SecretStore>,
        transport: Arc<dyn Transport>,
    ) -> Self {
        Self {
            server: Server::new(&config.address, config.namespace, transport),
            login: Login::new(config.login, local),
            mounts: Mutex::default(),
            denied: Mutex::default(),
        }
    }

    async fn find_mount(&self, path: &str) -> Result<Mount, Error> {
        let cached_mount = {
            let mounts = self.mounts.lock().unwrap_or_else(PoisonError::into_inner);
            mounts.iter().find(|mount| mount.is_prefix_of(path)).cloned()
        };
        if let Some(mount) = cached_mount {
            return Ok(mount);
        }
        let answer = self.get_with_token_retry(&kv::mount_lookup_path(path)).await?;
        let mount = kv::mount_of_answer(&answer, path)?;
        self.mounts.lock().unwrap_or_else(PoisonError::into_inner).push(mount.clone());
        Ok(mount)
    }

    /// Sends a request with a token; if the token is rejected, retries once with a new one.
    async fn get_with_token_retry(&self, path: &str) -> Result<StoreResponse, Error> {
        let token = self.login.usable_token(&self.server).await?;
        let answer = self.server.send_request(Method::GET, path, Some(&token), None).await?;
        // A vault responds with 403 both to an unknown token and to a token that may not read the path.
        if answer.status != StatusCode::FORBIDDEN || self.was_denied_just_now() {
            return Ok(answer);
        }
        let Some(token) = self.login.fetch_other_token(&token, &self.server).await? else {
            return Ok(answer);
        };
        let answer = self.server.send_request(Method::GET, path, Some(&token), None).await?;
        let is_denied = answer.status == StatusCode::FORBIDDEN;
        let mut denied = self.denied.lock().unwrap_or_else(PoisonError::into_inner);
        *denied = is_denied.then(Instant::now);
        Ok(answer)
    }

    fn was_denied_just_now(&self) -> bool {
        let denied = self.denied.lock().unwrap_or_else(PoisonError::into_inner);
        denied.is_some_and(|at| at.elapsed() < DENIED_PAUSE)
    }
}

#[async_trait]
impl SecretStore for VaultStore {
    async fn get(&self, reference: &SecretReference) -> Result<Secret, Error> {
        let SecretReference::Remote { scheme: "vault", secret, .. } = reference else {
            let message = format!("the vault holds no secrets of `{}:`", reference.scheme());
            return Err(Error::new(ErrorKind::Unsupported, message));
        };
        let mount = self.find_mount(&secret.name).await?;
        let version = secret.version.as_ref().map(|(_, number)| &**number);
        let answer = self.get_with_token_retry(&mount.request_path(&secret.name, version)?).await?;
        let key = secret.key.as_deref().unwrap_or_default();
        kv::secret_of_answer(&answer, mount.version, key, reference)
    }
}

/// The time for which no further login is tried after a new token was denied too.
const DENIED_PAUSE: std::time::Duration = std::time::Duration::from_secs(10);
