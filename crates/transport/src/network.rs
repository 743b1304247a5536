//! The connections of a process: its resolver, its own listeners, and one pool of connections for each way of connecting.
//! Clients that connect in an equal way share a pool; clients with other certificates, other trust or other addresses never
//! do, so that no client uses a connection made for another kind of client.

use std::{
    error::Error as StdError,
    net::IpAddr,
    sync::{Arc, Mutex, OnceLock, PoisonError, RwLock, Weak},
};

use bytes::Bytes;
use callgate_tool::Reached;
use http::{Request, Uri};
use http_body_util::Full;
use hyper_util::client::legacy::ResponseFuture;
use rustls::{Error as TlsError, client::danger::ServerCertVerifier};
use tokio::sync::OnceCell;
use tower_service::Service as _;

use crate::{
    connector::{Connector, HttpClient, Scheme},
    egress::{AddressRange, Egress, Listeners},
    error::{self, Error, cause_of_type},
    proxy::Proxy,
    resolve::{BoxError, CheckedResolver, Resolver, SystemResolver},
    tls::{self, TlsSettings},
    tls_fault::TlsFault,
};

/// The connections of a process. Create one, and over it a [`Client`](crate::Client) for each toolset; clones share
/// everything.
///
/// ```
/// # use callgate_tool::NamedBy;
/// # use callgate_transport::{Client, ClientSettings, Network};
/// let network = Network::new();
/// let described = ClientSettings { named_by: NamedBy::Description, ..ClientSettings::default() };
/// let client = Client::over_network(&network, described);
/// # let _ = client;
/// ```
#[derive(Clone, Debug)]
pub struct Network {
    inner: Arc<Inner>,
}

struct Inner {
    resolver: Arc<dyn Resolver>,
    listeners: Listeners,
    proxy: Option<Proxy>,
    // Read on first use: it takes milliseconds and fails on a machine without certificates.
    system: OnceCell<Arc<dyn ServerCertVerifier>>,
    pools: Mutex<Vec<(PoolKey, Arc<Pool>)>>,
    clients: Mutex<Vec<Weak<ConnectSettings>>>,
}

#[derive(Debug)]
pub(crate) struct ConnectSettings {
    pub(crate) allow: Arc<[AddressRange]>,
    pub(crate) tls: TlsSettings,
    pub(crate) directory: Option<Arc<dyn Resolver>>,
}

#[derive(Clone, Debug)]
pub(crate) struct PoolKey {
    /// The TLS settings; `None` for connections without TLS.
    pub(crate) tls: Option<TlsSettings>,
    pub(crate) egress: Egress,
    /// A resolver that replaces the network's own.
    pub(crate) directory: Option<Arc<dyn Resolver>>,
}

pub(crate) struct Pool {
    reusing: RwLock<HttpClient>,
    /// A client that makes a new connection for each request, for the few retries.
    fresh: OnceLock<HttpClient>,
    connector: Connector,
}

impl Network {
    /// A network with the resolver of the operating system.
    pub fn new() -> Self {
        Self::with_resolver(Arc::new(SystemResolver::default()), Listeners::default())
    }

    /// A network with another resolver, which never dials its own listeners.
    pub fn with_resolver(resolver: Arc<dyn Resolver>, listeners: Listeners) -> Self {
        Self::from_parts(resolver, listeners, None)
    }

    /// A network through a forward proxy, except to this machine and to addresses from a directory.
    pub fn through_proxy(proxy: Proxy, resolver: Arc<dyn Resolver>, listeners: Listeners) -> Self {
        Self::from_parts(resolver, listeners, Some(proxy))
    }

    fn from_parts(resolver: Arc<dyn Resolver>, listeners: Listeners, proxy: Option<Proxy>) -> Self {
        let (system, pools, clients) = (OnceCell::new(), Mutex::default(), Mutex::default());
        Self { inner: Arc::new(Inner { resolver, listeners, proxy, system, pools, clients }) }
    }

    /// Returns true if both are one network, with one resolver and one proxy.
    pub fn is_same_instance(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }

    /// Registers a client, and closes connections that no client would use any more: each reload may bring other
    /// certificates. Connections of unchanged settings are kept, even for a new client.
    pub(crate) fn register_client(&self, settings: ConnectSettings) -> Arc<ConnectSettings> {
        let settings = Arc::new(settings);
        let mut clients = self.inner.clients.lock().unwrap_or_else(PoisonError::into_inner);
        clients.retain(|client| client.strong_count() > 0);
        clients.push(Arc::downgrade(&settings));
        let live_settings: Vec<_> = clients.iter().filter_map(Weak::upgrade).collect();
        drop(clients);
        let mut pools = self.inner.pools.lock().unwrap_or_else(PoisonError::into_inner);
        pools.retain(|(key, _)| live_settings.iter().any(|settings| settings.can_use_pool(key)));
        settings
    }

    pub(crate) fn listener_addresses(&self, port: u16) -> Vec<IpAddr> {
        self.inner.listeners.addresses_at_port(port)
    }

