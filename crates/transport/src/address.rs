//! Classifies IP addresses, by the special-purpose registries of IANA (RFC 6890) and the metadata services of clouds. Knows
//! only addresses; `egress` decides which may be called.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::{Ipv4Net, Ipv6Net};
use url::Host;

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum AddressClass {
    /// This link only, or a metadata service that gives credentials to any caller.
    LinkLocal,
    /// This machine, a private network, or anything else that is not the public Internet.
    Private,
    Public,
}

impl AddressClass {
    pub(crate) fn from_address(address: IpAddr) -> Self {
        match address {
            IpAddr::V4(address) => v4_class(address),
            IpAddr::V6(address) => v6_class(address),
        }
    }
}

/// Returns true if a host is this machine by its name or its address.
///
/// ```
/// use callgate_transport::is_this_machine;
/// use url::Host;
///
/// assert!(is_this_machine(&Host::Domain("localhost")));
/// assert!(!is_this_machine(&Host::Domain("api.example.com")));
/// ```
pub fn is_this_machine<S: AsRef<str>>(host: &Host<S>) -> bool {
    match host {
        Host::Domain(name) => name.as_ref() == "localhost",
        Host::Ipv4(address) => address.is_loopback(),
        Host::Ipv6(address) => address.is_loopback(),
    }
}

/// Returns true if an address is one of the public Internet.
///
/// ```
/// use callgate_transport::is_public;
///
/// assert!(is_public([93, 184, 216, 34].into()));
/// assert!(!is_public([10, 0, 0, 7].into()));
/// ```
pub fn is_public(address: IpAddr) -> bool {
    AddressClass::from_address(address.to_canonical()) == AddressClass::Public
}

/// The IPv4 address that packets to an IPv6 address reach: mapped (RFC 4291 §2.5.5), translated (RFC 6052) or tunnelled
/// (RFC 3056).
pub(crate) fn embedded_address(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let last = || Ipv4Addr::from_bits(u32::try_from(address.to_bits() & 0xffff_ffff).unwrap_or(0));
    let [first, second, third, fourth, fifth, sixth, ..] = address.segments();
    let v4 = |high: u16, low: u16| Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low));
    match (first, second, third, fourth, fifth, sixth) {
        (0, 0, 0, 0, 0, 0 | 0xffff) | (0x64, 0xff9b, 0, 0, 0, 0) | (0x64, 0xff9b, 1, ..) => {
            Some(last())
        }
        (0x2002, high, low, ..) => Some(v4(high, low)),
        _ => None,
    }
}

fn v4_class(address: Ipv4Addr) -> AddressClass {
    let is_in = |ranges: &[Ipv4Net]| ranges.iter().any(|range| range.contains(&address));
    if is_in(&LINK_LOCAL_V4) {
        return AddressClass::LinkLocal;
    }
    if is_in(&PRIVATE_V4) { AddressClass::Private } else { AddressClass::Public }
}

fn v6_class(address: Ipv6Addr) -> AddressClass {
    let is_in = |ranges: &[Ipv6Net]| ranges.iter().any(|range| range.contains(&address));
    if is_in(&LINK_LOCAL_V6) {
        return AddressClass::LinkLocal;
    }
    if let Some(inner) = embedded_address(address).filter(|inner| !inner.is_unspecified()) {
        return match v4_class(inner) {
            AddressClass::LinkLocal => AddressClass::LinkLocal,
            // A mapped address is dialled as IPv4; translators and tunnels lead to an address that nobody checked.
            class if address.to_ipv4_mapped().is_some() => class,
            AddressClass::Private | AddressClass::Public => AddressClass::Private,
        };
    }
    // Only 2000::/3 is global unicast (RFC 4291 §2.4), without the ranges that the registry reserves.
    let is_global = address.segments().first().is_some_and(|first| first >> 13 == 1);
    if is_global && !is_in(&PRIVATE_V6) { AddressClass::Public } else { AddressClass::Private }
}

const fn v4_range(a: u8, b: u8, c: u8, d: u8, length: u8) -> Ipv4Net {
    Ipv4Net::new_assert(Ipv4Addr::new(a, b, c, d), length)
}

const fn v6_range(first: u16, second: u16, third: u16, last: u16, length: u8) -> Ipv6Net {
    Ipv6Net::new_assert(Ipv6Addr::new(first, second, third, 0, 0, 0, 0, last), length)
}

const LINK_LOCAL_V4: [Ipv4Net; 4] = [
    // RFC 3927, which includes the metadata service of most clouds.
    v4_range(169, 254, 0, 0, 16),
    // The platform address of Azure, and the metadata services of Alibaba Cloud and Oracle Cloud.
    v4_range(168, 63, 129, 16, 32),
    v4_range(100, 100, 100, 200, 32),
    v4_range(192, 0, 0, 192, 32),
];

