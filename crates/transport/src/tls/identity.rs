//! Our certificate and its private key. The key is a secret: it comes in a [`Secret`], intermediate copies are zeroized,
//! and nothing prints it.

use std::sync::Arc;

use callgate_secret::Secret;
use pkcs8::{EncryptedPrivateKeyInfoRef, SecretDocument};
use rustls::{
    crypto::aws_lc_rs::sign::any_supported_type,
    pki_types::{
        CertificateDer, PrivateKeyDer, PrivatePkcs1KeyDer, PrivatePkcs8KeyDer, PrivateSec1KeyDer,
    },
    sign::CertifiedKey,
};
use zeroize::Zeroizing;

use super::certificates::{self, Validity};
use crate::error::{self, Error};

/// A client certificate with its chain and its private key (mutual TLS). Identities are equal if their certificates are.
#[derive(Clone)]
pub struct ClientIdentity {
    key: Arc<CertifiedKey>,
}

impl ClientIdentity {
    /// An identity from a chain of certificates, ours first, and the private key of the first: PKCS#8, PKCS#1 or SEC1 as
    /// PEM. A passphrase decrypts encrypted PKCS#8.
    ///
    /// # Errors
    /// [`ErrorKind::Certificate`](crate::ErrorKind::Certificate) if a certificate or the key cannot be read, they do not
    /// match, or the certificate is not valid today.
    pub fn new(chain: &[u8], key: &Secret, passphrase: Option<&Secret>) -> Result<Self, Error> {
        let chain = certificates::read_certificates(chain)?;
        chain.first().map(check_validity_today).transpose()?;
        Ok(Self { key: Arc::new(read_certified_key(chain, key, passphrase)?) })
    }

    pub(super) fn certified_key(&self) -> Arc<CertifiedKey> {
        Arc::clone(&self.key)
    }
}

pub(super) fn read_certified_key(
    chain: Vec<CertificateDer<'static>>,
    key: &Secret,
    passphrase: Option<&Secret>,
) -> Result<CertifiedKey, Error> {
    let der = PrivateKey::read(key.expose(), passphrase)?;
    // The library's message about a key is not kept.
    let key = any_supported_type(&der.as_der()).map_err(|_| error::certificate_error(NO_KEY))?;
    let key = CertifiedKey::new(chain, key);
    match key.keys_match() {
        Ok(()) | Err(rustls::Error::InconsistentKeys(rustls::InconsistentKeys::Unknown)) => Ok(key),
        Err(_) => Err(error::certificate_error(
            "the certificate and the private key do not belong together",
        )),
    }
}

impl PartialEq for ClientIdentity {
    fn eq(&self, other: &Self) -> bool {
        // The key belongs to the first certificate, so equal certificates have equal keys.
        self.key.cert == other.key.cert
    }
}

impl Eq for ClientIdentity {}

callgate_secret::opaque!(ClientIdentity = "ClientIdentity(****)");

/// A private key in DER, zeroized when dropped, and its format.
struct PrivateKey {
    der: Zeroizing<Vec<u8>>,
    form: fn(&[u8]) -> PrivateKeyDer<'_>,
}

impl PrivateKey {
    fn read(text: &str, passphrase: Option<&Secret>) -> Result<Self, Error> {
        let (label, document) = first_private_key(text)?;
        let form: fn(&[u8]) -> PrivateKeyDer<'_> = match label {
            "PRIVATE KEY" => |der| PrivatePkcs8KeyDer::from(der).into(),
            "RSA PRIVATE KEY" => |der| PrivatePkcs1KeyDer::from(der).into(),
            "EC PRIVATE KEY" => |der| PrivateSec1KeyDer::from(der).into(),
            "ENCRYPTED PRIVATE KEY" => return Self::from_encrypted(&document, passphrase),
            _ => return Err(error::certificate_error(NO_KEY)),
        };
        Ok(Self { der: document.to_bytes(), form })
    }

    /// RFC 8018: PBES2 with PBKDF2 or scrypt.
    fn from_encrypted(
        document: &SecretDocument,
        passphrase: Option<&Secret>,
    ) -> Result<Self, Error> {
        let Some(passphrase) = passphrase else {
            return Err(error::certificate_error(
                "the private key is encrypted: name its passphrase with `client_key_passphrase`",
            ));
        };
        let encrypted = EncryptedPrivateKeyInfoRef::try_from(document.as_bytes());
        let encrypted = encrypted.map_err(|_| error::certificate_error(NO_KEY))?;
        let key = encrypted.decrypt(passphrase.expose()).map_err(|_| {
            error::certificate_error(
                "the private key cannot be decrypted: the passphrase is wrong, or the encryption is none of PBES2 with \
                 PBKDF2 or scrypt",
            )
        })?;
        Ok(Self { der: key.to_bytes(), form: |der| PrivatePkcs8KeyDer::from(der).into() })
    }

    fn as_der(&self) -> PrivateKeyDer<'_> {
        (self.form)(&self.der)
    }
}

/// The first private key in a text that may hold certificates and parameters as well.
fn first_private_key(text: &str) -> Result<(&str, SecretDocument), Error> {
    if text.contains("Proc-Type: 4,ENCRYPTED") {
        return Err(error::certificate_error(
            "the private key is encrypted in the old way of OpenSSL: convert it with `openssl pkcs8 -topk8`",
        ));
    }
    let none = || error::certificate_error(NO_KEY);
    let sections = text.match_indices("-----BEGIN ").filter_map(|(at, _)| text.get(at..));
    let section = sections
        .into_iter()
        .find(|section| section.lines().next().is_some_and(|line| line.contains("PRIVATE KEY")))
        .ok_or_else(none)?;
    let end = section.find("-----END ").ok_or_else(none)?;
    let rest = section.get(end..).and_then(|rest| rest.lines().next()).ok_or_else(none)?;
    let section = section.get(..end.saturating_add(rest.len())).ok_or_else(none)?;
    SecretDocument::from_pem(section.trim_end()).map_err(|_| none())
}

fn check_validity_today(certificate: &CertificateDer<'_>) -> Result<(), Error> {
    let (now, validity) =
        (certificates::now_since_epoch(), Validity::from_certificate(certificate)?);
    if now > validity.not_after {
        return Err(error::certificate_error("the client certificate has expired: renew it"));
    }
    if now < validity.not_before {
        return Err(error::certificate_error(
            "the client certificate is not valid yet: look at its dates and at this machine's clock",
        ));
    }
    Ok(())
}

const NO_KEY: &str = "expected a private key as PEM: PKCS#8, PKCS#1 (RSA) or SEC1 (EC), in an algorithm that is supported; \
    got something else, which is not shown";
