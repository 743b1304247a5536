//! Credentials on their way into a store. In memory they stay secrets; in a store that writes they are encrypted and bound
//! to their record. The caller provides the key.

use std::fmt;

use aws_lc_rs::{
    aead::{AES_256_GCM, Aad, MAX_TAG_LEN, NONCE_LEN, Nonce, RandomizedNonceKey},
    hkdf::{HKDF_SHA256, KeyType, Salt},
};
use callgate_secret::Secret;

use crate::{
    error::{self, Error},
    key::Key,
};

/// A credential in the form that stores keep.
///
/// ```
/// use callgate_secret::Secret;
/// use callgate_session::{Key, Owner, Sealed, Sealer, Space};
/// # use callgate_tool::Session;
///
/// # let key = Key::new(Space::Session, Owner::new(None, &Session::new("s-1")), "");
/// let sealer = Sealer::with_key(&Secret::new("a key of at least thirty-two bytes".to_owned()))?;
/// let sealed = sealer.seal(&Secret::new("s3cr3t".to_owned()), &key)?;
/// let written: Vec<u8> = sealed.encrypted()?.to_vec();
/// let read = Sealed::from_encrypted(written);
/// assert_eq!(sealer.open(&read, &key)?.expose(), "s3cr3t");
/// # Ok::<(), callgate_session::Error>(())
/// ```
#[derive(Clone)]
pub struct Sealed(Form);

#[derive(Clone)]
enum Form {
    Encrypted(Box<[u8]>),
    Held(Secret),
}

/// Seals credentials and opens them again.
///
/// ```
/// use callgate_secret::Secret;
/// use callgate_session::{Key, Owner, Sealer, Space};
/// use callgate_tool::Session;
///
/// let sealer = Sealer::with_key(&Secret::new("a key of at least thirty-two bytes".to_owned()))?;
/// let session = Session::new("s-1");
/// let key = Key::new(Space::Session, Owner::new(None, &session), "");
/// let sealed = sealer.seal(&Secret::new("s3cr3t".to_owned()), &key)?;
/// assert_eq!(sealer.open(&sealed, &key)?.expose(), "s3cr3t");
/// # Ok::<(), callgate_session::Error>(())
/// ```
#[derive(Debug)]
pub struct Sealer {
    /// The first key seals, all of them open. Empty for a sealer that keeps secrets in memory.
    keys: Vec<RandomizedNonceKey>,
}

impl Sealer {
    /// Keeps secrets as they are, for stores in memory. Stores that write refuse such credentials.
    pub fn in_memory() -> Self {
        Self { keys: Vec::new() }
    }

    /// Seals with a key derived from a secret of at least 32 bytes.
    ///
    /// # Errors
    /// [`ErrorKind::Sealing`](crate::ErrorKind::Sealing) if the secret is shorter.
    pub fn with_key(secret: &Secret) -> Result<Self, Error> {
        Ok(Self { keys: vec![derived(secret)?] })
    }

    /// Adds an older key, which opens earlier credentials but seals none.
    ///
    /// # Errors
    /// [`ErrorKind::Sealing`](crate::ErrorKind::Sealing) if the secret is shorter than 32 bytes.
    pub fn with_older_key(mut self, secret: &Secret) -> Result<Self, Error> {
        self.keys.push(derived(secret)?);
        Ok(self)
    }

    /// Seals a credential for the record of `key`; it cannot be opened for another record.
    ///
    /// # Errors
    /// [`ErrorKind::Sealing`](crate::ErrorKind::Sealing) if no random number is available.
    pub fn seal(&self, secret: &Secret, key: &Key) -> Result<Sealed, Error> {
        let Some(sealing) = self.keys.first() else {
            return Ok(Sealed(Form::Held(secret.clone())));
        };
        let mut text = Vec::with_capacity(NONCE_LEN + secret.expose().len() + MAX_TAG_LEN);
        text.extend_from_slice(secret.expose().as_bytes());
        let place = Aad::from(key.as_str());
        let nonce = sealing.seal_in_place_append_tag(place, &mut text);
        let nonce = nonce.map_err(|_| error::unusable_key())?;
        text.splice(0..0, *nonce.as_ref());
        Ok(Sealed(Form::Encrypted(text.into())))
    }

    /// Opens the credential that was sealed for the record of `key`.
    ///
    /// # Errors
    /// [`ErrorKind::Sealing`](crate::ErrorKind::Sealing) if none of the keys opens it: it was sealed with another key or
    /// for another record, or was changed.
    pub fn open(&self, sealed: &Sealed, key: &Key) -> Result<Secret, Error> {
        let bytes = match &sealed.0 {
            Form::Held(secret) => return Ok(secret.clone()),
            Form::Encrypted(bytes) => bytes,
        };
        let (nonce, text) = bytes.split_at_checked(NONCE_LEN).ok_or_else(error::not_opened)?;
        let opened = self.keys.iter().find_map(|opening| {
            let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
            let mut text = text.to_vec();
            let length = opening.open_in_place(nonce, Aad::from(key.as_str()), &mut text);
            let length = length.ok()?.len();
            text.truncate(length);
            String::from_utf8(text).ok()
        });
        opened.map(Secret::new).ok_or_else(error::not_opened)
    }
}

