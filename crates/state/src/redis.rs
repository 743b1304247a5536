//! The store in Redis, or in a server that speaks its protocol: several processes use it at the same time.

mod addresses;
mod cluster;
mod engine;
mod failure;
mod layout;
mod route;
mod script;
mod sentinel;
mod server;

use std::time::{Duration, Instant};

use async_trait::async_trait;
use callgate_secret::Secret;
use callgate_session::{
    Error, Expected, Group, Key, Pace, Record, Sealer, Space, Store, Stored, Version,
};
use callgate_transport::{Network, TlsSettings};

use self::{engine::RedisEngine, layout::Layout, route::Route};
use crate::store::Sealed;

/// The settings of a store in Redis.
///
/// ```
/// use callgate_secret::Secret;
/// use callgate_state::{RedisAddress, RedisServers, RedisSettings};
///
/// let key = Secret::new("a key of at least thirty-two bytes".to_owned());
/// let mut settings = RedisSettings::new(RedisServers::Single(RedisAddress::new("redis.internal", 6379)), key);
/// settings.user = Some("callgate".to_owned());
/// assert_eq!(settings.prefix, "callgate");
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RedisSettings {
    /// The servers.
    pub servers: RedisServers,
    /// The settings of secure connections; without them, connections are not secure.
    pub tls: Option<TlsSettings>,
    /// The user of the server's access control list; `default` without one.
    pub user: Option<String>,
    /// The password of the user.
    pub password: Option<Secret>,
    /// The number of the database.
    pub database: u32,
    /// The beginning of all names in the server, which keeps several deployments apart: letters, digits, `_`, `-` and `.`.
    pub prefix: String,
    /// The time limit of a connection and of a reply; a server that takes longer counts as away.
    pub timeout: Duration,
    /// The replicas that must have each change of an approval or an idempotency key, before it counts as made.
    pub durability: Option<Durability>,
    /// The key that seals records.
    pub key: Secret,
    /// Keys that open what they sealed, and seal nothing more.
    pub old_keys: Vec<Secret>,
}

/// The servers of a store.
///
/// ```
/// use callgate_state::{RedisAddress, RedisServers};
///
/// let nodes = ["a.internal", "b.internal"].map(|host| RedisAddress::new(host, 6379));
/// let cluster = RedisServers::Cluster(nodes.into());
/// assert!(matches!(cluster, RedisServers::Cluster(nodes) if nodes.len() == 2));
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum RedisServers {
    /// A cluster, by some of its nodes.
    Cluster(Vec<RedisAddress>),
    /// The primary that sentinels name.
    Sentinel {
        /// The name of the set that the sentinels watch.
        primary: String,
        /// The sentinels.
        sentinels: Vec<RedisAddress>,
        /// The password of the sentinels.
        password: Option<Secret>,
    },
    /// One server.
    Single(RedisAddress),
}

/// The replicas that a change waits for.
///
/// ```
/// use std::time::Duration;
///
/// use callgate_state::Durability;
///
/// let durability = Durability::new(1, Duration::from_millis(200));
/// assert_eq!(durability.replicas, 1);
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Durability {
    /// The number of replicas.
    pub replicas: u32,
    /// The time in which they must have a change; the change is refused after it.
    pub timeout: Duration,
}

/// The address of a Redis server.
///
/// ```
/// use callgate_state::RedisAddress;
///
/// let address = RedisAddress::new("redis.internal", 6379);
/// assert_eq!(address.to_string(), "redis.internal:6379");
/// ```
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
#[non_exhaustive]
pub struct RedisAddress {
    /// A name, an IPv4 address, or an IPv6 address in brackets.
    pub host: String,
    /// The port.
    pub port: u16,
}

/// Records in Redis, which several processes share.
///
/// Each change is a script, so that of simultaneous changes one wins. Records are sealed (AES-256-GCM), their addresses are
/// keyed digests, and all records of one owner are in one slot of a cluster. A server that does not answer within 500 ms
/// counts as away: for a moment, everything is refused at once. No change is repeated unless it is known that it was not
/// made.
///
/// ```no_run
/// use callgate_secret::Secret;
/// use callgate_session::Store;
/// use callgate_state::{RedisAddress, RedisServers, RedisSettings, RedisStore};
/// use callgate_transport::Network;
///
/// let key = Secret::new("a key of at least thirty-two bytes".to_owned());
/// let server = RedisServers::Single(RedisAddress::new("redis.internal", 6379));
/// let settings = RedisSettings::new(server, key);
/// let store = RedisStore::new(&settings, &Network::new())?;
/// assert!(store.is_shared());
/// # Ok::<(), callgate_session::Error>(())
/// ```
#[derive(Debug)]
pub struct RedisStore(Sealed<RedisEngine>);

impl RedisSettings {
    /// Servers without a password, a prefix of `callgate`, and the key that seals records.
    pub fn new(servers: RedisServers, key: Secret) -> Self {
        Self {
            servers,
            tls: None,
            user: None,
            password: None,
            database: 0,
            prefix: "callgate".to_owned(),
            timeout: TIME,
            durability: None,
            key,
            old_keys: Vec::new(),
        }
    }
}

impl Durability {
    /// Waits for a number of replicas.
    pub fn new(replicas: u32, timeout: Duration) -> Self {
        Self { replicas, timeout }
    }
}

impl RedisAddress {
    /// The address of a host at a port.
    pub fn new(host: impl Into<String>, port: u16) -> Self {
        Self { host: host.into(), port }
    }

    /// The address that a server names. An IPv6 address gets its brackets.
    fn from_host_and_port(host: &str, port: &str) -> Option<Self> {
        let is_bare = host.contains(':') && !host.starts_with('[');
        let host = if is_bare { format!("[{host}]") } else { host.to_owned() };
        Some(Self::new(host, port.parse().ok()?))
    }
}

callgate_secret::text!(RedisAddress: Self { host, port, .. } => "{host}:{port}");

impl RedisStore {
    /// A store that connects when it is used first.
    ///
    /// # Errors
    /// [`ErrorKind::Sealing`](callgate_session::ErrorKind::Sealing) if a key is shorter than 32 bytes,
    /// [`ErrorKind::Unreadable`](callgate_session::ErrorKind::Unreadable) if the prefix has other characters.
    pub fn new(settings: &RedisSettings, network: &Network) -> Result<Self, Error> {
        let current = Sealer::with_key(&settings.key)?;
        let sealer = Sealer::with_key(&settings.key)?;
        let sealer = settings.old_keys.iter().try_fold(sealer, Sealer::with_older_key)?;
        let layout = Layout::new(&settings.prefix)?;
        let engine = RedisEngine::new(Route::new(settings, network), layout, current);
        Ok(Self(Sealed::new(engine, sealer)))
    }
}

crate::store::delegate_store! {
    RedisStore,
    async fn take_paced_request(&self, key: &Key, pace: Pace, _: Instant) -> Result<Option<Duration>, Error> {
        let address = self.0.addresses().await?.address_of_key(key);
        let permit = self.0.permit_for_bytes(key.escaped_principal_part(), 1).await?;
        self.0.engine.take_from_pace(&address, pace, permit).await
    }
}

/// A server beside this process answers within a millisecond.
const TIME: Duration = Duration::from_millis(500);
