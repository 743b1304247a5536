//! Whether a server may be called at all: one the operator named always, one a description names only when it is
//! public https. Looks at the address as it is written; what a name resolves to is the transport's to judge.

use std::net::{Ipv4Addr, Ipv6Addr};

use callgate_openapi::NamedBy;
use url::{Host, Url};

/// Whether calls may go to the server at `url`.
pub(super) fn is_trusted(url: &Url, named_by: NamedBy) -> bool {
    match named_by {
        NamedBy::Operator => true,
        NamedBy::Description => {
            url.scheme() == "https" && url.host().is_some_and(|host| is_public(&host))
        }
    }
}

fn is_public(host: &Host<&str>) -> bool {
    match host {
        Host::Domain(name) => {
            let name = name.trim_end_matches('.');
            name != "localhost" && !name.ends_with(".localhost") && !name.ends_with(".internal")
        }
        Host::Ipv4(address) => is_public_v4(*address),
        Host::Ipv6(address) => is_public_v6(*address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, ..] = address.octets();
    // RFC 6598, RFC 2544, and the reserved class E with the platform address of one large cloud.
    let special =
        (a == 100 && (64..128).contains(&b)) || (a == 198 && (b == 18 || b == 19)) || a >= 224;
    !(special
        || a == 0
        || address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_documentation()
        || address == Ipv4Addr::new(168, 63, 129, 16))
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    if let Some(mapped) = address.to_ipv4_mapped() {
        return is_public_v4(mapped);
    }
    // RFC 4291: global unicast is 2000::/3; what tunnels IPv4 inside it (RFC 3056, RFC 4380) is not trusted.
    let [first, second, ..] = address.segments();
    (0x2000..0x4000).contains(&first) && first != 0x2002 && !(first == 0x2001 && second < 0x0200)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(url: &str, named_by: NamedBy, expected: bool) {
        assert_eq!(is_trusted(&url.parse().unwrap(), named_by), expected, "{url}");
    }

    #[test]
    fn what_the_operator_names_is_trusted() {
        check("http://127.0.0.1:8000", NamedBy::Operator, true);
    }

    #[test]
    fn what_a_description_names_is_public_https() {
        check("https://api.example.com", NamedBy::Description, true);
        check("https://93.184.216.34", NamedBy::Description, true);
        check("https://[2606:2800:220:1::1]", NamedBy::Description, true);
        for url in [
            "http://api.example.com",
            "https://localhost",
            "https://localhost.",
            "https://a.localhost",
            "https://metadata.google.internal",
            "https://127.0.0.1",
            "https://2130706433",
            "https://0x7f.1",
            "https://10.1.2.3",
            "https://169.254.169.254",
            "https://168.63.129.16",
            "https://100.64.0.1",
            "https://198.18.0.1",
            "https://0.0.0.0",
            "https://[::1]",
            "https://[::ffff:127.0.0.1]",
            "https://[64:ff9b::a9fe:a9fe]",
            "https://[fd00::1]",
            "https://[2002:7f00:1::]",
        ] {
            check(url, NamedBy::Description, false);
        }
    }
}
