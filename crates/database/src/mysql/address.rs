//! The address of a server of MariaDB or MySQL with its login, read from a URL. Nothing that the URL says is ignored: a parameter
//! that is not understood is refused. No message holds a part of it.

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
}

#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum ServerTarget {
    /// This machine, without TLS.
    Plain { host: String, port: u16 },
    /// A Unix socket.
    Socket(PathBuf),
    /// TLS, with the certificate and the name in it verified.
    Verified { host: String, port: u16 },
}

impl Address {
    /// Reads `mysql://USER:PASSWORD@HOST:PORT/DATABASE?ssl-mode=MODE`. The parameter `socket` is the path of a Unix socket.
    pub(super) fn read(url: &Secret) -> Result<Self, Error> {
        let url = ServerUrl::read(url, &["mysql", "mariadb"])?;
        let (mut mode, mut socket) = (None, None);
        for (name, value) in &url.parameters {
            match name.as_str() {
                "socket" => socket = Some(value.as_str()),
                "ssl-mode" => mode = Some(value.as_str()),
                _ => return Err(address_error(UNKNOWN_PARAMETER)),
            }
        }
        let target = match socket {
            Some(_) if !url.host.is_empty() || url.port.is_some() => {
                return Err(address_error("the address names a host and a socket"));
            }
            Some(path) if path.starts_with('/') && mode.is_none_or(|mode| mode == "DISABLED") => {
                ServerTarget::Socket(path.into())
            }
            Some(_) => {
                return Err(address_error(
                    "`socket` is the whole path of a Unix socket, which has no TLS",
                ));
            }
            None => {
                let host = server_url::checked_host(url.host)?;
                let port = server_url::port(url.port.as_deref().unwrap_or("3306"))?;
                tcp(host, port, mode)?
            }
        };
        if url.database.is_empty() {
            return Err(address_error(
                "the address names no database: `mysql://USER:PASSWORD@HOST/DATABASE`",
            ));
        }
        let (user, password, database) = (url.user, url.password, url.database);
        Ok(Self { target, user, password, database })
    }
}

fn tcp(host: String, port: u16, mode: Option<&str>) -> Result<ServerTarget, Error> {
    let is_here = is_loopback(&host);
    match mode {
        None | Some("DISABLED" | "PREFERRED") if is_here => Ok(ServerTarget::Plain { host, port }),
        Some("DISABLED") => Err(address_error(
            "`ssl-mode=DISABLED` is only for this machine: use `VERIFY_IDENTITY`",
        )),
        // A weaker mode would let whoever is in between read the password.
        None | Some("PREFERRED" | "REQUIRED" | "VERIFY_CA" | "VERIFY_IDENTITY") => {
            Ok(ServerTarget::Verified { host, port })
        }
        Some(_) => {
            Err(address_error("`ssl-mode` may be `DISABLED`, `REQUIRED` or `VERIFY_IDENTITY`"))
        }
    }
}

const UNKNOWN_PARAMETER: &str = "the address has a parameter other than `socket` and `ssl-mode`";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    fn read(url: &str) -> Result<Address, Error> {
        Address::read(&Secret::new(url.to_owned()))
    }

    #[track_caller]
    fn check(url: &str, target: &ServerTarget) {
        assert_eq!(read(url).unwrap().target, *target, "{url}");
    }

    #[test]
    fn a_host_that_is_not_this_machine_needs_verified_tls() {
        for mode in ["", "?ssl-mode=PREFERRED", "?ssl-mode=REQUIRED", "?ssl-mode=VERIFY_IDENTITY"] {
            let target = ServerTarget::Verified { host: "db.example".to_owned(), port: 3306 };
            check(&format!("mysql://ann@db.example/shop{mode}"), &target);
        }
        let target = ServerTarget::Verified { host: "localhost".to_owned(), port: 1 };
        check("mariadb://a:b@localhost:1/d?ssl-mode=VERIFY_IDENTITY", &target);
    }

    #[test]
    fn this_machine_needs_no_tls() {
        let target = ServerTarget::Plain { host: "127.0.0.1".to_owned(), port: 3307 };
        check("mysql://a@127.0.0.1:3307/d", &target);
        check("mysql://a@127.0.0.1:3307/d?ssl-mode=DISABLED", &target);
        check("mysql://a@/d?socket=%2Frun%2Fs", &ServerTarget::Socket("/run/s".into()));
    }

    #[test]
    fn an_address_that_is_not_understood_is_refused() {
        let texts = "postgres://a:s3cr3t@localhost/d mysql:a:s3cr3t@localhost/d
            mysql://a:s3cr3t@localhost mysql://:s3cr3t@localhost/d mysql://a:s3cr3t@/d
            mysql://a:s3cr3t@one,two/d mysql://a:s3cr3t@localhost:0/d
            mysql://a:s3cr3t@localhost/d#f mysql://a:s3cr3t@db.example/d?ssl-mode=DISABLED
            mysql://a:s3cr3t@db.example/d?ssl-mode=verify
            mysql://a:s3cr3t@localhost/d?ssl-mode=DISABLED&ssl-mode=DISABLED
            mysql://a:s3cr3t@localhost/d?allowLoadLocalInfile=true
            mysql://a:s3cr3t@localhost/d?socket=/run/s mysql://a:s3cr3t@/d?socket=s
            mysql://a:s3cr3t@/d?socket=/run/s&ssl-mode=REQUIRED";
        for url in texts.split_whitespace() {
            let error = read(url).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Address, "{url}");
            assert!(!format!("{error:?}").contains("s3cr3t"), "{error:?}");
        }
    }
}
