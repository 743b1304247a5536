//! The answers that prove a password to the server without saying it.

use aws_lc_rs::digest::{Digest, SHA1_FOR_LEGACY_USE_ONLY, digest};
use sha2::Sha256;

/// A way to sign in. Other ones, such as a password in clear text, are refused.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Plugin {
    /// `caching_sha2_password`, the default of MySQL 8.
    CachingSha2,
    /// `mysql_native_password`, the default of MariaDB.
    Native,
}

impl Plugin {
    pub(super) fn from_name(name: &[u8]) -> Option<Self> {
        [Self::CachingSha2, Self::Native]
            .into_iter()
            .find(|plugin| plugin.name().as_bytes() == name)
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::CachingSha2 => "caching_sha2_password",
            Self::Native => "mysql_native_password",
        }
    }

    /// The proof of a password for the server's random bytes. The proof of no password is empty.
    pub(super) fn proof(self, password: &[u8], nonce: &[u8]) -> Vec<u8> {
        if password.is_empty() {
            return Vec::new();
        }
        match self {
            // SHA256(password) XOR SHA256(SHA256(SHA256(password)), nonce)
            Self::CachingSha2 => {
                let once = sha256(&[password]);
                let key = sha256(&[&sha256(&[&once]), nonce]);
                once.iter().zip(key).map(|(one, other)| one ^ other).collect()
            }
            // SHA1(password) XOR SHA1(nonce, SHA1(SHA1(password)))
            Self::Native => {
                let once = sha1(&[password]);
                let key = sha1(&[nonce, sha1(&[once.as_ref()]).as_ref()]);
                once.as_ref().iter().zip(key.as_ref()).map(|(one, other)| one ^ other).collect()
            }
        }
    }
}

fn sha1(parts: &[&[u8]]) -> Digest {
    digest(&SHA1_FOR_LEGACY_USE_ONLY, &parts.concat())
}

fn sha256(parts: &[&[u8]]) -> [u8; 32] {
    use sha2::Digest as _;
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update(part);
    }
    hasher.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_password_has_an_empty_proof_and_others_have_one_of_the_digest() {
        for (plugin, length) in [(Plugin::CachingSha2, 32), (Plugin::Native, 20)] {
            assert_eq!(plugin.proof(b"", &[1; 20]), [0; 0]);
            assert_eq!(plugin.proof(b"secret", &[1; 20]).len(), length);
            assert_ne!(plugin.proof(b"secret", &[1; 20]), plugin.proof(b"secret", &[2; 20]));
        }
        assert_eq!(Plugin::from_name(b"mysql_clear_password"), None);
    }
}
