//! The Redis servers of a state: their addresses, their user, and the certificates of their connections.

use std::{slice, time::Duration};

use callgate_secret::SecretReference;
use callgate_settings::{Count, Kind, Mapping, Reader, SettingCode, forms, keys, member_pointer};
use callgate_transport::is_this_machine;
use callgate_tree::Node;
use url::{Host, Url};

use crate::{code::ConfigCode, tls::TlsConfig};

/// Redis servers, or servers that speak their protocol.
///
/// ```
/// use callgate_config::{RedisConfig, RedisUrl};
///
/// let mut redis = RedisConfig::new(RedisUrl::secure("redis.internal", 6379));
/// redis.user = Some("callgate".to_owned());
/// redis.password = Some("env:REDIS_PASSWORD".parse()?);
/// assert!(redis.servers.urls().iter().all(|url| url.is_secure));
/// # Ok::<(), callgate_secret::Error>(())
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct RedisConfig {
    /// The servers.
    pub servers: RedisNodes,
    /// The user of the server's access control list; `default` without one.
    pub user: Option<String>,
    /// The password of the user.
    pub password: Option<SecretReference>,
    /// The certificates of secure connections.
    pub tls: TlsConfig,
    /// The replicas that must have each change of an approval or an idempotency key.
    pub durability: Option<RedisDurability>,
    /// The beginning of all names in the server.
    pub prefix: String,
}

/// The servers of a state.
///
/// ```
/// use callgate_config::{RedisNodes, RedisUrl};
///
/// let nodes = ["a.internal", "b.internal"].map(|host| RedisUrl::secure(host, 6379));
/// assert_eq!(RedisNodes::Cluster(nodes.into()).urls().len(), 2);
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum RedisNodes {
    /// A cluster, by some of its nodes.
    Cluster(Vec<RedisUrl>),
    /// The primary that sentinels name.
    Sentinel {
        /// The name of the set that the sentinels watch.
        master: String,
        /// The sentinels.
        nodes: Vec<RedisUrl>,
        /// The password of the sentinels.
        password: Option<SecretReference>,
    },
    /// One server.
    Single(RedisUrl),
}

/// The replicas that a change waits for.
///
/// ```
/// use callgate_config::{RedisConfig, RedisDurability, RedisUrl};
///
/// let mut redis = RedisConfig::new(RedisUrl::secure("redis.internal", 6379));
/// redis.durability = Some(RedisDurability::new(1));
/// assert_eq!(redis.durability.map(|it| it.timeout.as_millis()), Some(200));
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct RedisDurability {
    /// The number of replicas.
    pub wait: u32,
    /// The time in which they must have a change; the change is refused after it.
    pub timeout: Duration,
}

/// The address of a Redis server: `redis://HOST:PORT/DATABASE`, or `rediss:` for a secure connection.
///
/// ```
/// use callgate_config::RedisUrl;
///
/// let url = RedisUrl::secure("redis.internal", 6380);
/// assert_eq!((url.port, url.database, url.is_secure), (6380, 0, true));
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct RedisUrl {
    /// A name, an IPv4 address, or an IPv6 address in brackets.
    pub host: String,
    /// The port.
    pub port: u16,
    /// The number of the database.
    pub database: u32,
    /// True if connections use TLS.
    pub is_secure: bool,
}

impl RedisConfig {
    /// A server without a password, and a prefix of `callgate`.
    pub fn new(url: RedisUrl) -> Self {
        Self::from_nodes(RedisNodes::Single(url))
    }

    fn from_nodes(servers: RedisNodes) -> Self {
        let (tls, prefix) = (TlsConfig::default(), "callgate".to_owned());
        Self { servers, user: None, password: None, tls, durability: None, prefix }
    }
}

impl RedisNodes {
    /// The addresses: of the server, of the sentinels, or of the nodes.
    pub fn urls(&self) -> &[RedisUrl] {
        match self {
            Self::Cluster(nodes) | Self::Sentinel { nodes, .. } => nodes,
            Self::Single(url) => slice::from_ref(url),
        }
    }
}

