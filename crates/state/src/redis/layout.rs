//! The keys in Redis and the form of a stored value. All records whose owners' digests begin with an equal byte share
//! a hash tag, so that one owner is in one slot of a cluster, and everything can be listed without a search of the server.

use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use callgate_session::{Error, ErrorKind, Space, Version};

use super::server::Care;
use crate::{address::Address, error};

/// The beginning of all names.
#[derive(Debug)]
pub(super) struct Layout(String);

/// The first byte of an owner's digest.
pub(super) type Tag = u8;

#[derive(Debug)]
pub(super) struct Names {
    pub(super) tag: Tag,
    pub(super) record: String,
    /// The members of the tag and the space in the order of their bytes.
    pub(super) members: String,
    /// The members by the time of their end, in milliseconds since 1970.
    pub(super) ends: String,
    pub(super) member: [u8; MEMBER],
    pub(super) care: Care,
}

/// A stored value: its version and the number of its chunks in hexadecimal digits, and then the sealed record, if it has no
/// chunks.
#[derive(Debug, Eq, PartialEq)]
pub(super) struct Value {
    pub(super) version: Version,
    pub(super) n_chunks: usize,
    pub(super) sealed: Vec<u8>,
}

impl Layout {
    pub(super) fn new(prefix: &str) -> Result<Self, Error> {
        let is_plain = |it: char| it.is_ascii_alphanumeric() || matches!(it, '_' | '-' | '.');
        if prefix.is_empty() || !prefix.chars().all(is_plain) {
            let message = format!(
                "expected a prefix of letters, digits, `_`, `-` and `.`, got: `{}`",
                prefix.escape_debug()
            );
            return Err(Error::new(ErrorKind::Unreadable, message));
        }
        Ok(Self(prefix.to_owned()))
    }

    /// The name of the secret of all addresses, which lies in the slot of the first tag.
    pub(super) fn secret_key(&self) -> (Tag, String) {
        (0, format!("{}:{{00}}:addresses", self.0))
    }

    pub(super) fn members_key(&self, tag: Tag, space: &str) -> String {
        format!("{}:{{{tag:02x}}}:{space}:members", self.0)
    }

    pub(super) fn ends_key(&self, tag: Tag, space: &str) -> String {
        format!("{}:{{{tag:02x}}}:{space}:ends", self.0)
    }

    pub(super) fn record_names(&self, address: &Address) -> Names {
        let (tag, member) = (owner_tag(&address.owner), address_bytes(address));
        let beginning = format!("{}:{{{tag:02x}}}:{}:", self.0, address.space);
        let name = BASE64_URL_SAFE_NO_PAD.encode(member);
        Names {
            tag,
            record: format!("{beginning}{name}"),
            members: self.members_key(tag, &address.space),
            ends: self.ends_key(tag, &address.space),
            member,
            care: if KEPT.contains(&&*address.space) { Care::Kept } else { Care::Usual },
        }
    }
}

impl Names {
    /// The name of a chunk, as the scripts build it too.
    pub(super) fn chunk_key(&self, version: Version, number: usize) -> String {
        format!("{}:{}:{number}", self.record, version_digits(version))
    }
}

impl Value {
    pub(super) fn parse(mut bytes: Vec<u8>) -> Result<Self, Error> {
        let head = bytes.get(..HEAD).and_then(|head| std::str::from_utf8(head).ok());
        let (version, n_chunks) = head
            .and_then(|head| head.split_at_checked(VERSION))
            .ok_or_else(error::unreadable_record_error)?;
        let version =
            u64::from_str_radix(version, 16).map_err(|_| error::unreadable_record_error())?;
        let n_chunks =
            usize::from_str_radix(n_chunks, 16).map_err(|_| error::unreadable_record_error())?;
        let sealed = bytes.split_off(HEAD);
        Ok(Self { version: Version::new(version), n_chunks, sealed })
    }
}

pub(super) fn owner_tag(owner: &[u8; 16]) -> Tag {
    let [first, ..] = owner;
    *first
}

/// The bytes of an address within its space: those of one owner follow each other.
pub(super) fn address_bytes(address: &Address) -> [u8; MEMBER] {
    let mut member = [0; MEMBER];
    let bytes = address.owner.iter().chain(&address.name);
    member.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
    member
}

/// The address of a member; `None` if the bytes are in another form.
pub(super) fn address_of_member(space: &str, member: &[u8]) -> Option<Address> {
    let (owner, name) = member.split_first_chunk()?;
    Some(Address { space: space.to_owned(), owner: *owner, name: name.try_into().ok()? })
}

/// A version as the scripts compare it.
pub(super) fn version_digits(version: Version) -> String {
    format!("{:016x}", version.number())
}

/// The bytes of a member: an owner and a name.
pub(super) const MEMBER: usize = 48;
/// The records whose loss would let a call be made twice, and what belongs to them.
const KEPT: [&str; 4] = [
    Space::Approval.as_str(),
    Space::Detail.as_str(),
    Space::Idempotency.as_str(),
    Space::Program.as_str(),
];
/// The digits of a version.
const VERSION: usize = 16;
/// The digits of a version and of a number of chunks.
const HEAD: usize = VERSION + 4;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_of_one_owner_share_a_hash_tag_and_show_no_digest_of_another_form() {
        let layout = Layout::new("team-a").unwrap();
        let of = |owner: u8, name: u8| {
            let address =
                Address { space: "call".to_owned(), owner: [owner; 16], name: [name; 32] };
            assert_eq!(address_of_member("call", &address_bytes(&address)), Some(address.clone()));
            layout.record_names(&address)
        };
        let (one, two) = (of(0xab, 1), of(0xab, 2));
        assert!(one.record.starts_with("team-a:{ab}:call:"), "{}", one.record);
        assert_eq!((one.members, one.ends), (two.members, two.ends));
        assert_ne!(one.record, two.record);
        assert_ne!(of(0xac, 1).record, one.record);
    }

    #[test]
    fn a_prefix_with_a_brace_would_move_the_hash_tag_and_is_refused() {
        for prefix in ["", "a{b}", "a:b", "ä", "a b"] {
            assert_eq!(Layout::new(prefix).unwrap_err().kind(), ErrorKind::Unreadable, "{prefix}");
        }
    }

    #[test]
    fn a_value_in_another_form_is_unreadable() {
        let value = Value::parse(b"00000000000000ff0002".to_vec()).unwrap();
        assert_eq!((value.version, value.n_chunks), (Version::new(255), 2));
        for bytes in [&b""[..], b"00000000000000ff", b"0000000000000xff0000abc", b"\xff\xff"] {
            assert!(Value::parse(bytes.to_vec()).is_err());
        }
    }
}
