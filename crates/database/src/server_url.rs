//! The URL of a database server: its scheme, the login, the host with its port, the database and the parameters, each decoded.
//! Which parameters there are, and what they mean, is the driver's. No message holds a part of the URL.

use std::net::IpAddr;

use callgate_secret::Secret;
use percent_encoding::percent_decode_str;

use crate::error::{Error, ErrorKind};

/// The parts of a URL such as `postgres://USER:PASSWORD@HOST:PORT/DATABASE?name=value`.
#[derive(Debug)]
pub(crate) struct ServerUrl {
    pub(crate) user: String,
    pub(crate) password: Option<Secret>,
    /// Empty if the URL names none. An address of IPv6 stands in brackets.
    pub(crate) host: String,
    pub(crate) port: Option<String>,
    /// Empty if the URL names none.
    pub(crate) database: String,
    /// Names and values, each name once.
    pub(crate) parameters: Vec<(String, String)>,
}

impl ServerUrl {
    /// Reads a URL that has one of these schemes and names a user.
    pub(crate) fn read(url: &Secret, schemes: &[&str]) -> Result<Self, Error> {
        let (scheme, rest) = url.expose().split_once("://").unwrap_or_default();
        if !schemes.contains(&scheme) {
            return Err(address_error(format!(
                "the address of this server starts with `{}://`",
                schemes.first().unwrap_or(&"")
            )));
        }
        if rest.contains('#') {
            return Err(address_error("the address has a `#`: write it as `%23`"));
        }
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        let parameters = parameters(query)?;
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        let (login, server) = authority.rsplit_once('@').unwrap_or(("", authority));
        let (user, password) = match login.split_once(':') {
            Some((user, password)) => {
                (percent_decoded(user)?, Some(Secret::new(percent_decoded(password)?)))
            }
            None => (percent_decoded(login)?, None),
        };
        if user.is_empty() {
            return Err(address_error(format!(
                "the address names no user: `{scheme}://USER:PASSWORD@HOST/DATABASE`"
            )));
        }
        // An address of IPv6 stands in brackets (RFC 3986 §3.2.2).
        let (host, port) = match server.rsplit_once(':') {
            Some((host, port)) if !port.ends_with(']') => (host, Some(port.to_owned())),
            _ => (server, None),
        };
        let (host, database) = (percent_decoded(host)?, percent_decoded(path)?);
        Ok(Self { user, password, host, port, database, parameters })
    }
}

fn parameters(query: &str) -> Result<Vec<(String, String)>, Error> {
    let mut parameters: Vec<(String, String)> = Vec::new();
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        if parameters.iter().any(|(entry, _)| entry == name) {
            return Err(address_error("the address has a parameter twice"));
        }
        parameters.push((name.to_owned(), percent_decoded(value)?));
    }
    Ok(parameters)
}

/// The port of a text, which is none of another range.
pub(crate) fn port(text: &str) -> Result<u16, Error> {
    let port = text.parse().ok().filter(|port| *port != 0);
    port.ok_or_else(|| address_error("the port is not a number from 1 to 65535"))
}

/// The host itself, if it is one name or address.
pub(crate) fn checked_host(host: String) -> Result<String, Error> {
    let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    let is_host = match bare {
        Some(address) => address.parse().is_ok_and(|address: IpAddr| address.is_ipv6()),
        None => !host.is_empty() && host.chars().all(is_host_character),
    };
    if is_host {
        Ok(host)
    } else {
        Err(address_error("the address names no host, or more than one"))
    }
}

/// RFC 6761 §6.3: `localhost` is this machine.
pub(crate) fn is_loopback(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    bare.eq_ignore_ascii_case("localhost")
        || bare.parse().is_ok_and(|address: IpAddr| address.to_canonical().is_loopback())
}

pub(crate) fn address_error(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Address, message.into())
}

fn is_host_character(each: char) -> bool {
    each.is_ascii_alphanumeric() || matches!(each, '.' | '-' | '_')
}

fn percent_decoded(text: &str) -> Result<String, Error> {
    let mut digits = text.split('%').skip(1).map(|rest| rest.bytes().take(2));
    let is_encoded = digits.all(|digits| {
        let digits: Vec<_> = digits.collect();
        digits.len() == 2 && digits.iter().all(u8::is_ascii_hexdigit)
    });
    let decoded = percent_decode_str(text).decode_utf8();
    let decoded = decoded.ok().filter(|text| is_encoded && !text.contains('\0'));
    decoded
        .map(Into::into)
        .ok_or_else(|| address_error("the address has a `%` that encodes no character"))
}
