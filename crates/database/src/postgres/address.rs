//! The address of a PostgreSQL server with its login, read from a URL of the form that libpq reads. Nothing that the URL says
//! is ignored: a parameter that is not understood is refused. No message holds a part of it.

use std::path::PathBuf;

use callgate_secret::Secret;

use crate::{
    error::Error,
    server_url::{self, ServerUrl, address_error, is_loopback},
};

/// A server, a database of it and a login.
#[derive(Clone, Debug)]
pub(super) struct Address {
    pub(super) target: ServerTarget,
    pub(super) user: String,
    pub(super) password: Option<Secret>,
    pub(super) database: String,
    pub(super) encryption: Encryption,
    /// True if a login without a channel binding is refused.
    pub(super) needs_binding: bool,
}

#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum ServerTarget {
    /// A Unix socket.
    Socket(PathBuf),
    Tcp {
        host: String,
        port: u16,
    },
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Encryption {
    /// Only to this machine.
    None,
    /// TLS, with the certificate and the name in it verified.
    Verified,
}

impl Address {
    /// Reads `postgres://USER:PASSWORD@HOST:PORT/DATABASE?sslmode=MODE`. A host that is a path, or the parameter `host`, is the
    /// folder of a Unix socket.
    pub(super) fn read(url: &Secret) -> Result<Self, Error> {
        let url = ServerUrl::read(url, &["postgres", "postgresql"])?;
        let parameters = Parameters::from_url(&url)?;
        let target = target(&url, &parameters)?;
        let encryption = encryption(&target, parameters.mode)?;
        let needs_binding = match parameters.binding {
            None | Some("prefer") => false,
            Some("require") if encryption == Encryption::Verified => true,
            _ => {
                return Err(address_error(
                    "`channel_binding` may be `prefer`, or `require` with TLS",
                ));
            }
        };
        let database = if url.database.is_empty() { &url.user } else { &url.database }.clone();
        let ServerUrl { user, password, .. } = url;
        Ok(Self { target, user, password, database, encryption, needs_binding })
    }
}

/// The parameters of a URL that are understood.
#[derive(Default)]
struct Parameters<'a> {
    host: Option<&'a str>,
    port: Option<&'a str>,
    mode: Option<&'a str>,
    binding: Option<&'a str>,
}

impl<'a> Parameters<'a> {
    fn from_url(url: &'a ServerUrl) -> Result<Self, Error> {
        let mut parameters = Self::default();
        for (name, value) in &url.parameters {
            let field = match name.as_str() {
                "channel_binding" => &mut parameters.binding,
                "host" => &mut parameters.host,
                "port" => &mut parameters.port,
                "sslmode" => &mut parameters.mode,
                _ => return Err(address_error(UNKNOWN_PARAMETER)),
            };
            *field = Some(value);
        }
        Ok(parameters)
    }
}

fn target(url: &ServerUrl, parameters: &Parameters<'_>) -> Result<ServerTarget, Error> {
    let host = match parameters.host {
        Some(_) if !url.host.is_empty() => {
            return Err(address_error("the address names two hosts"));
        }
        Some(host) => host,
        None => &url.host,
    };
    let port = match (url.port.as_deref(), parameters.port) {
        (None, None) => "5432",
        (None, Some(port)) | (Some(port), None) => port,
        _ => return Err(address_error("the address names two ports")),
    };
    let port = server_url::port(port)?;
    if host.starts_with('/') {
        return Ok(ServerTarget::Socket(PathBuf::from(host).join(format!(".s.PGSQL.{port}"))));
    }
    Ok(ServerTarget::Tcp { host: server_url::checked_host(host.to_owned())?, port })
}

fn encryption(target: &ServerTarget, mode: Option<&str>) -> Result<Encryption, Error> {
    let is_here = match target {
        ServerTarget::Socket(_) => true,
        ServerTarget::Tcp { host, .. } => is_loopback(host),
    };
    let is_socket = matches!(target, ServerTarget::Socket(_));
    match mode {
        Some("disable") if !is_here => {
            Err(address_error("`sslmode=disable` is only for this machine: use `verify-full`"))
        }
        None | Some("allow" | "disable" | "prefer") if is_here => Ok(Encryption::None),
        Some("require" | "verify-ca" | "verify-full") if is_socket => {
            Err(address_error("a Unix socket has no TLS: leave `sslmode` out"))
        }
        // A weaker mode would let whoever is in between read the password.
        None | Some("allow" | "prefer" | "require" | "verify-ca" | "verify-full") => {
            Ok(Encryption::Verified)
        }
        Some(_) => Err(address_error("`sslmode` may be `disable`, `require` or `verify-full`")),
    }
}