impl Sealed {
    /// A credential read from a store that writes: the bytes that [`Sealed::encrypted`] returned.
    pub fn from_encrypted(bytes: impl Into<Box<[u8]>>) -> Self {
        Self(Form::Encrypted(bytes.into()))
    }

    /// The encrypted bytes, for a store that writes.
    ///
    /// # Errors
    /// [`ErrorKind::Sealing`](crate::ErrorKind::Sealing) if the credential may not leave memory.
    pub fn encrypted(&self) -> Result<&[u8], Error> {
        match &self.0 {
            Form::Encrypted(bytes) => Ok(bytes),
            Form::Held(_) => Err(error::not_sealed()),
        }
    }

    /// The approximate size of the credential in bytes.
    pub(crate) fn size(&self) -> usize {
        match &self.0 {
            Form::Encrypted(bytes) => bytes.len(),
            Form::Held(secret) => secret.expose().len(),
        }
    }
}

impl fmt::Debug for Sealed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Sealed(****)")
    }
}

/// Derives the key (RFC 5869), because a secret that a person typed is not a key.
fn derived(secret: &Secret) -> Result<RandomizedNonceKey, Error> {
    if secret.expose().len() < LEAST_KEY_BYTES {
        return Err(error::short_key(LEAST_KEY_BYTES));
    }
    let extracted = Salt::new(HKDF_SHA256, SALT).extract(secret.expose().as_bytes());
    let mut key = [0; KEY_BYTES];
    let expanded = extracted.expand(&[INFO], Length);
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

const SALT: &[u8] = b"callgate session";
const INFO: &[u8] = b"credentials, AES-256-GCM, 1";
const KEY_BYTES: usize = 32;
/// The length of the key; a shorter secret would be the weaker part.
const LEAST_KEY_BYTES: usize = 32;

#[cfg(test)]
mod tests {
    use callgate_tool::Session;

    use super::*;
    use crate::{ErrorKind, Owner, Space};

    fn secret(text: &str) -> Secret {
        Secret::new(text.to_owned())
    }

    fn place(session: &str) -> Key {
        Key::new(Space::Session, Owner::new(None, &Session::new(session)), "")
    }

    const CURRENT: &str = "0123456789abcdef0123456789abcdef";
    const OLDER: &str = "fedcba9876543210fedcba9876543210";

    #[test]
    fn a_sealed_secret_opens_under_its_own_key_only() {
        let sealer = Sealer::with_key(&secret(CURRENT)).unwrap();
        let sealed = sealer.seal(&secret("canary"), &place("a")).unwrap();
        let bytes = sealed.encrypted().unwrap().to_vec();
        assert!(!bytes.windows(6).any(|window| window == b"canary"));
        assert_ne!(
            sealer.seal(&secret("canary"), &place("a")).unwrap().encrypted().unwrap(),
            bytes
        );
        let read = Sealed::from_encrypted(bytes.clone());
        assert_eq!(sealer.open(&read, &place("a")).unwrap().expose(), "canary");
        let fails = |sealed: &Sealed, place: &Key| {
            assert_eq!(sealer.open(sealed, place).unwrap_err().kind(), ErrorKind::Sealing);
        };
        fails(&read, &place("b"));
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            fails(&Sealed::from_encrypted(changed), &place("a"));
        }
        for length in 0..bytes.len() {
            fails(&Sealed::from_encrypted(&bytes[..length]), &place("a"));
        }
    }

    #[test]
    fn an_older_sealing_key_opens_but_does_not_seal() {
        let old = Sealer::with_key(&secret(OLDER)).unwrap();
        let new = Sealer::with_key(&secret(CURRENT)).unwrap();
        let both = Sealer::with_key(&secret(CURRENT)).unwrap();
        let both = both.with_older_key(&secret(OLDER)).unwrap();
        let sealed = old.seal(&secret("canary"), &place("a")).unwrap();
        assert_eq!(both.open(&sealed, &place("a")).unwrap().expose(), "canary");
        assert!(new.open(&sealed, &place("a")).is_err());
        let sealed = both.seal(&secret("canary"), &place("a")).unwrap();
        assert!(new.open(&sealed, &place("a")).is_ok() && old.open(&sealed, &place("a")).is_err());
    }

    #[test]
    fn a_sealing_key_that_is_too_short_is_refused() {
        let error = Sealer::with_key(&secret("canary-of-31-bytes-is-too-short")).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Sealing);
        assert!(!error.to_string().contains("canary"), "{error}");
    }

    #[test]
    fn a_sealer_of_the_memory_yields_no_encrypted_bytes() {
        let sealer = Sealer::in_memory();
        let sealed = sealer.seal(&secret("canary"), &place("a")).unwrap();
        assert_eq!(sealer.open(&sealed, &place("a")).unwrap().expose(), "canary");
        assert_eq!(sealed.encrypted().unwrap_err().kind(), ErrorKind::Sealing);
        assert!(!format!("{sealed:?} {sealer:?}").contains("canary"));
    }
}
