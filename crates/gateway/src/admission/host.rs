//! Decides whether a request was meant for this sidecar: a web page must not reach one on the reader's machine, neither by a
//! form (`Origin`) nor by a name that resolves to this machine (`Host`). Only our own origin is served, so there is no CORS.

use std::net::IpAddr;

use http::{HeaderMap, HeaderName, header, request::Parts, uri::Authority};
use url::Host;

use crate::{
    peer::Peer,
    problem::{Problem, ProblemKind},
};

/// Refuses a request for another host, or from a page of another origin. `hosts` are the sidecar's further names.
pub(super) fn check_host_and_origin(
    request: &Parts,
    peer: &Peer,
    hosts: &[String],
) -> Result<(), Problem> {
    let authority = request_authority(request)?;
    let is_ours =
        authority.as_ref().is_some_and(|authority| is_sidecar_host(authority, peer, hosts));
    // No web page can reach a socket file, so any host name is accepted there.
    if !is_ours && peer.dialled.is_some() {
        let detail = "the `Host` is none of this sidecar's: list its name under `hosts: [NAME]`";
        return Err(Problem::new(ProblemKind::MISDIRECTED, detail));
    }
    let Some(origin) = request.headers.get(header::ORIGIN) else { return Ok(()) };
    let is_own = origin.to_str().is_ok_and(|origin| is_same_origin(origin, authority.as_ref()));
    if is_own && has_at_most_one_value(&request.headers, &header::ORIGIN) {
        return Ok(());
    }
    let detail = "pages of other origins are not served";
    Err(Problem::new(ProblemKind::FOREIGN_ORIGIN, detail))
}

/// The host that the request is for, from its target and its header, which must agree.
fn request_authority(request: &Parts) -> Result<Option<Authority>, Problem> {
    let of_target = request.uri.authority();
    let Some(header) = request.headers.get(header::HOST) else { return Ok(of_target.cloned()) };
    let of_header = header.to_str().ok().and_then(|text| text.parse::<Authority>().ok());
    let agrees = of_target.is_none_or(|of_target| {
        of_header
            .as_ref()
            .is_some_and(|of_header| of_header.as_str().eq_ignore_ascii_case(of_target.as_str()))
    });
    if agrees && has_at_most_one_value(&request.headers, &header::HOST) {
        return Ok(of_header);
    }
    let detail = "the `Host` and the target of the request name different hosts";
    Err(Problem::new(ProblemKind::MISDIRECTED, detail))
}

fn has_at_most_one_value(headers: &HeaderMap, name: &HeaderName) -> bool {
    headers.get_all(name).iter().nth(1).is_none()
}

/// Returns true if a host is this machine, the address of the connection, or a listed name. Ports are ignored, because
/// they may be mapped.
fn is_sidecar_host(authority: &Authority, peer: &Peer, hosts: &[String]) -> bool {
    if authority.as_str().contains('@') {
        return false;
    }
    let Some(host) = parse_host(authority.host()) else { return false };
    let is_dialled = |address: IpAddr| {
        let address = address.to_canonical();
        peer.dialled.is_some_and(|dialled| dialled.to_canonical() == address)
            || (address.is_loopback() && peer.is_local())
    };
    let is_known = match &host {
        Host::Domain(name) => name == "localhost" && peer.is_local(),
        Host::Ipv4(address) => is_dialled((*address).into()),
        Host::Ipv6(address) => is_dialled((*address).into()),
    };
    is_known || (!hosts.is_empty() && hosts.contains(&host.to_string()))
}

/// Reads a host like a browser; most hosts do not need a browser's tables of names.
fn parse_host(written: &str) -> Option<Host> {
    let address = written.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    match address.unwrap_or(written).parse() {
        Ok(IpAddr::V4(address)) if !written.starts_with('[') => Some(Host::Ipv4(address)),
        Ok(IpAddr::V6(address)) if written.starts_with('[') => Some(Host::Ipv6(address)),
        _ if written.eq_ignore_ascii_case("localhost") => {
            Some(Host::Domain(written.to_ascii_lowercase()))
        }
        _ => Host::parse(written).ok(),
    }
}

/// Returns true if a page came from this sidecar: from the host and port that the request is for.
fn is_same_origin(origin: &str, authority: Option<&Authority>) -> bool {
    let of_page = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
    authority
        .zip(of_page)
        .is_some_and(|(authority, of_page)| of_page.eq_ignore_ascii_case(authority.as_str()))
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::*;
    use crate::peer::ListenerKind;

    #[track_caller]
    fn check_with(dialled: Option<&str>, headers: &[(&str, &str)], expected: Option<u16>) {
        let mut request = Request::get("/v1/tools");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let dialled: Option<IpAddr> = dialled.map(|address| address.parse().unwrap());
        let peer =
            Peer { kind: ListenerKind::Calls, is_encrypted: false, dialled, names: Vec::new() };
        let hosts = ["callgate.internal".to_owned()];
        let checked =
            check_host_and_origin(&request.body(()).unwrap().into_parts().0, &peer, &hosts);
        let status = checked.err().map(|problem| problem.status());
        assert_eq!(status, expected, "{dialled:?} {headers:?}");
    }

    #[test]
    fn on_a_loopback_listener_hosts_of_this_machine_and_listed_ones_are_accepted() {
        let here = Some("127.0.0.1");
        for host in
            ["localhost", "LOCALHOST:8410", "127.0.0.1:9", "[::1]:8410", "callgate.internal"]
        {
            check_with(here, &[("host", host)], None);
        }
        let texts = "evil.example | localhost.evil.example | 10.0.0.9 | a@localhost | | 0
            | [127.0.0.1]";
        for host in texts.split('|').map(str::trim) {
            check_with(here, &[("host", host)], Some(421));
        }
        check_with(here, &[], Some(421));
        check_with(here, &[("host", "localhost"), ("host", "localhost")], Some(421));
    }

    #[test]
    fn on_a_public_listener_the_host_must_be_its_address_or_a_listed_name() {
        let there = Some("10.0.0.9");
        check_with(there, &[("host", "10.0.0.9:8410")], None);
        check_with(there, &[("host", "callgate.internal")], None);
        check_with(there, &[("host", "localhost")], Some(421));
        check_with(there, &[("host", "127.0.0.1")], Some(421));
        check_with(Some("::ffff:10.0.0.9"), &[("host", "10.0.0.9")], None);
    }

    #[test]
    fn a_socket_file_accepts_any_host_and_no_foreign_origin() {
        check_with(None, &[("host", "whatever")], None);
        check_with(None, &[], None);
        check_with(None, &[("host", "a"), ("origin", "http://evil.example")], Some(403));
    }

    #[test]
    fn only_requests_of_the_own_origin_are_served() {
        let host = ("host", "localhost:8410");
        let here = Some("127.0.0.1");
        check_with(here, &[host, ("origin", "http://localhost:8410")], None);
        for origin in
            ["null", "http://localhost:9999", "http://evil.example", "https://localhost", ""]
        {
            check_with(here, &[host, ("origin", origin)], Some(403));
        }
    }
}
