//! The place of a record in a store that others can look into: keyed digests of its owner and its key, which show neither.
//! The key of the digests stays the same when the sealing key is replaced: a record at another address would be absent, and
//! its call made again.

use aws_lc_rs::hmac;
use callgate_session::{Group, Key};

#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Address {
    /// The purpose of the record, as `Space::as_str` says it.
    pub(crate) space: String,
    /// The digest of the principal: all records of one owner lie together.
    pub(crate) owner: [u8; 16],
    /// The digest of the whole key.
    pub(crate) name: [u8; 32],
}

#[derive(Clone, Debug)]
pub(crate) struct Region {
    pub(crate) space: String,
    /// The digest of the principal; `None` for all of them.
    pub(crate) owner: Option<[u8; 16]>,
}

pub(crate) struct Addresses(hmac::Key);

impl Addresses {
    pub(crate) fn new(secret: &[u8; 32]) -> Self {
        Self(hmac::Key::new(hmac::HMAC_SHA256, secret))
    }

    pub(crate) fn address_of_key(&self, key: &Key) -> Address {
        let text = key.as_str();
        let mut parts = text.split('/');
        let space = parts.next().unwrap_or_default().to_owned();
        let owner = self.digest_start("owner", parts.next().unwrap_or_default());
        Address { space, owner, name: self.digest_start("name", text) }
    }

    /// The places among which those of a group are; other sessions of its principal lie there, too.
    pub(crate) fn group_region(&self, group: &Group) -> Region {
        let mut parts = group.as_str().split('/');
        let space = parts.next().unwrap_or_default().to_owned();
        let (principal, session) = (parts.next(), parts.next());
        let owner = session.and(principal).map(|principal| self.digest_start("owner", principal));
        Region { space, owner }
    }

    /// The first bytes of a digest; it is written with a zero byte between the purpose and the text.
    fn digest_start<const N: usize>(&self, purpose: &str, text: &str) -> [u8; N] {
        let digest = hmac::sign(&self.0, &[purpose.as_bytes(), &[0], text.as_bytes()].concat());
        let mut first = [0; N];
        first.iter_mut().zip(digest.as_ref()).for_each(|(to, from)| *to = *from);
        first
    }
}

impl Address {
    /// The bytes that a record is sealed for.
    pub(crate) fn sealing_context(&self) -> Vec<u8> {
        [self.space.as_bytes(), b"/", &self.owner, &self.name].concat()
    }
}

#[cfg(test)]
mod tests {
    use callgate_session::{Owner, Space};
    use callgate_tool::{Principal, Session};

    use super::*;

    #[test]
    fn an_address_shows_no_owner_and_records_of_one_owner_share_its_digest() {
        let (kim, lee) = (Principal::new("kim"), Principal::new("lee"));
        let (one, two) = (Session::new("s-1"), Session::new("s-2"));
        let addresses = Addresses::new(&[7; 32]);
        let of = |who, session, name| {
            addresses.address_of_key(&Key::new(Space::Result, Owner::new(Some(who), session), name))
        };
        let (first, second, other) =
            (of(&kim, &one, "a"), of(&kim, &two, "a"), of(&lee, &one, "a"));
        assert_eq!(first, of(&kim, &one, "a"));
        assert_eq!(first.owner, second.owner);
        assert_ne!(first.name, second.name);
        assert_ne!(first.owner, other.owner);
        assert_ne!(
            Addresses::new(&[8; 32]).address_of_key(&Key::new(
                Space::Result,
                Owner::new(Some(&kim), &one),
                "a"
            )),
            first
        );
        assert!(!String::from_utf8_lossy(&first.sealing_context()).contains("kim"));
    }
}