impl RedisDurability {
    /// Waits 200 ms for a number of replicas.
    pub fn new(wait: u32) -> Self {
        Self { wait, timeout: WAIT }
    }
}

impl RedisUrl {
    /// The first database of a server with TLS.
    pub fn secure(host: impl Into<String>, port: u16) -> Self {
        Self { host: host.into(), port, database: 0, is_secure: true }
    }

    /// The address of a text; `None` for any other text.
    fn parse(text: &str) -> Option<Self> {
        let url = Url::parse(text).ok()?;
        let is_bare = url.username().is_empty() && url.password().is_none();
        let has_no_more = url.query().is_none() && url.fragment().is_none();
        let is_secure = match url.scheme() {
            "redis" => false,
            "rediss" => true,
            _ => return None,
        };
        let database = match url.path() {
            "" | "/" => 0,
            path => path.strip_prefix('/')?.parse().ok()?,
        };
        // Outside of the schemes of the web, a host is not yet read as an address.
        let host = Host::parse(url.host_str().filter(|host| !host.is_empty())?).ok()?.to_string();
        let port = url.port().unwrap_or(PORT);
        (is_bare && has_no_more).then_some(Self { host, port, database, is_secure })
    }

    fn is_on_this_machine(&self) -> bool {
        Host::parse(&self.host).is_ok_and(|host| is_this_machine(&host))
    }
}

keys! {
    pub(crate) struct RedisKeys in "`redis`" {
        /// Some nodes of a cluster; the others are learnt from them.
        cluster: Nodes;
        /// The replicas that must have each change of an approval or an idempotency key; none unless given.
        durability: Durability;
        /// The password of the user.
        password: SecretReference;
        /// The sentinels that name the server.
        sentinel: Sentinels;
        /// The certificates that secure the connections; the addresses begin with `rediss:`.
        tls: TlsConfig;
        /// The address: `redis://HOST:PORT/DATABASE`, or `rediss:` for a secure connection; port 6379 unless given.
        url: Server;
        /// The user of the server's access control list; `default` unless given.
        user: String;
    }
}

keys! {
    pub(crate) struct RedisDurabilityKeys in "`durability`" {
        /// The time in which the replicas must have a change, at most 300 ms; 200 ms unless given. The change is refused after it.
        timeout: WaitTime;
        /// The number of replicas: all of them, since another one may be promoted.
        wait: Count<1_000>, required;
    }
}

keys! {
    pub(crate) struct SentinelKeys in "`sentinel`" {
        /// The name of the set that the sentinels watch.
        master: String, required;
        /// The addresses of the sentinels.
        nodes: Nodes, required;
        /// The password of the sentinels.
        password: SecretReference;
    }
}

