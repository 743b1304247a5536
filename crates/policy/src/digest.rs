//! Digests of values that are never written down: arguments, session ids, idempotency keys.

use callgate_tool::{Arguments, FingerprintHasher, Principal};
use sha2::{Digest as _, Sha256};

pub(crate) type Digest = [u8; 32];

/// The digest of a key that a principal chose. An equal key of another principal has another digest.
pub(crate) fn key_digest(principal: Option<&Principal>, key: &str) -> Digest {
    let mut hash = Sha256::new();
    // Each part with its length, so that no two keys have equal bytes.
    for part in [principal.map(Principal::id), Some(key)] {
        hash.update([u8::from(part.is_some())]);
        if let Some(part) = part {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
    }
    hash.finalize().into()
}

pub(crate) fn session_digest(id: &str) -> Digest {
    Sha256::digest(id.as_bytes()).into()
}

/// The digest of arguments; the order of members does not count.
pub(crate) fn arguments_digest(arguments: &Arguments) -> Digest {
    let mut hasher = FingerprintHasher::default();
    hasher.add_object(arguments);
    *hasher.finish().as_bytes()
}

pub(crate) fn digest_from_hex(text: &str) -> Option<Digest> {
    let mut digest = [0; 32];
    if text.len() != 64 {
        return None;
    }
    let mut halves = text.chars().map(|half| half.to_digit(16));
    for byte in &mut digest {
        let (high, low) = (halves.next()??, halves.next()??);
        *byte = u8::try_from(high << 4 | low).ok()?;
    }
    Some(digest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_absent_principal_and_an_empty_one_have_different_digests() {
        let (kim, nobody) = (Principal::new("kim"), Principal::new(""));
        let keys =
            [key_digest(None, "k"), key_digest(Some(&nobody), "k"), key_digest(Some(&kim), "k")];
        assert!(keys[0] != keys[1] && keys[1] != keys[2] && keys[0] != keys[2]);
        assert_ne!(
            key_digest(Some(&Principal::new("a")), "bc"),
            key_digest(Some(&Principal::new("ab")), "c")
        );
    }

    #[test]
    fn a_digest_is_read_back_from_hexadecimal() {
        let digest = session_digest("s");
        assert_eq!(digest_from_hex(&callgate_tool::hexadecimal(&digest)), Some(digest));
        for bad in ["", "0", &"g".repeat(64), &"0".repeat(63), &"é".repeat(32)] {
            assert_eq!(digest_from_hex(bad), None, "{bad}");
        }
    }
}
