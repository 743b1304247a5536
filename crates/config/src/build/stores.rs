//! The stores of secrets behind one interface: a table from schemes to stores. The stores of this machine are always
//! available; a reference to another store that is not configured is a fault of the configuration, reported before any
//! call. Stores whose settings did not change since the last build are reused with the secrets they keep.

mod logging;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
};

use async_trait::async_trait;
use callgate_secret::{
    CachePolicy, CachedStore, Error, ErrorKind, LocalStores, MASK, Secret, SecretReference,
    SecretScheme, SecretStore, USUAL_DIRECTORY,
};
use callgate_settings::{LoadEffects, Reader, SettingCode};
use callgate_transport::{Client, ClientSettings, Clock, Network, TlsSettings, Transport};

use super::tls;
use crate::{
    code::ConfigCode,
    config::Config,
    environment::Environment,
    secrets::{Remote, RemoteStore},
};
use logging::{CountingStore, LoggingStore};

/// Every store of a configuration.
#[derive(Debug)]
pub(super) struct Stores {
    base: PathBuf,
    directory: Option<PathBuf>,
    local: Arc<dyn SecretStore>,
    configured: Vec<Configured>,
    own: BTreeMap<String, Arc<dyn SecretStore>>,
    /// The schemes whose stores cannot be opened, with the reasons.
    unavailable: Vec<(&'static str, Error)>,
    /// The keys of `secrets:`: their faults were already reported.
    keys: Vec<String>,
    network: Network,
    /// True if `****` replaces secrets that cannot be read.
    has_stand_ins: bool,
    /// The effects that reading a secret may have.
    effects: LoadEffects,
}

#[derive(Clone, Debug)]
struct Configured {
    making: Making,
    store: Arc<dyn SecretStore>,
}

/// The settings of a store.
#[derive(Clone, Debug, Eq, PartialEq)]
struct Making {
    store: RemoteStore,
    tls: TlsSettings,
    cache: CachePolicy,
}

/// Connects the stores; secrets of `file:` are relative to `base`. Reads no secret, and reports references without a
/// store. If no settings changed, the stores are those of the last build.
pub(super) async fn connect_stores(
    reader: &mut Reader,
    Config { secrets: config, serving, .. }: &Config,
    base: &Path,
    environment: &Environment,
    previous: Option<&Arc<Stores>>,
) -> Arc<Stores> {
    let network = || environment.network_avoiding_listeners(serving.proxy.clone());
    let directory = config.directory.as_ref().map(|directory| base.join(directory));
    let is_same_place = |previous_stores: &&Arc<Stores>| {
        previous_stores.base == *base && previous_stores.directory == directory
    };
    let at_the_same_place = previous.filter(is_same_place);
    let mut stores = Stores {
        local: match at_the_same_place {
            Some(previous_stores) => Arc::clone(&previous_stores.local),
            None => local_store(base, directory.as_deref()),
        },
        base: base.to_owned(),
        directory,
        configured: Vec::new(),
        own: environment.secrets.clone(),
        unavailable: Vec::new(),
        keys: config.keys.clone(),
        // The stores' responses do not depend on the toolset: a replayed toolset has the secrets of a real one.
        network: previous.map_or_else(network, |previous_stores| previous_stores.network.clone()),
        has_stand_ins: environment.has_stand_ins,
        effects: reader.effects,
    };
    let configured_stores =
        at_the_same_place.map(|previous_stores| &*previous_stores.configured).unwrap_or_default();
    for Remote { store, tls } in config.remote_stores() {
        let tls = tls::load_tls_settings(reader, &tls, base, &stores.local).await;
        let making = Making { store, tls, cache: config.cache };
        stores.add_remote_store(making, configured_stores, &environment.clock);
    }
    stores.report_missing_stores(reader);
    match previous {
        Some(previous) if previous.has_same_stores(&stores) => Arc::clone(previous),
        _ => Arc::new(stores),
    }
}

fn local_store(base: &Path, directory: Option<&Path>) -> Arc<dyn SecretStore> {
    let mut local = LocalStores::new(base);
    if let Some(directory) = directory {
        local = local.with_directory(directory);
    }
    Arc::new(LoggingStore::new(Arc::new(local)))
}

impl Stores {
    /// Adds a remote store; reuses the known one if its settings are equal.
    fn add_remote_store(
        &mut self,
        making: Making,
        configured_stores: &[Configured],
        clock: &Clock,
    ) {
        if let Some(configured_store) =
            configured_stores.iter().find(|configured_store| configured_store.making == making)
        {
            return self.configured.push(configured_store.clone());
        }
        let transport = || -> Arc<dyn Transport> {
            let client = ClientSettings { tls: making.tls.clone(), ..ClientSettings::default() };
            Arc::new(Client::over_network(&self.network, client))
        };
        let local = Arc::clone(&self.local);
        match making.store.clone().open(local, transport, clock) {
            Some(Ok(store)) => self.add_cached_store(making, store),
            Some(Err(error)) => self.unavailable.push((making.store.scheme(), error)),
            None => {}
        }
    }

    fn add_cached_store(&mut self, making: Making, store: Arc<dyn SecretStore>) {
        let cached = CachedStore::new(Arc::new(CountingStore(store)), making.cache);
        let store = Arc::new(LoggingStore::new(Arc::new(cached)));
        self.configured.push(Configured { making, store });
    }

