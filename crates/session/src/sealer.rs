//! Bytes on their way out of this process: encrypted, and bound to the place that they are for. The caller provides the key.

use aws_lc_rs::{
    aead::{AES_256_GCM, Aad, MAX_TAG_LEN, NONCE_LEN, Nonce, RandomizedNonceKey},
    hkdf::{HKDF_SHA256, KeyType, Prk, Salt},
};
use callgate_secret::Secret;

use crate::error::{self, Error};

/// Seals bytes and opens them again: AES-256-GCM with a key that is derived by HKDF (RFC 5869). Sealed bytes are the number 1
/// for this form, a nonce of 12 bytes, the encrypted bytes and a tag of 16.
///
/// ```
/// use callgate_secret::Secret;
/// use callgate_session::Sealer;
///
/// let sealer = Sealer::with_key(&Secret::new("a key of at least thirty-two bytes".to_owned()))?;
/// let sealed = sealer.seal(b"s3cr3t", b"record 7")?;
/// assert_eq!(sealer.open(&sealed, b"record 7")?, b"s3cr3t");
/// assert!(sealer.open(&sealed, b"record 8").is_err());
/// # Ok::<(), callgate_session::Error>(())
/// ```
#[derive(Debug)]
pub struct Sealer {
    /// The first key seals, all of them open.
    keys: Vec<SealingKey>,
}

#[derive(Debug)]
struct SealingKey {
    /// The key that those of all purposes are derived from.
    root: Prk,
    key: RandomizedNonceKey,
}

impl Sealer {
    /// Seals with a key derived from a secret of at least 32 bytes.
    ///
    /// # Errors
    /// [`ErrorKind::Sealing`](crate::ErrorKind::Sealing) if the secret is shorter.
    pub fn with_key(secret: &Secret) -> Result<Self, Error> {
        Ok(Self { keys: vec![SealingKey::new(secret)?] })
    }

    /// Adds another key, which opens what it sealed but seals nothing more: an older one, or the next one before it is used.
    ///
    /// # Errors
    /// [`ErrorKind::Sealing`](crate::ErrorKind::Sealing) if the secret is shorter than 32 bytes.
    pub fn with_older_key(mut self, secret: &Secret) -> Result<Self, Error> {
        self.keys.push(SealingKey::new(secret)?);
        Ok(self)
    }

    /// A sealer for another purpose, with keys of its own that are derived from the same secrets: none opens what the other
    /// has sealed.
    ///
    /// ```
    /// use callgate_secret::Secret;
    /// use callgate_session::Sealer;
    ///
    /// let sealer = Sealer::with_key(&Secret::new("a key of at least thirty-two bytes".to_owned()))?;
    /// let (tokens, links) = (sealer.for_purpose("tokens")?, sealer.for_purpose("links")?);
    /// let sealed = tokens.seal(b"page 2", b"kim")?;
    /// assert_eq!(sealer.for_purpose("tokens")?.open(&sealed, b"kim")?, b"page 2");
    /// assert!(links.open(&sealed, b"kim").is_err() && sealer.open(&sealed, b"kim").is_err());
    /// # Ok::<(), callgate_session::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Sealing`](crate::ErrorKind::Sealing) if no key can be derived.
    pub fn for_purpose(&self, purpose: &str) -> Result<Self, Error> {
        let of_purpose = |sealing_key: &SealingKey| {
            let key = derived_key(&sealing_key.root, &[PURPOSE, purpose.as_bytes()])?;
            Ok(SealingKey { root: sealing_key.root.clone(), key })
        };
        Ok(Self { keys: self.keys.iter().map(of_purpose).collect::<Result<_, Error>>()? })
    }

    /// Seals bytes for a place; they cannot be opened for another one.
    ///
    /// # Errors
    /// [`ErrorKind::Sealing`](crate::ErrorKind::Sealing) if no random number is available.
    pub fn seal(&self, bytes: &[u8], place: &[u8]) -> Result<Vec<u8>, Error> {
        let sealing = &self.keys.first().ok_or_else(error::unusable_key)?.key;
        let head = FORM.len() + NONCE_LEN;
        let mut sealed = Vec::with_capacity(head + bytes.len() + MAX_TAG_LEN);
        sealed.extend_from_slice(&FORM);
        sealed.extend_from_slice(&[0; NONCE_LEN]);
        sealed.extend_from_slice(bytes);
        let (prefix, text) = sealed.split_at_mut(head);
        let sealing = sealing.seal_in_place_separate_tag(Aad::from(place), text);
        let (nonce, tag) = sealing.map_err(|_| error::unusable_key())?;
        prefix.iter_mut().skip(FORM.len()).zip(nonce.as_ref()).for_each(|(to, from)| *to = *from);
        sealed.extend_from_slice(tag.as_ref());
        Ok(sealed)
    }

