//! Decides which addresses may be dialled: by the party that named the origin and by the ranges that the operator allows,
//! but never our own listeners. Checks addresses, not names; the resolver asks before anything is dialled.

use std::{
    net::{IpAddr, SocketAddr, UdpSocket},
    str::FromStr,
    sync::{Arc, PoisonError, RwLock},
};

use callgate_tool::NamedBy;
use ipnet::IpNet;

use crate::address::{AddressClass, embedded_address};

/// A range of addresses that the operator allows: `10.0.0.0/8`, `fd00::/8`, or one address.
///
/// ```
/// # use callgate_transport::AddressRange;
/// assert!("10.0.0.0/8".parse::<AddressRange>().is_ok());
/// assert!("169.254.169.254".parse::<AddressRange>().is_ok());
/// assert!("10.0.0.0/33".parse::<AddressRange>().is_err());
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct AddressRange(IpNet);

/// The error for a text that is not a range of addresses.
///
/// ```
/// use callgate_transport::AddressRange;
///
/// let error = "10.0.0.0/33".parse::<AddressRange>().unwrap_err();
/// let message = "expected a range of addresses such as `10.0.0.0/8`, or one address, got: `10.0.0.0/33`";
/// assert_eq!(error.to_string(), message);
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct NotARange(String);

/// The addresses on which this process listens. Clones share one list: the gateway fills it, and the transport refuses to
/// dial its addresses.
#[derive(Clone, Debug, Default)]
pub struct Listeners {
    addresses: Arc<RwLock<Vec<SocketAddr>>>,
}

#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Egress {
    pub(crate) named_by: NamedBy,
    pub(crate) is_https: bool,
    pub(crate) allow: Arc<[AddressRange]>,
    /// Our own listeners at the port that will be dialled.
    pub(crate) own: Vec<IpAddr>,
}

/// The reason why an address must not be dialled.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Denial {
    /// A description names a server without TLS.
    Insecure,
    /// A metadata service, or this link.
    LinkLocal,
    /// The address is a listener of this process.
    OwnListener,
    /// A description names an address that is not on the public Internet.
    Private,
}

impl FromStr for AddressRange {
    type Err = NotARange;

    fn from_str(text: &str) -> Result<Self, NotARange> {
        let range = text.parse::<IpNet>().ok();
        let range = range.or_else(|| text.parse::<IpAddr>().map(IpNet::from).ok());
        range.map(Self).ok_or_else(|| NotARange(text.to_owned()))
    }
}

callgate_secret::text!(AddressRange: Self(range) => "{range}");

callgate_secret::text!(error NotARange: Self(got) => "expected a range of addresses such as `10.0.0.0/8`, or one address, got: `{got}`");

impl Listeners {
    /// Records that this process listens on `address`.
    pub fn add(&self, address: SocketAddr) {
        self.addresses.write().unwrap_or_else(PoisonError::into_inner).push(address);
    }

    /// Records that this process no longer listens on `address`.
    pub fn remove(&self, address: SocketAddr) {
        let mut addresses = self.addresses.write().unwrap_or_else(PoisonError::into_inner);
        addresses.retain(|listener| *listener != address);
    }

    pub(crate) fn addresses_at_port(&self, port: u16) -> Vec<IpAddr> {
        let addresses = self.addresses.read().unwrap_or_else(PoisonError::into_inner);
        addresses.iter().filter(|address| address.port() == port).map(SocketAddr::ip).collect()
    }
}

impl Egress {
    pub(crate) fn check_address(&self, address: IpAddr) -> Result<(), Denial> {
        let address = address.to_canonical();
        if self.own.iter().any(|own| is_listener_at(*own, address)) {
            return Err(Denial::OwnListener);
        }
        if self.is_in_allowed_range(address) {
            return Ok(());
        }
        match (AddressClass::from_address(address), self.named_by) {
            (AddressClass::LinkLocal, _) => Err(Denial::LinkLocal),
            (_, NamedBy::Operator) => Ok(()),
            (AddressClass::Private, NamedBy::Description) => Err(Denial::Private),
            (AddressClass::Public, NamedBy::Description) if self.is_https => Ok(()),
            (AddressClass::Public, NamedBy::Description) => Err(Denial::Insecure),
        }
    }

    /// Refuses a description's URL without TLS if no range is allowed, since no address could pass then.
    pub(crate) fn check_insecure_scheme(&self) -> Result<(), Denial> {
        let is_refused =
            self.named_by == NamedBy::Description && !self.is_https && self.allow.is_empty();
        if is_refused { Err(Denial::Insecure) } else { Ok(()) }
    }

    /// Returns true if an allowed range holds the address. An address that leads to an IPv4 address is allowed only if that
    /// one is public or allowed too: a translator's range does not allow every private network behind it.
    fn is_in_allowed_range(&self, address: IpAddr) -> bool {
        let holds = |address: IpAddr| self.allow.iter().any(|range| range.0.contains(&address));
        let inner = match address {
            IpAddr::V4(_) => None,
            IpAddr::V6(address) => embedded_address(address).map(IpAddr::V4),
        };
        let is_inner_fine =
            |inner| AddressClass::from_address(inner) == AddressClass::Public || holds(inner);
        holds(address) && inner.is_none_or(is_inner_fine)
    }
}