    /// True if both use identical stores.
    fn has_same_stores(&self, other: &Self) -> bool {
        let configured = self.configured.iter().zip(&other.configured);
        let own = self.own.iter().zip(&other.own);
        Arc::ptr_eq(&self.local, &other.local)
            && self.keys == other.keys
            && self.effects == other.effects
            && self.configured.len() == other.configured.len()
            && configured.into_iter().all(|(left, right)| Arc::ptr_eq(&left.store, &right.store))
            && self.own.len() == other.own.len()
            && own
                .into_iter()
                .all(|(left, right)| left.0 == right.0 && Arc::ptr_eq(left.1, right.1))
    }

    /// A secret; if it cannot be read and replacements are enabled, its replacement.
    pub(super) fn secret_or_mask(&self, got: Result<Secret, Error>) -> Result<Secret, Error> {
        got.or_else(
            |error| {
                if self.has_stand_ins { Ok(Secret::new(MASK.to_owned())) } else { Err(error) }
            },
        )
    }

    /// True if reading the secret has no effect but those that the load may have. A literal is a part of the configuration.
    pub(super) fn may_read(&self, reference: &SecretReference) -> bool {
        let is_local = SecretScheme::is_local(reference.scheme());
        reference.is_literal()
            || (is_local && self.effects.fetching_permission().is_some())
            || self.effects.asking_permission().is_some()
    }

    /// The replacement of a secret that may not be read: nothing is sent that could hold it.
    pub(super) fn mask_or_error(&self) -> Result<Secret, Error> {
        if self.has_stand_ins || self.effects.fetching_permission().is_some() {
            return Ok(Secret::new(MASK.to_owned()));
        }
        Err(Error::new(ErrorKind::Unsupported, "no secret is read here".to_owned()))
    }

    /// The file that contains a secret of this machine.
    pub(super) fn secret_file(&self, reference: &SecretReference) -> Option<PathBuf> {
        match reference {
            SecretReference::File { path, .. } => Some(self.base.join(path)),
            SecretReference::Directory { name, .. } => {
                let usual = || Path::new(USUAL_DIRECTORY).to_owned();
                Some(self.directory.clone().unwrap_or_else(usual).join(name))
            }
            _ => None,
        }
    }

    fn store_for_scheme(&self, scheme: &str) -> Option<&Arc<dyn SecretStore>> {
        if SecretScheme::is_local(scheme) {
            return Some(&self.local);
        }
        let configured = self
            .configured
            .iter()
            .find(|configured_store| configured_store.making.store.scheme() == scheme);
        configured.map(|configured_store| &configured_store.store).or_else(|| self.own.get(scheme))
    }

    /// The failure of the store of a scheme.
    fn store_failure(&self, scheme: &str) -> Option<&Error> {
        self.unavailable.iter().find(|(name, _)| *name == scheme).map(|(_, error)| error)
    }

    /// The message about a reference whose scheme has no store, with its remedy.
    fn missing_store_message(&self, scheme: &str) -> (String, String) {
        if let Some(error) = self.store_failure(scheme) {
            let forms = SecretScheme::forms_text(|it| ![scheme, "literal"].contains(&it.name));
            let help = format!(
                "build callgate with the feature `{scheme}` for a platform that has one, or name a secret of {forms}"
            );
            return (error.to_string(), help);
        }
        if !SecretScheme::is_remote_scheme(scheme) {
            // The text before the colon may be a part of a pasted secret.
            let message = "expected a reference to a secret, got a text of another form, or of a store that this program does not bring";
            let forms = SecretScheme::forms_text(|it| it.name != "literal");
            let help = format!("write where the secret is, not the secret: {forms}");
            return (message.to_owned(), help);
        }
        (
            format!("a secret of `{scheme}:` needs the key `secrets.{scheme}`, which is not there"),
            format!("add `secrets: {{{scheme}: {{…}}}}` to the configuration"),
        )
    }

    /// Reports references to stores that are not available.
    fn report_missing_stores(&self, reader: &mut Reader) {
        for (pointer, scheme) in std::mem::take(&mut reader.references) {
            let is_told = self.store_failure(&scheme).is_none() && self.keys.contains(&scheme);
            if self.store_for_scheme(&scheme).is_none() && !is_told {
                let (message, help) = self.missing_store_message(&scheme);
                reader.report_fault(missing_store_code(&scheme), pointer, message, help);
            }
        }
    }
}

/// The code of a finding about a scheme without a store.
fn missing_store_code(scheme: &str) -> &'static str {
    if SecretScheme::is_remote_scheme(scheme) {
        ConfigCode::SecretStore.as_str()
    } else {
        SettingCode::SecretReference.as_str()
    }
}

#[async_trait]
impl SecretStore for Stores {
    async fn get(&self, reference: &SecretReference) -> Result<Secret, Error> {
        let scheme = reference.scheme();
        let got = match self.store_for_scheme(scheme) {
            Some(_) if !self.may_read(reference) => return self.mask_or_error(),
            Some(store) => store.get(reference).await,
            None => Err(Error::new(ErrorKind::Unsupported, self.missing_store_message(scheme).0)),
        };
        self.secret_or_mask(got)
    }

    fn forget(&self, reference: &SecretReference, rejected: &Secret) {
        if let Some(store) = self.store_for_scheme(reference.scheme()) {
            store.forget(reference, rejected);
        }
    }
}

#[cfg(test)]
mod tests;