const PRIVATE_V4: [Ipv4Net; 14] = [
    // RFC 791: this network.
    v4_range(0, 0, 0, 0, 8),
    // RFC 1918.
    v4_range(10, 0, 0, 0, 8),
    v4_range(172, 16, 0, 0, 12),
    v4_range(192, 168, 0, 0, 16),
    // RFC 6598: shared with the provider.
    v4_range(100, 64, 0, 0, 10),
    // RFC 1122: loopback.
    v4_range(127, 0, 0, 0, 8),
    // RFC 6890: protocol assignments.
    v4_range(192, 0, 0, 0, 24),
    // RFC 5737: documentation.
    v4_range(192, 0, 2, 0, 24),
    v4_range(198, 51, 100, 0, 24),
    v4_range(203, 0, 113, 0, 24),
    // RFC 7526: the retired relay of 6to4.
    v4_range(192, 88, 99, 0, 24),
    // RFC 2544: benchmarks.
    v4_range(198, 18, 0, 0, 15),
    // RFC 5771: multicast. RFC 1112 §4: reserved, with the broadcast address.
    v4_range(224, 0, 0, 0, 4),
    v4_range(240, 0, 0, 0, 4),
];

const LINK_LOCAL_V6: [Ipv6Net; 3] = [
    // RFC 4291 §2.5.6.
    v6_range(0xfe80, 0, 0, 0, 10),
    // The metadata services of AWS and Google Cloud.
    v6_range(0xfd00, 0xec2, 0, 0x254, 128),
    v6_range(0xfd20, 0xce, 0, 0x254, 128),
];

const PRIVATE_V6: [Ipv6Net; 3] = [
    // RFC 2928: protocol assignments, with Teredo (RFC 4380), benchmarks (RFC 5180) and ORCHID (RFC 7343).
    v6_range(0x2001, 0, 0, 0, 23),
    // RFC 3849 and RFC 9637: documentation.
    v6_range(0x2001, 0xdb8, 0, 0, 32),
    v6_range(0x3fff, 0, 0, 0, 20),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(class: AddressClass, addresses: &str) {
        for address in addresses.split_whitespace() {
            assert_eq!(AddressClass::from_address(address.parse().unwrap()), class, "{address}");
        }
    }

    #[test]
    fn addresses_outside_the_special_ranges_are_public() {
        check(
            AddressClass::Public,
            "1.0.0.0 9.255.255.255 11.0.0.0 93.184.216.34 100.63.255.255 100.128.0.0
             126.255.255.255 128.0.0.0 168.63.129.15 168.63.129.17 169.253.255.255 169.255.0.0
             172.15.255.255 172.32.0.0 191.255.255.255 192.0.1.0 192.0.3.0 192.88.98.255
             192.88.100.0 192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0 198.51.99.255
             198.51.101.0 203.0.112.255 203.0.114.0 223.255.255.255 2001:200:: 2001:db7:ffff::
             2001:db9:: 2003::1 2606:2800:220:1::1 3ffe:ffff:: ::ffff:93.184.216.34",
        );
    }

    #[test]
    fn special_ranges_are_not_public() {
        check(
            AddressClass::Private,
            "0.0.0.0 0.255.255.255 10.0.0.0 10.255.255.255 100.64.0.0 100.127.255.255 127.0.0.1
             127.255.255.255 172.16.0.0 172.31.255.255 192.0.0.0 192.0.0.255 192.0.2.1
             192.88.99.1 192.168.0.0 192.168.255.255 198.18.0.0 198.19.255.255 198.51.100.1
             203.0.113.1 224.0.0.1 239.255.255.255 240.0.0.0 255.255.255.255 :: ::1
             ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::10.0.0.1 ::93.184.216.34 64:ff9b::10.0.0.1
             64:ff9b::93.184.216.34 64:ff9b:1::1 100::1 2001::1
             2001:0:4136:e378:8000:63bf:3fff:fdd2 2001:1ff:ffff:: 2001:db8::1 2002:7f00:1::
             2002:5db8:d822::1 3fff::1 3fff:fff::1 4000:: 5f00::1 fc00::1 fd00::1 fec0::1
             ff02::1",
        );
    }

    #[test]
    fn link_local_addresses_and_metadata_services_are_no_private_network() {
        check(
            AddressClass::LinkLocal,
            "169.254.0.0 169.254.169.254 169.254.255.255 168.63.129.16 100.100.100.200
             192.0.0.192 fe80::1 febf::1 fd00:ec2::254 fd20:ce::254 ::ffff:169.254.169.254
             64:ff9b::a9fe:a9fe 64:ff9b:1::a9fe:a9fe 2002:a9fe:a9fe::1",
        );
    }
}
