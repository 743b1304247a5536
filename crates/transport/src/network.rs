//! The connections of a process: where names are looked up, which addresses are our own, and one pool of connections for
//! each way of connecting. Two clients that connect in the same way share a pool; two with other certificates, other trust
//! or other addresses never do, so that no connection is used by whom it was not made for.

use std::{
    fmt,
    net::IpAddr,
    sync::{Arc, Mutex, OnceLock, PoisonError, RwLock},
    time::Duration,
};

use reqwest::{redirect::Policy, retry};
use rustls::{ClientConfig, client::danger::ServerCertVerifier};
use tokio::sync::OnceCell;

use crate::{
    egress::{Egress, Listeners},
    error::{self, Error},
    resolve::{Guarded, Resolver, SystemResolver},
    tls::{self, TlsSettings},
};

/// The connections of a process. Make one, and over it a [`Client`](crate::Client) for each toolset; clones share
/// everything.
///
/// ```
/// # use callgate_tool::NamedBy;
/// # use callgate_transport::{Client, ClientSettings, Network};
/// let network = Network::new();
/// let described = ClientSettings { named_by: NamedBy::Description, ..ClientSettings::default() };
/// let client = Client::over(&network, described);
/// # let _ = client;
/// ```
#[derive(Clone, Debug)]
pub struct Network {
    inner: Arc<Inner>,
}

struct Inner {
    resolver: Arc<dyn Resolver>,
    listeners: Listeners,
    // Read when first needed: it takes milliseconds and fails where a machine has no certificates.
    system: OnceCell<Arc<dyn ServerCertVerifier>>,
    pools: Mutex<Vec<(Way, Arc<Pool>)>>,
}

/// A way of connecting.
#[derive(Clone, Debug)]
pub(crate) struct Way {
    /// None for connections without TLS.
    pub(crate) tls: Option<TlsSettings>,
    pub(crate) egress: Egress,
    /// Who answers for the addresses instead of the network's resolver.
    pub(crate) directory: Option<Arc<dyn Resolver>>,
}

/// The connections that were made in one way, by origin.
pub(crate) struct Pool {
    /// Uses connections again.
    reusing: RwLock<reqwest::Client>,
    /// Makes a new one for each request. For the few that are sent again.
    fresh: OnceLock<reqwest::Client>,
    tls: Option<ClientConfig>,
    resolver: Arc<Guarded>,
}

impl Network {
    /// Connections of their own, with the resolver of the operating system.
    pub fn new() -> Self {
        Self::with(Arc::new(SystemResolver::default()), Listeners::default())
    }

    /// Connections of their own, with another resolver, which never dial what is listened on.
    pub fn with(resolver: Arc<dyn Resolver>, listeners: Listeners) -> Self {
        let (system, pools) = (OnceCell::new(), Mutex::default());
        Self { inner: Arc::new(Inner { resolver, listeners, system, pools }) }
    }

    /// Our own listeners at a port.
    pub(crate) fn own(&self, port: u16) -> Vec<IpAddr> {
        self.inner.listeners.at_port(port)
    }

    /// The connections made in this way.
    pub(crate) async fn pool(&self, way: &Way) -> Result<Arc<Pool>, Error> {
        if let Some(pool) = self.known(way) {
            return Ok(pool);
        }
        let tls = match &way.tls {
            None => None,
            Some(settings) => Some(settings.client_config(self.system(settings).await?)?),
        };
        let resolver = way.directory.as_ref().unwrap_or(&self.inner.resolver);
        let resolver =
            Guarded { resolver: Arc::clone(resolver), egress: Arc::new(way.egress.clone()) };
        let pool = Arc::new(Pool::new(tls, Arc::new(resolver))?);
        let mut pools = self.inner.pools.lock().unwrap_or_else(PoisonError::into_inner);
        // Another request may have been faster.
        if let Some((_, known)) = pools.iter().find(|(known, _)| known == way) {
            return Ok(Arc::clone(known));
        }
        pools.push((way.clone(), Arc::clone(&pool)));
        Ok(pool)
    }

