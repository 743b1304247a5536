//! The stores of secrets behind one door: a table from schemes to stores. Those of this machine are always there; a
//! reference to another that is not configured is a fault of the configuration, told before anything is called.

use std::{collections::BTreeMap, path::Path, sync::Arc};

use async_trait::async_trait;
use callgate_google::{Identity, Rest, SecretManager, Tokens};
use callgate_secret::{
    CachedStore, Error, ErrorKind, LocalStores, Secret, SecretReference, SecretStore,
};
use callgate_store::{
    VaultStore,
    aws::{AwsKeySource, SecretsManagerStore},
};
use callgate_transport::{Client, Transport};

use crate::{
    reader::Reader,
    secrets::{LOCAL, SecretsConfig},
};

/// Every store of a configuration.
#[derive(Debug)]
pub(crate) struct Stores {
    local: Arc<LocalStores>,
    others: BTreeMap<&'static str, Arc<dyn SecretStore>>,
    /// The keys of `secrets:`: what is wrong with one of them was said already.
    keys: Vec<String>,
}

/// Connects the stores; secrets of `file:` are relative to `base`. Asks none of them.
pub(crate) fn stores(reader: &mut Reader, config: SecretsConfig, base: &Path) -> Stores {
    let mut local = LocalStores::new(base);
    if let Some(directory) = config.directory {
        local = local.with_directory(directory);
    }
    let mut stores = Stores { local: Arc::new(local), others: BTreeMap::new(), keys: config.keys };
    // What stores answer is no toolset's business: a replayed toolset has the secrets of a real one.
    let transport: Arc<dyn Transport> = match Client::new() {
        Ok(client) => Arc::new(client),
        Err(error) => {
            let message = format!("cannot make an HTTP client: {error}");
            let help = "look at the machine's certificates";
            reader.complain("transport", "/secrets", message, help);
            return stores;
        }
    };
    let local = Arc::clone(&stores.local) as Arc<dyn SecretStore>;
    let mut add = |scheme: &'static str, store: Arc<dyn SecretStore>| {
        stores.others.insert(scheme, Arc::new(CachedStore::new(store, config.cache)));
    };
    if let Some((settings, keys)) = config.aws {
        let keys = AwsKeySource::new(keys, Arc::clone(&local), Arc::clone(&transport));
        add("aws", Arc::new(SecretsManagerStore::new(settings, keys, Arc::clone(&transport))));
    }
    if let Some(identity) = config.gcp {
        add("gcp", secret_manager(identity, Arc::clone(&local), Arc::clone(&transport)));
    }
    if let Some(settings) = config.vault {
        add("vault", Arc::new(VaultStore::new(settings, local, transport)));
    }
    stores
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
    /// Complains about references to stores that are not there.
    pub(crate) fn check(&self, reader: &mut Reader) {
        for (pointer, scheme) in std::mem::take(&mut reader.references) {
            let is_there = LOCAL.contains(&scheme) || self.others.contains_key(scheme);
            if !is_there && !self.keys.iter().any(|key| key == scheme) {
                let (message, help) = missing(scheme);
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
            None => Err(Error::from_store(ErrorKind::Unsupported, missing(scheme).0)),
        }
    }

    fn forget(&self, reference: &SecretReference, rejected: &Secret) {
        if let Some(store) = self.others.get(reference.scheme()) {
            store.forget(reference, rejected);
        }
    }
}

/// What is wrong with a reference of a scheme that no store answers, and what to do.
fn missing(scheme: &str) -> (String, String) {
    match scheme {
        "keyring" => (
            format!("secrets of `{scheme}:` are not supported by this build of callgate"),
            "name a secret of `env:NAME`, `file:PATH`, `directory:NAME`, `vault:`, `gcp:` or `aws:`"
                .to_owned(),
        ),
        _ => (
            format!("a secret of `{scheme}:` needs the key `secrets.{scheme}`, which is not there"),
            format!("add `secrets: {{{scheme}: {{…}}}}` to the configuration"),
        ),
    }
}

#[cfg(test)]
mod tests;
