//! The address where a sidecar listens: a port of a host, a socket file, or a socket from the service manager.

use std::{fmt, path::PathBuf, str::FromStr};

/// An address to listen on.
///
/// ```
/// # use callgate_config::Address;
/// let address: Address = "127.0.0.1:8410".parse()?;
/// assert_eq!(address.to_string(), "127.0.0.1:8410");
/// assert!("unix:/run/callgate.sock".parse::<Address>().is_ok());
/// assert!("8410".parse::<Address>().is_err());
/// # Ok::<(), callgate_config::NotAnAddress>(())
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "adding a variant must break exhaustive matches")]
pub enum Address {
    /// Sockets of the service manager (`LISTEN_FDS`): all of them, or those with a name.
    Systemd(Option<String>),
    /// A port of a host.
    Tcp {
        /// A name or an address, IPv6 without brackets.
        host: String,
        /// The port; 0 for any free port.
        port: u16,
    },
    /// A socket file.
    Unix(PathBuf),
}

/// A text that is not an address to listen on.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct NotAnAddress(String);

impl FromStr for Address {
    type Err = NotAnAddress;

    fn from_str(text: &str) -> Result<Self, NotAnAddress> {
        if let Some(path) = text.strip_prefix("unix:").filter(|path| !path.is_empty()) {
            return Ok(Self::Unix(path.into()));
        }
        if text == SYSTEMD {
            return Ok(Self::Systemd(None));
        }
        let name = text.strip_prefix(SYSTEMD).and_then(|rest| rest.strip_prefix(':'));
        if let Some(name) = name.filter(|name| !name.is_empty()) {
            return Ok(Self::Systemd(Some(name.to_owned())));
        }
        let none = || NotAnAddress(text.to_owned());
        let (host, port) = text.rsplit_once(':').ok_or_else(none)?;
        let port = port.parse().map_err(|_| none())?;
        let host = match url::Host::parse(host).map_err(|_| none())? {
            url::Host::Ipv6(address) => address.to_string(),
            host => host.to_string(),
        };
        Ok(Self::Tcp { host, port })
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Systemd(None) => f.write_str(SYSTEMD),
            Self::Systemd(Some(name)) => write!(f, "{SYSTEMD}:{name}"),
            Self::Tcp { host, port } if host.contains(':') => write!(f, "[{host}]:{port}"),
            Self::Tcp { host, port } => write!(f, "{host}:{port}"),
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
        }
    }
}

callgate_secret::text!(error NotAnAddress: Self(got) => "expected `HOST:PORT`, `unix:PATH` or `systemd`, got: `{got}`");

const SYSTEMD: &str = "systemd";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listen_address_is_a_port_a_socket_file_or_a_socket_of_the_service_manager() {
        let tcp = |host: &str, port| Address::Tcp { host: host.to_owned(), port };
        let rows = [
            ("127.0.0.1:8410", Some(tcp("127.0.0.1", 8410))),
            ("localhost:0", Some(tcp("localhost", 0))),
            ("[::1]:8410", Some(tcp("::1", 8410))),
            ("unix:/run/callgate.sock", Some(Address::Unix("/run/callgate.sock".into()))),
            ("systemd", Some(Address::Systemd(None))),
            ("systemd:admin", Some(Address::Systemd(Some("admin".to_owned())))),
            ("unix:", None),
            ("systemd:", None),
            ("8410", None),
            (":8410", None),
            ("::1:8410", None),
            ("http://127.0.0.1:8410", None),
            ("127.0.0.1:65536", None),
        ];
        for (text, expected) in rows {
            let address = text.parse::<Address>();
            if let Err(error) = &address {
                assert!(error.to_string().ends_with(&format!("got: `{text}`")), "{error}");
            }
            assert_eq!(address.as_ref().ok(), expected.as_ref(), "{text}");
            if let Ok(address) = address {
                assert_eq!(address.to_string(), text);
            }
        }
    }
}