    fn known(&self, way: &Way) -> Option<Arc<Pool>> {
        let pools = self.inner.pools.lock().unwrap_or_else(PoisonError::into_inner);
        pools.iter().find(|(known, _)| known == way).map(|(_, pool)| Arc::clone(pool))
    }

    async fn system(
        &self,
        settings: &TlsSettings,
    ) -> Result<Option<Arc<dyn ServerCertVerifier>>, Error> {
        if !settings.needs_system() {
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

impl fmt::Debug for Inner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Network").field("resolver", &self.resolver).finish_non_exhaustive()
    }
}

impl PartialEq for Way {
    fn eq(&self, other: &Self) -> bool {
        let is_same_directory = match (&self.directory, &other.directory) {
            (None, None) => true,
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            _ => false,
        };
        is_same_directory && self.egress == other.egress && self.tls == other.tls
    }
}

impl Pool {
    fn new(tls: Option<ClientConfig>, resolver: Arc<Guarded>) -> Result<Self, Error> {
        let reusing = settings(tls.as_ref(), &resolver).build().map_err(error::no_client)?;
        let reusing = RwLock::new(reusing);
        Ok(Self { reusing, fresh: OnceLock::new(), tls, resolver })
    }

    /// The client that uses connections again.
    pub(crate) fn reusing(&self) -> reqwest::Client {
        self.reusing.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Closes every connection that nobody uses, and those in use when they are done: the bytes of one of them cannot be
    /// told apart. The HTTP client closes no single one.
    pub(crate) fn close(&self) -> Result<(), Error> {
        let client = settings(self.tls.as_ref(), &self.resolver).build();
        let client = client.map_err(error::no_client)?;
        *self.reusing.write().unwrap_or_else(PoisonError::into_inner) = client;
        Ok(())
    }

    /// The client that makes a connection for each request.
    pub(crate) fn fresh(&self) -> Result<&reqwest::Client, Error> {
        if let Some(fresh) = self.fresh.get() {
            return Ok(fresh);
        }
        let fresh = settings(self.tls.as_ref(), &self.resolver).pool_max_idle_per_host(0);
        let fresh = fresh.build().map_err(error::no_client)?;
        Ok(self.fresh.get_or_init(|| fresh))
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool").field("is_https", &self.tls.is_some()).finish_non_exhaustive()
    }
}

fn settings(tls: Option<&ClientConfig>, resolver: &Arc<Guarded>) -> reqwest::ClientBuilder {
    let builder = reqwest::Client::builder()
        // Redirects would carry credential headers and the query to another host (security finding 3).
        .redirect(Policy::none())
        .referer(false)
        // `HTTP_PROXY` would receive every credential (security finding 6).
        .no_proxy()
        .connect_timeout(CONNECT_TIMEOUT)
        .pool_idle_timeout(POOL_IDLE_TIMEOUT)
        .http2_max_header_list_size(MAX_RESPONSE_HEADER_BYTES)
        .dns_resolver(Arc::clone(resolver));
    match tls {
        Some(tls) => builder.https_only(true).tls_backend_preconfigured(tls.clone()),
        // No certificates: this one speaks to `http` origins only, and works on a machine that has none. There, in
        // HTTP/1.1, no answer says that a request was not looked at, so no copy of it is kept to send it again.
        None => builder.tls_certs_only([]).retry(retry::never().max_retries_per_request(0)),
    }
}

/// Twice five seconds: a name server and a service that take longer are down. The rest of the time is for the answer.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Shorter than any service keeps idle connections, so that none is used at the moment it is closed (security finding
/// 11).
const POOL_IDLE_TIMEOUT: Duration = Duration::from_secs(3);

/// Far above what services answer with, far below what fills memory. HTTP/1 has the client's own bound of 100 headers.
const MAX_RESPONSE_HEADER_BYTES: u32 = 64 * 1024;