const UNKNOWN_PARAMETER: &str =
    "the address has a parameter other than `channel_binding`, `host`, `port` and `sslmode`";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    fn read(url: &str) -> Result<Address, Error> {
        Address::read(&Secret::new(url.to_owned()))
    }

    #[track_caller]
    fn check(url: &str, target: &ServerTarget, encryption: Encryption) {
        let address = read(url).unwrap();
        assert_eq!((&address.target, address.encryption), (target, encryption), "{url}");
    }

    #[track_caller]
    fn check_refused(url: &str) {
        let error = read(url).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Address, "{url}");
        assert!(!format!("{error:?}").contains("s3cr3t"), "{error:?}");
    }

    fn tcp(host: &str, port: u16) -> ServerTarget {
        ServerTarget::Tcp { host: host.to_owned(), port }
    }

    #[test]
    fn a_host_that_is_not_this_machine_needs_verified_tls() {
        for mode in ["", "?sslmode=prefer", "?sslmode=require", "?sslmode=verify-full"] {
            let url = format!("postgres://ann@db.example{mode}");
            check(&url, &tcp("db.example", 5432), Encryption::Verified);
        }
        check(
            "postgresql://a:b@[2001:db8::1]:6432/d",
            &tcp("[2001:db8::1]", 6432),
            Encryption::Verified,
        );
        check("postgres://a@10.0.0.7", &tcp("10.0.0.7", 5432), Encryption::Verified);
        check_refused("postgres://a:s3cr3t@db.example?sslmode=disable");
    }

    #[test]
    fn this_machine_needs_no_tls() {
        check("postgres://a@127.0.0.1:1/d", &tcp("127.0.0.1", 1), Encryption::None);
        check("postgres://a@localhost?sslmode=disable", &tcp("localhost", 5432), Encryption::None);
        check("postgres://a@[::1]", &tcp("[::1]", 5432), Encryption::None);
        check(
            "postgres://a@localhost?sslmode=verify-full",
            &tcp("localhost", 5432),
            Encryption::Verified,
        );
        let socket = ServerTarget::Socket("/run/pg/.s.PGSQL.6000".into());
        check("postgres://a@/d?host=/run/pg&port=6000", &socket, Encryption::None);
        check("postgres://a@%2Frun%2Fpg:6000/d", &socket, Encryption::None);
    }

    #[test]
    fn a_login_is_percent_decoded() {
        let address = read("postgres://a%40b:p%2F%3A%23@localhost/my%20shop").unwrap();
        assert_eq!((&*address.user, &*address.database), ("a@b", "my shop"));
        assert_eq!(address.password.unwrap().expose(), "p/:#");
        assert_eq!(read("postgres://ann@localhost").unwrap().database, "ann");
    }

    #[test]
    fn an_address_that_is_not_understood_is_refused() {
        let texts = "mysql://a:s3cr3t@localhost postgres:a:s3cr3t@localhost
            postgres://localhost/s3cr3t postgres://:s3cr3t@localhost postgres://a:s3cr3t@
            postgres://a:s3cr3t@one,two/d postgres://a:s3cr3t@one:1,two:2/d
            postgres://a:s3cr3t@localhost:0 postgres://a:s3cr3t@localhost:70000
            postgres://a:s3cr3t@localhost:x postgres://a:s3cr3t%zz@localhost
            postgres://a:s3cr3t%ff@localhost postgres://a:s3cr3t%00@localhost
            postgres://a:s3cr3t%@localhost postgres://a:s3cr3t@localhost/d#f
            postgres://a:s3cr3t@localhost?options=-c%20x%3Dy
            postgres://a:s3cr3t@localhost?SSLMODE=disable
            postgres://a:s3cr3t@localhost?sslmode=no
            postgres://a:s3cr3t@localhost?sslmode=require&sslmode=disable
            postgres://a:s3cr3t@localhost?host=db.example postgres://a:s3cr3t@localhost:1?port=2
            postgres://a:s3cr3t@/d?host=/run/pg&sslmode=require
            postgres://a:s3cr3t@localhost?channel_binding=require
            postgres://a:s3cr3t@[127.0.0.1]";
        for url in texts.split_whitespace().chain(["host=localhost user=a password=s3cr3t"]) {
            check_refused(url);
        }
    }

    #[test]
    fn an_address_shows_no_password() {
        let address = read("postgres://ann:s3cr3t@localhost").unwrap();
        assert!(!format!("{address:?}").contains("s3cr3t"), "{address:?}");
    }
}