    pub(crate) async fn pool_or_new(&self, key: &PoolKey) -> Result<Arc<Pool>, Error> {
        if let Some(pool) = self.existing_pool(key) {
            return Ok(pool);
        }
        let (tls, scheme) = match &key.tls {
            None => (tls::config_trusting_nobody()?, Scheme::Http),
            Some(settings) => (
                settings.client_config(self.system_verifier_if_needed(settings).await?)?,
                Scheme::Https,
            ),
        };
        let mut resolver = self.checked_resolver(key.egress.clone());
        if let Some(directory) = &key.directory {
            resolver.resolver = Arc::clone(directory);
        }
        let proxy = self.inner.proxy.clone().filter(|_| key.directory.is_none());
        let pool = Connector::new(tls, scheme, resolver, proxy);
        let pool = Arc::new(Pool::new(pool));
        let mut pools = self.inner.pools.lock().unwrap_or_else(PoisonError::into_inner);
        // Another request may have added the pool meanwhile.
        if let Some((_, existing_pool)) = pools.iter().find(|(entry, _)| entry == key) {
            return Ok(Arc::clone(existing_pool));
        }
        pools.push((key.clone(), Arc::clone(&pool)));
        Ok(pool)
    }

    #[cfg(test)]
    pub(crate) fn n_pools(&self) -> usize {
        self.inner.pools.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    fn existing_pool(&self, key: &PoolKey) -> Option<Arc<Pool>> {
        let pools = self.inner.pools.lock().unwrap_or_else(PoisonError::into_inner);
        pools.iter().find(|(entry, _)| entry == key).map(|(_, pool)| Arc::clone(pool))
    }

    /// The resolver of this network, which checks addresses by the egress rules.
    pub(crate) fn checked_resolver(&self, egress: Egress) -> CheckedResolver {
        CheckedResolver { resolver: Arc::clone(&self.inner.resolver), egress: Arc::new(egress) }
    }

    pub(crate) async fn system_verifier_if_needed(
        &self,
        settings: &TlsSettings,
    ) -> Result<Option<Arc<dyn ServerCertVerifier>>, Error> {
        if !settings.needs_system_trust() {
            return Ok(None);
        }
        let read = self.inner.system.get_or_try_init(async || tls::system_verifier()).await?;
        Ok(Some(Arc::clone(read)))
    }
}

impl Default for Network {
    fn default() -> Self {
        Self::new()
    }
}

callgate_secret::opaque!([] Inner as "Network", { resolver });

impl ConnectSettings {
    fn can_use_pool(&self, key: &PoolKey) -> bool {
        is_same_directory(self.directory.as_ref(), key.directory.as_ref())
            && self.allow == key.egress.allow
            && key.tls.as_ref().is_none_or(|tls| *tls == self.tls)
    }
}

impl PartialEq for PoolKey {
    fn eq(&self, other: &Self) -> bool {
        is_same_directory(self.directory.as_ref(), other.directory.as_ref())
            && self.egress == other.egress
            && self.tls == other.tls
    }
}

fn is_same_directory(one: Option<&Arc<dyn Resolver>>, other: Option<&Arc<dyn Resolver>>) -> bool {
    match (one, other) {
        (None, None) => true,
        (Some(one), Some(other)) => Arc::ptr_eq(one, other),
        _ => false,
    }
}

impl Pool {
    fn new(connector: Connector) -> Self {
        let reusing = RwLock::new(connector.clone().http_client(usize::MAX));
        Self { reusing, fresh: OnceLock::new(), connector }
    }

    pub(crate) fn send_on_pooled_connection(
        &self,
        request: Request<Full<Bytes>>,
    ) -> ResponseFuture {
        self.reusing.read().unwrap_or_else(PoisonError::into_inner).request(request)
    }

    pub(crate) fn send_on_new_connection(&self, request: Request<Full<Bytes>>) -> ResponseFuture {
        self.fresh.get_or_init(|| self.connector.clone().http_client(0)).request(request)
    }

    pub(crate) async fn try_connect(&self, origin: Uri) -> Result<(), Error> {
        let made = self.connector.clone().call(origin).await;
        made.map(drop).map_err(connect_error)
    }

    /// Closes every idle connection, and busy ones when they are done. The HTTP client cannot close a single connection,
    /// and the bytes of one cannot be distinguished.
    pub(crate) fn close(&self) {
        let client = self.connector.clone().http_client(usize::MAX);
        *self.reusing.write().unwrap_or_else(PoisonError::into_inner) = client;
    }
}

pub(crate) fn connect_error(source: BoxError) -> Error {
    let source = Unconnected(source);
    match cause_of_type::<TlsError>(&source) {
        Some(tls) => {
            let fault = TlsFault::from_error(tls, false, false);
            error::tls_fault_error(fault, Reached::No).with_source(source)
        }
        None => error::connecting_error(source),
    }
}

#[derive(Debug)]
struct Unconnected(BoxError);

callgate_secret::text!(Unconnected: Self(source) => "{source}");

impl StdError for Unconnected {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        Some(&*self.0)
    }
}

callgate_secret::opaque!(Pool { connector });
