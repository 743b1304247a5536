//! The Redis server of a state: its address, its user, and the certificates of its connections.

use callgate_secret::SecretReference;
use url::{Host, Url};

use crate::{
    code::ConfigCode, form::forms, keys::Kind, reader::at, settings::keys, tls::TlsConfig,
};

/// A Redis server, or one that speaks its protocol.
///
/// ```
/// use callgate_config::{RedisConfig, RedisUrl};
///
/// let mut redis = RedisConfig::new(RedisUrl::secure("redis.internal", 6379));
/// redis.user = Some("callgate".to_owned());
/// redis.password = Some("env:REDIS_PASSWORD".parse()?);
/// assert!(redis.url.is_secure);
/// # Ok::<(), callgate_secret::Error>(())
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct RedisConfig {
    /// The server.
    pub url: RedisUrl,
    /// The user of the server's access control list; `default` without one.
    pub user: Option<String>,
    /// The password of the user.
    pub password: Option<SecretReference>,
    /// The certificates of secure connections.
    pub tls: TlsConfig,
    /// The beginning of all names in the server.
    pub prefix: String,
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
        let (tls, prefix) = (TlsConfig::default(), "callgate".to_owned());
        Self { url, user: None, password: None, tls, prefix }
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

    fn is_near(&self) -> bool {
        match Host::parse(&self.host) {
            Ok(Host::Domain(name)) => name == "localhost",
            Ok(Host::Ipv4(address)) => address.is_loopback(),
            Ok(Host::Ipv6(address)) => address.is_loopback(),
            Err(_) => false,
        }
    }
}

keys! {
    pub(crate) struct RedisKeys in "`redis`" {
        /// The password of the user.
        password: SecretReference;
        /// The certificates that secure the connections; the address begins with `rediss:`.
        tls: TlsConfig;
        /// The address: `redis://HOST:PORT/DATABASE`, or `rediss:` for a secure connection; port 6379 unless given.
        url: ServerUrl, required;
        /// The user of the server's access control list; `default` unless given.
        user: String;
    }
}

forms! {
    struct Redis => RedisConfig, RedisKeys::KIND, |reader, mapping, key| {
        reader.within::<RedisKeys, _>(mapping, key, |reader, mapping, keys| {
            let has_password = mapping.object.contains("password");
            let RedisKeys { password, tls, url, user } = keys;
            let url = url?;
            if tls.is_some() && !url.is_secure {
                let message = "expected an address that begins with `rediss:` beside `tls`, got one that begins with `redis:`";
                let help = "write `rediss://…`, or leave `tls` out";
                reader.complain(ConfigCode::WrongValue, at(mapping, "url"), message, help);
            }
            if user.is_some() && !has_password {
                reader.missing(mapping, "password");
            }
            if has_password && !url.is_secure && !url.is_near() {
                let message = "the password crosses the network in the clear";
                let help = "write `rediss://…` if the server has TLS";
                reader.warn(ConfigCode::PlainHttp, at(mapping, "url"), message, help);
            }
            Some(RedisConfig { user, password, tls: tls.unwrap_or_default(), ..RedisConfig::new(url) })
        })
    };
    struct ServerUrl => RedisUrl, Kind::Text, |reader, mapping, key| {
        let url = RedisUrl::parse(reader.string(mapping, key)?);
        if url.is_none() {
            let message = "expected the address of a Redis server: `redis://` or `rediss://`, a host, and perhaps a port and the number of a database";
            let help = "for example `rediss://redis.internal:6379`; the user and the password are `user` and `password`";
            reader.complain(ConfigCode::WrongValue, at(mapping, key), message, help);
        }
        url
    };
}

const PORT: u16 = 6379;