forms! {
    struct Redis => RedisConfig, RedisKeys::KIND, |reader, mapping, key| {
        reader.read_several_sections::<RedisKeys, _>(mapping, key, read_redis)
    };
    struct Server => RedisUrl, Kind::Text, |reader, mapping, key| {
        let url = RedisUrl::parse(reader.string(mapping, key)?);
        if url.is_none() {
            reader.report_fault(SettingCode::WrongValue, member_pointer(mapping, key), NO_SERVER, SERVER_HELP);
        }
        url
    };
    struct Nodes => Vec<RedisUrl>, Kind::List(&Kind::Text), |reader, mapping, key| {
        let n_written = mapping.object.get(key).and_then(Node::as_array).map_or(0, <[_]>::len);
        let nodes = reader.parsed_strings(mapping, key, SERVER_HELP, |text| {
            let url = RedisUrl::parse(text).filter(|url| url.database == 0);
            url.ok_or_else(|| NO_SERVER.to_owned())
        });
        let is_mixed = nodes.windows(2).any(|two| matches!(two, [one, other] if one.is_secure != other.is_secure));
        if nodes.is_empty() || is_mixed {
            if n_written == nodes.len() {
                let message = "expected the addresses of servers, all with `rediss:` or all with `redis:`";
                reader.report_fault(SettingCode::WrongValue, member_pointer(mapping, key), message, "for example `[rediss://redis.internal:6379]`");
            }
            return None;
        }
        Some(nodes)
    };
    struct Sentinels => RedisNodes, SentinelKeys::KIND, |reader, mapping, key| {
        let SentinelKeys { master, nodes, password } = reader.get::<SentinelKeys>(mapping, key)?;
        Some(RedisNodes::Sentinel { master: master?, nodes: nodes?, password })
    };
    struct Durability => RedisDurability, RedisDurabilityKeys::KIND, |reader, mapping, key| {
        let RedisDurabilityKeys { timeout, wait } = reader.get::<RedisDurabilityKeys>(mapping, key)?;
        let wait = u32::try_from(wait?).ok()?;
        Some(RedisDurability { wait, timeout: timeout.unwrap_or(WAIT) })
    };
    struct WaitTime => Duration, Kind::Duration, |reader, mapping, key| {
        let time = reader.duration_with_help(mapping, key, WAIT_HELP)?;
        if time > LONGEST_WAIT || time.is_zero() {
            let message = format!("expected a time of up to {} ms, got {} ms", LONGEST_WAIT.as_millis(), time.as_millis());
            reader.report_fault(SettingCode::WrongValue, member_pointer(mapping, key), message, WAIT_HELP);
            return None;
        }
        Some(time)
    };
}

fn read_redis(reader: &mut Reader, mapping: Mapping<'_>, keys: RedisKeys) -> Option<RedisConfig> {
    let ways = ["url", "sentinel", "cluster"];
    let present: Vec<_> = ways.into_iter().filter(|way| mapping.object.contains(way)).collect();
    let &[way] = &*present else {
        let got = if present.is_empty() { "none" } else { "several" };
        let message = format!("expected one of `url`, `sentinel` and `cluster`, got {got}");
        let help = "for example `{url: rediss://redis.internal:6379}`";
        reader.report_fault(SettingCode::WrongValue, mapping.pointer, message, help);
        return None;
    };
    let RedisKeys { cluster, durability, password, sentinel, tls, url, user } = keys;
    let servers =
        url.map(RedisNodes::Single).or(sentinel).or_else(|| cluster.map(RedisNodes::Cluster))?;
    let is_secure = servers.urls().iter().all(|url| url.is_secure);
    if tls.is_some() && !is_secure {
        let message = "expected an address that begins with `rediss:` beside `tls`, got one that begins with `redis:`";
        let help = "write `rediss://…`, or leave `tls` out";
        reader.report_fault(SettingCode::WrongValue, member_pointer(mapping, way), message, help);
    }
    if user.is_some() && !mapping.object.contains("password") {
        reader.report_missing_key(mapping, "password");
    }
    if password.is_some() && !is_secure && !servers.urls().iter().all(RedisUrl::is_on_this_machine)
    {
        let message = "the password crosses the network in the clear";
        let help = "write `rediss://…` if the server has TLS";
        reader.warn(ConfigCode::PlainHttp, member_pointer(mapping, way), message, help);
    }
    let tls = tls.unwrap_or_default();
    Some(RedisConfig { user, password, tls, durability, ..RedisConfig::from_nodes(servers) })
}

const PORT: u16 = 6379;
const WAIT: Duration = Duration::from_millis(200);
/// Longer waits would not end before the caller of the store gives up.
const LONGEST_WAIT: Duration = Duration::from_millis(300);
const NO_SERVER: &str = "expected the address of a Redis server: `redis://` or `rediss://`, a host, and perhaps a port; beside \
     `url`, also the number of a database";
const WAIT_HELP: &str = "for example `200ms`";
const SERVER_HELP: &str = "for example `rediss://redis.internal:6379`; the user and the password are `user` and `password`";