impl Denial {
    /// The problem, and what an operator can do who wants to allow the address.
    pub fn message(self) -> &'static str {
        match self {
            Self::Insecure | Self::Private => {
                "the description names a server that is not public https; an operator who trusts it names it under `server:`"
            }
            Self::LinkLocal => {
                "the server is at a link-local address or a metadata service of a cloud; an operator who means it lists the \
                 address under `egress: {allow: […]}`"
            }
            Self::OwnListener => {
                "the server is callgate itself; name the service that it should call instead"
            }
        }
    }
}

/// Returns true if a listener on `own` is reachable at `address`. A listener on all interfaces is, at every address of the
/// machine.
fn is_listener_at(own: IpAddr, address: IpAddr) -> bool {
    // Linux connects to this machine for the unspecified address.
    let is_here = || {
        address.is_loopback()
            || address.is_unspecified()
            // Only the machine's own addresses can be bound.
            || UdpSocket::bind((address, 0)).is_ok()
    };
    let own = own.to_canonical();
    own == address
        || (own.is_unspecified() && is_here())
        || (own.is_loopback() && address.is_unspecified())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn egress(named_by: NamedBy, is_https: bool, allow: &[&str]) -> Egress {
        let allow = allow.iter().map(|range| range.parse().unwrap()).collect();
        Egress { named_by, is_https, allow, own: Vec::new() }
    }

    #[track_caller]
    fn check(egress: &Egress, address: &str, expected: Result<(), Denial>) {
        assert_eq!(egress.check_address(address.parse().unwrap()), expected, "{address}");
    }

    #[test]
    fn a_description_may_name_only_public_addresses_over_https() {
        let secure = egress(NamedBy::Description, true, &[]);
        check(&secure, "93.184.216.34", Ok(()));
        check(&secure, "::ffff:93.184.216.34", Ok(()));
        check(&secure, "127.0.0.1", Err(Denial::Private));
        check(&secure, "::ffff:127.0.0.1", Err(Denial::Private));
        check(&secure, "64:ff9b::5db8:d822", Err(Denial::Private));
        check(&secure, "169.254.169.254", Err(Denial::LinkLocal));
        let plain = egress(NamedBy::Description, false, &[]);
        check(&plain, "93.184.216.34", Err(Denial::Insecure));
        assert_eq!(plain.check_insecure_scheme(), Err(Denial::Insecure));
        assert_eq!(secure.check_insecure_scheme(), Ok(()));
    }

    #[test]
    fn an_operator_may_name_private_addresses_but_no_metadata_service() {
        let operator = egress(NamedBy::Operator, false, &[]);
        for address in ["93.184.216.34", "127.0.0.1", "::1", "10.0.0.1", "fd00::1", "100.64.0.1"] {
            check(&operator, address, Ok(()));
        }
        let texts = "169.254.169.254 ::ffff:169.254.169.254 fe80::1 168.63.129.16 fd00:ec2::254
            64:ff9b::a9fe:a9fe";
        for address in texts.split_whitespace() {
            check(&operator, address, Err(Denial::LinkLocal));
        }
    }

    #[test]
    fn an_address_in_an_allowed_range_may_be_named_by_a_description() {
        let description = egress(NamedBy::Description, false, &["10.0.0.0/8", "169.254.169.254"]);
        assert_eq!(description.check_insecure_scheme(), Ok(()));
        check(&description, "10.1.2.3", Ok(()));
        check(&description, "::ffff:10.1.2.3", Ok(()));
        check(&description, "169.254.169.254", Ok(()));
        check(&description, "169.254.169.253", Err(Denial::LinkLocal));
        check(&description, "93.184.216.34", Err(Denial::Insecure));
        check(&description, "11.0.0.1", Err(Denial::Insecure));
    }

    #[test]
    fn allowing_the_nat64_range_does_not_allow_private_addresses_in_it() {
        let secure = egress(NamedBy::Description, true, &["64:ff9b::/96"]);
        check(&secure, "64:ff9b::5db8:d822", Ok(()));
        check(&secure, "64:ff9b::a9fe:a9fe", Err(Denial::LinkLocal));
        check(&secure, "64:ff9b::a00:1", Err(Denial::Private));
    }

    #[test]
    fn no_egress_rule_allows_the_own_listener() {
        let listeners = Listeners::default();
        listeners.add("127.0.0.1:8410".parse().unwrap());
        listeners.add("[::]:8411".parse().unwrap());
        let own = |port| {
            let own = listeners.addresses_at_port(port);
            Egress { own, ..egress(NamedBy::Operator, false, &["127.0.0.0/8", "0.0.0.0"]) }
        };
        check(&own(8410), "127.0.0.1", Err(Denial::OwnListener));
        check(&own(8410), "::ffff:127.0.0.1", Err(Denial::OwnListener));
        check(&own(8410), "0.0.0.0", Err(Denial::OwnListener));
        check(&own(8410), "127.0.0.2", Ok(()));
        check(&own(8411), "127.0.0.2", Err(Denial::OwnListener));
        check(&own(8411), "93.184.216.34", Ok(()));
        check(&own(8412), "127.0.0.1", Ok(()));
        listeners.remove("127.0.0.1:8410".parse().unwrap());
        check(&own(8410), "127.0.0.1", Ok(()));
    }
}
