//! Checks the authority of an address (RFC 3986 §3.2): a host and perhaps a port. Names that a parser would map to others
//! (international ones, numbers that are read as addresses, escapes) are not accepted.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use url::Url;

use super::{InvalidAddress, wrong_address};

#[derive(Clone, Copy, Debug)]
pub(super) struct Authority<'t> {
    host: &'t str,
    port: Option<u16>,
}

impl Authority<'_> {
    /// Returns true if a URL has the written host and port; the port of its scheme if none is written.
    pub(super) fn has_host_and_port(self, url: &Url) -> bool {
        let v6 = |text: &str| text.strip_prefix('[')?.strip_suffix(']')?.parse::<Ipv6Addr>().ok();
        let is_host = url.host_str().is_some_and(|read| match (v6(self.host), v6(read)) {
            (None, None) => self.host.eq_ignore_ascii_case(read),
            (written, read) => written == read,
        });
        let usual = if url.scheme() == "http" { 80 } else { 443 };
        is_host && url.port_or_known_default() == Some(self.port.unwrap_or(usual))
    }
}

/// Takes an authority without user information apart; `text` is the whole text.
pub(super) fn check_authority<'t>(
    authority: &'t str,
    text: &str,
) -> Result<Authority<'t>, InvalidAddress> {
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => (host, Some(port)),
        _ => (authority, None),
    };
    let port = port.map_or(Ok(None), |port| port_number(port, text))?;
    if host.is_empty() {
        return Err(wrong_address("expected a server URL with a host", text));
    }
    if let Some(inner) = host.strip_prefix('[') {
        let address = inner.strip_suffix(']').and_then(|inner| inner.parse::<Ipv6Addr>().ok());
        let expected = "expected an IPv6 address without a zone between `[` and `]`";
        return address
            .map(|_| Authority { host, port })
            .ok_or_else(|| wrong_address(expected, text));
    }
    if host.contains(':') {
        return Err(wrong_address(
            "expected a host and a port, and IPv6 addresses in brackets",
            text,
        ));
    }
    check_host_name(host, text)?;
    Ok(Authority { host, port })
}

/// RFC 3986 §3.2.3: an empty port is that of the scheme.
fn port_number(port: &str, text: &str) -> Result<Option<u16>, InvalidAddress> {
    if port.is_empty() {
        return Ok(None);
    }
    let is_number = port.bytes().all(|byte| byte.is_ascii_digit());
    let number = port.parse::<u16>().ok().filter(|number| is_number && *number > 0);
    number.map(Some).ok_or_else(|| wrong_address("expected a port from 1 to 65535", text))
}

fn check_host_name(host: &str, text: &str) -> Result<(), InvalidAddress> {
    if !host.is_ascii() {
        return Err(wrong_address(
            "expected a host in ASCII, international names as `xn--…`",
            text,
        ));
    }
    if host.eq_ignore_ascii_case("http") || host.eq_ignore_ascii_case("https") {
        return Err(wrong_address("expected a server URL with one scheme", text));
    }
    let is_legal = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    if let Some(illegal_byte) = host.bytes().find(|byte| !is_legal(*byte)) {
        let expected =
            format!("expected a host without `{}`", char::from(illegal_byte).escape_debug());
        return Err(wrong_address(&expected, text));
    }
    // One dot at the end says that the name is whole (RFC 3986 §3.2.2).
    let name = host.strip_suffix('.').unwrap_or(host);
    let is_long = name.len() > LONGEST_NAME;
    if is_long || name.split('.').any(|label| label.is_empty() || label.len() > LONGEST_LABEL) {
        let expected = "expected a host of at most 253 characters, with 1 to 63 between its dots";
        return Err(wrong_address(expected, text));
    }
    if ends_in_number(name) && host.parse::<Ipv4Addr>().is_err() {
        return Err(wrong_address(
            "expected a host, or an IPv4 address of four decimal numbers",
            text,
        ));
    }
    Ok(())
}

/// Returns true if parsers take a name for an IPv4 address: its last label is a number
/// (<https://url.spec.whatwg.org/#ends-in-a-number-checker>).
fn ends_in_number(name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or_default();
    let hex = last.strip_prefix("0x").or_else(|| last.strip_prefix("0X"));
    let is_hex = hex.is_some_and(|hex| hex.bytes().all(|byte| byte.is_ascii_hexdigit()));
    is_hex || last.bytes().all(|byte| byte.is_ascii_digit())
}

/// The scheme that a host without one probably has: `http` on this machine, and for addresses.
pub(super) fn usual_scheme(text: &str) -> &'static str {
    let host = text.split(['/', ':']).next().unwrap_or_default();
    let is_near = !host.contains('.') || host.parse::<IpAddr>().is_ok() || text.starts_with('[');
    if is_near { "http" } else { "https" }
}

/// Returns true if the first segment of a path looks like a host: `localhost`, an address, or a name whose last label is
/// one of letters, as that of no version and of few files.
pub(super) fn begins_like_host(text: &str) -> bool {
    let first = text.split('/').next().unwrap_or_default();
    let (name, port) = first.split_once(':').unwrap_or((first, ""));
    let is_port = port.bytes().all(|byte| byte.is_ascii_digit());
    let labels: Vec<&str> = name.split('.').collect();
    let is_label = |label: &&str| {
        !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    let last = labels.last().copied().unwrap_or_default();
    let is_domain = labels.len() > 1
        && labels.iter().all(is_label)
        && last.len() > 1
        && last.bytes().all(|byte| byte.is_ascii_alphabetic())
        && !FILES.contains(&last.to_ascii_lowercase().as_str());
    is_port && (is_domain || name == "localhost" || name.parse::<Ipv4Addr>().is_ok())
}

/// The endings of files that servers are named after.
const FILES: [&str; 10] =
    ["ashx", "asmx", "aspx", "cgi", "html", "json", "jsp", "php", "svc", "yaml"];

/// RFC 1035 §2.3.4.
const LONGEST_LABEL: usize = 63;
const LONGEST_NAME: usize = 253;