    /// Opens the bytes that were sealed for a place.
    ///
    /// # Errors
    /// [`ErrorKind::Sealing`](crate::ErrorKind::Sealing) if none of the keys opens them: they were sealed with another key
    /// or for another place, or were changed.
    pub fn open(&self, sealed: &[u8], place: &[u8]) -> Result<Vec<u8>, Error> {
        let rest = sealed.strip_prefix(&FORM).ok_or_else(error::not_opened)?;
        let (nonce, text) = rest.split_at_checked(NONCE_LEN).ok_or_else(error::not_opened)?;
        let opened = self.keys.iter().find_map(|opening| {
            let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
            let mut text = text.to_vec();
            let length = opening.key.open_in_place(nonce, Aad::from(place), &mut text).ok()?.len();
            text.truncate(length);
            Some(text)
        });
        opened.ok_or_else(error::not_opened)
    }
}

impl SealingKey {
    /// The key of records (RFC 5869): a secret that a person typed is not a key.
    fn new(secret: &Secret) -> Result<Self, Error> {
        if secret.expose().len() < LEAST_KEY_BYTES {
            return Err(error::short_key(LEAST_KEY_BYTES));
        }
        let root = Salt::new(HKDF_SHA256, SALT).extract(secret.expose().as_bytes());
        let key = derived_key(&root, &[INFO])?;
        Ok(Self { root, key })
    }
}

fn derived_key(root: &Prk, info: &[&[u8]]) -> Result<RandomizedNonceKey, Error> {
    let mut key = [0; KEY_BYTES];
    let expanded = root.expand(info, Length);
    expanded
        .and_then(|key_material| key_material.fill(&mut key))
        .map_err(|_| error::unusable_key())?;
    RandomizedNonceKey::new(&AES_256_GCM, &key).map_err(|_| error::unusable_key())
}

/// The key length of AES-256.
struct Length;

impl KeyType for Length {
    fn len(&self) -> usize {
        KEY_BYTES
    }
}

/// The first byte of everything sealed in this form.
const FORM: [u8; 1] = [1];
const SALT: &[u8] = b"callgate session";
const INFO: &[u8] = b"records, AES-256-GCM, 1";
/// The beginning of the information of keys for other purposes; the name of the purpose follows.
const PURPOSE: &[u8] = b"purpose, AES-256-GCM, 1: ";
const KEY_BYTES: usize = 32;
/// The length of the key; a shorter secret would be the weaker part.
const LEAST_KEY_BYTES: usize = 32;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;

    fn sealer(text: &str) -> Sealer {
        Sealer::with_key(&secret(text)).unwrap()
    }

    fn secret(text: &str) -> Secret {
        Secret::new(text.to_owned())
    }

    const CURRENT: &str = "0123456789abcdef0123456789abcdef";
    const OLDER: &str = "fedcba9876543210fedcba9876543210";

    #[test]
    fn sealed_bytes_open_unchanged_under_their_own_key_and_place_only() {
        let sealer = sealer(CURRENT);
        let sealed = sealer.seal(b"canary", b"a").unwrap();
        assert!(!sealed.windows(6).any(|window| window == b"canary"));
        assert_ne!(sealer.seal(b"canary", b"a").unwrap(), sealed);
        assert_eq!(sealer.open(&sealed, b"a").unwrap(), b"canary");
        let fails = |sealed: &[u8], place: &[u8]| {
            assert_eq!(sealer.open(sealed, place).unwrap_err().kind(), ErrorKind::Sealing);
        };
        fails(&sealed, b"b");
        for at in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[at] ^= 1;
            fails(&changed, b"a");
            fails(&sealed[..at], b"a");
        }
        assert!(!format!("{sealer:?}").contains(CURRENT));
    }

    #[test]
    fn an_older_sealing_key_opens_but_does_not_seal() {
        let (old, new) = (sealer(OLDER), sealer(CURRENT));
        let both = sealer(CURRENT).with_older_key(&secret(OLDER)).unwrap();
        let sealed = old.seal(b"canary", b"a").unwrap();
        assert_eq!(both.open(&sealed, b"a").unwrap(), b"canary");
        assert!(new.open(&sealed, b"a").is_err());
        let sealed = both.seal(b"canary", b"a").unwrap();
        assert!(new.open(&sealed, b"a").is_ok() && old.open(&sealed, b"a").is_err());
        let of = |sealer: &Sealer| sealer.for_purpose("tokens").unwrap();
        let sealed = of(&old).seal(b"canary", b"a").unwrap();
        assert_eq!(of(&both).open(&sealed, b"a").unwrap(), b"canary");
        assert!(of(&new).open(&sealed, b"a").is_err());
    }

    #[test]
    fn a_sealing_key_that_is_too_short_is_refused() {
        let error = Sealer::with_key(&secret("canary-of-31-bytes-is-too-short")).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Sealing);
        assert!(!error.to_string().contains("canary"), "{error}");
    }
}
