//! The stores of secrets behind one door: a table from schemes to stores. Those of this machine are always there; a
//! reference to another that is not configured is a fault of the configuration, told before anything is called.

use std::{collections::BTreeMap, path::Path, sync::Arc};

use async_trait::async_trait;
use callgate_google::{Identity, Rest, SecretManager, Tokens};
use callgate_secret::{
    CachedStore, Error, ErrorKind, LocalStores, Secret, SecretReference, SecretStore,
};
use callgate_store::{
    KeyringStore, VaultStore,
    aws::{AwsKeySource, SecretsManagerStore},
};
use callgate_transport::{Client, ClientSettings, Network, Transport};

use super::noted::Noted;
use crate::{
    reader::Reader,
    secrets::{LOCAL, SecretsConfig},
    tls::{self, TlsConfig},
};

/// Every store of a configuration.
#[derive(Debug)]
pub(crate) struct Stores {
    local: Arc<dyn SecretStore>,
    others: BTreeMap<&'static str, Arc<dyn SecretStore>>,
    /// Why there is no keyring, where there is none.
    no_keyring: Option<Error>,
    /// The keys of `secrets:`: what is wrong with one of them was said already.
    keys: Vec<String>,
}

/// Connects the stores; secrets of `file:` are relative to `base`. Asks none of them.
pub(crate) fn stores(reader: &mut Reader, config: SecretsConfig, base: &Path) -> Stores {
    let mut local = LocalStores::new(base);
    if let Some(directory) = config.directory {
        local = local.with_directory(directory);
    }
    let local: Arc<dyn SecretStore> = Arc::new(Noted::new(Arc::new(local)));
    // What stores answer is no toolset's business: a replayed toolset has the secrets of a real one.
    let network = Network::new();
    let mut connected = |tls: &TlsConfig| -> Arc<dyn Transport> {
        let tls = tls::load(reader, tls, base, &local).settings();
        Arc::new(Client::over(&network, ClientSettings { tls, ..ClientSettings::default() }))
    };
    let mut others = BTreeMap::new();
    let mut add = |scheme: &'static str, store: Arc<dyn SecretStore>| {
        let kept = CachedStore::new(store, config.cache);
        others.insert(scheme, Arc::new(Noted::new(Arc::new(kept))) as Arc<dyn SecretStore>);
    };
    if let Some(aws) = config.aws {
        let (transport, (settings, keys)) = (connected(&aws.tls), aws.settings);
        let keys = AwsKeySource::new(keys, Arc::clone(&local), Arc::clone(&transport));
        add("aws", Arc::new(SecretsManagerStore::new(settings, keys, transport)));
    }
    if let Some(gcp) = config.gcp {
        add("gcp", secret_manager(gcp.settings, Arc::clone(&local), connected(&gcp.tls)));
    }
    if let Some(vault) = config.vault {
        let (transport, settings) = (connected(&vault.tls), vault.settings);
        add("vault", Arc::new(VaultStore::new(settings, Arc::clone(&local), transport)));
    }
    let keyring = KeyringStore::new(config.keyring);
    let no_keyring = keyring.map(|keyring| add(KEYRING, Arc::new(keyring))).err();
    Stores { local, others, no_keyring, keys: config.keys }
}

fn secret_manager(
    identity: Identity,
    local: Arc<dyn SecretStore>,
    transport: Arc<dyn Transport>,
) -> Arc<dyn SecretStore> {
    let (rest, endpoints) = (Rest::new(transport), identity.endpoints.clone());
    let tokens = Tokens::new(identity, rest.clone(), local);
    Arc::new(SecretManager::new(Arc::new(tokens), rest, endpoints))
}

impl Stores {
    /// What is wrong with a reference of a scheme that no store answers, and what to do.
    fn missing(&self, scheme: &str) -> (String, String) {
        if let Some(error) = self.no_keyring.as_ref().filter(|_| scheme == KEYRING) {
            let help = "build callgate with `--features keyring` for a platform that has one, or name a secret of \
                `env:NAME`, `file:PATH`, `directory:NAME`, `vault:`, `gcp:` or `aws:`";
            return (error.to_string(), help.to_owned());
        }
        (
            format!("a secret of `{scheme}:` needs the key `secrets.{scheme}`, which is not there"),
            format!("add `secrets: {{{scheme}: {{…}}}}` to the configuration"),
        )
    }

    /// Complains about references to stores that are not there.
    pub(crate) fn check(&self, reader: &mut Reader) {
        for (pointer, scheme) in std::mem::take(&mut reader.references) {
            let is_there = LOCAL.contains(&scheme) || self.others.contains_key(scheme);
            let is_told = scheme != KEYRING && self.keys.iter().any(|key| key == scheme);
            if !is_there && !is_told {
                let (message, help) = self.missing(scheme);
                reader.complain("secret-store", pointer, message, help);
            }
        }
    }
}

#[async_trait]
impl SecretStore for Stores {
    async fn get(&self, reference: &SecretReference) -> Result<Secret, Error> {
        let scheme = reference.scheme();
        match self.others.get(scheme) {
            Some(store) => store.get(reference).await,
            None if LOCAL.contains(&scheme) => self.local.get(reference).await,
            None => Err(Error::from_store(ErrorKind::Unsupported, self.missing(scheme).0)),
        }
    }

    fn forget(&self, reference: &SecretReference, rejected: &Secret) {
        if let Some(store) = self.others.get(reference.scheme()) {
            store.forget(reference, rejected);
        }
    }
}

const KEYRING: &str = "keyring";

#[cfg(test)]
mod tests;
