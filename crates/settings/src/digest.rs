//! A short digest of the texts that a build reads: two sidecars with the same one serve the same configuration.

use std::collections::BTreeSet;

use sha2::{Digest as _, Sha256};

/// The digest of a configuration: of its text without the addresses where it listens, its descriptions with the documents that they refer to, its overlays, and the
/// variables in the settings of its toolsets. It has 32 bits, too few for a guess at a word in one of the texts.
///
/// ```
/// let mut texts = callgate_settings::Texts::default();
/// texts.add(b"toolsets: {pets: {openapi: pets.yaml}}");
/// // Eight hexadecimal digits, as in the header `Callgate-Configuration` of responses.
/// assert_eq!(texts.digest().to_string().len(), 8);
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct ConfigDigest(u32);

/// The digests of texts, in no order: documents may arrive in any.
#[derive(Clone, Debug, Default)]
pub struct Texts(BTreeSet<[u8; 32]>);

impl ConfigDigest {
    /// The digest as a number, as in the metric `callgate_configuration_digest`.
    pub fn number(self) -> u32 {
        self.0
    }
}

callgate_secret::text!(ConfigDigest: Self(digest) => "{digest:08x}");

impl Texts {
    /// Adds a text that decides what is built.
    pub fn add(&mut self, text: &[u8]) {
        self.0.insert(Sha256::digest(text).into());
    }

    /// The digest of all texts.
    pub fn digest(&self) -> ConfigDigest {
        let mut all = Sha256::new();
        for one in &self.0 {
            all.update(one);
        }
        let digest = all.finalize();
        ConfigDigest(digest.iter().take(4).fold(0, |number, byte| number << 8 | u32::from(*byte)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(texts: &[&str]) -> String {
        let mut all = Texts::default();
        for text in texts {
            all.add(text.as_bytes());
        }
        all.digest().to_string()
    }

    #[test]
    fn a_digest_depends_on_each_text_and_not_on_their_order() {
        assert_eq!(digest(&["a", "b"]), digest(&["b", "a"]));
        let all = [&[][..], &["a"], &["b"], &["ab"], &["a", "b"]].map(digest);
        assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len(), "{all:?}");
        assert!(all.iter().all(|one| one.len() == 8), "{all:?}");
    }
}
