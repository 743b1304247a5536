//! Reads certificates in their usual forms: PEM, DER, or DER in base64. Knows their form and their dates; the handshake
//! decides whether they are trusted.

use std::{
    fmt,
    sync::Arc,
    time::{Duration, SystemTime},
};

use base64::{Engine, engine::general_purpose::STANDARD};
use rustls::{
    RootCertStore,
    pki_types::{CertificateDer, pem::PemObject},
};
use x509_cert::{
    certificate::{CertificateInner, Raw},
    der::Decode,
};

use crate::error::{self, Error};

/// Certificates that replace the machine's trust: authorities, or the certificate of a service itself.
#[derive(Clone, Eq, PartialEq)]
pub struct CaCertificates {
    certificates: Arc<[CertificateDer<'static>]>,
}

impl CaCertificates {
    /// Reads one text or file: PEM with one or more certificates, base64 of DER, or DER.
    ///
    /// # Errors
    /// [`ErrorKind::Certificate`](crate::ErrorKind::Certificate) if there is no certificate in the text, or one that cannot
    /// be read.
    pub fn read(bytes: &[u8]) -> Result<Self, Error> {
        let read = Self { certificates: read_certificates(bytes)?.into() };
        read.root_store()
            .map_err(|source| error::certificate_error(UNREADABLE).with_source(source))?;
        Ok(read)
    }

    /// The certificates of both sets.
    #[must_use]
    pub fn with_certificates(&self, more: &Self) -> Self {
        Self { certificates: self.iter().chain(more.iter()).cloned().collect() }
    }

    pub(super) fn root_store(&self) -> Result<Arc<RootCertStore>, rustls::Error> {
        let mut roots = RootCertStore::empty();
        self.iter().try_for_each(|certificate| roots.add(certificate.clone()))?;
        Ok(Arc::new(roots))
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &CertificateDer<'static>> {
        self.certificates.iter()
    }
}

impl fmt::Debug for CaCertificates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CaCertificates({})", self.certificates.len())
    }
}

/// The time for which a certificate is valid, since the epoch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Validity {
    pub(super) not_before: Duration,
    pub(super) not_after: Duration,
}

impl Validity {
    pub(super) fn from_certificate(certificate: &CertificateDer<'_>) -> Result<Self, Error> {
        let read = parse_x509(certificate);
        let read =
            read.map_err(|source| error::certificate_error(UNREADABLE).with_source(source))?;
        let validity = read.tbs_certificate().validity();
        Ok(Self {
            not_before: validity.not_before.to_unix_duration(),
            not_after: validity.not_after.to_unix_duration(),
        })
    }
}

pub(super) fn is_self_signed(certificate: &CertificateDer<'_>) -> bool {
    parse_x509(certificate).is_ok_and(|read| {
        let read = read.tbs_certificate();
        read.issuer() == read.subject()
    })
}

/// Parses a certificate without the checks of RFC 5280 on serial numbers, which many real certificates fail.
pub(super) fn parse_x509(
    certificate: &CertificateDer<'_>,
) -> Result<CertificateInner<Raw>, x509_cert::der::Error> {
    CertificateInner::from_der(certificate)
}

pub(super) fn now_since_epoch() -> Duration {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default()
}

/// All certificates in a text or file; at least one.
pub(super) fn read_certificates(bytes: &[u8]) -> Result<Vec<CertificateDer<'static>>, Error> {
    if bytes.starts_with(&[SEQUENCE]) {
        return Ok(vec![CertificateDer::from(bytes.to_vec())]);
    }
    if let Some(der) = decode_base64_der(bytes) {
        return Ok(vec![der.into()]);
    }
    let read: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(bytes).collect();
    // The library's error may show the text, which may be a key.
    let read = read.map_err(|_| error::certificate_error(UNREADABLE))?;
    if read.is_empty() {
        return Err(error::certificate_error(
            "expected a certificate: PEM with `-----BEGIN CERTIFICATE-----`, or DER in base64; got none",
        ));
    }
    Ok(read)
}

fn decode_base64_der(bytes: &[u8]) -> Option<Vec<u8>> {
    let text: Vec<u8> = bytes.iter().filter(|byte| !byte.is_ascii_whitespace()).copied().collect();
    STANDARD.decode(text).ok().filter(|der| der.starts_with(&[SEQUENCE]))
}

/// The first byte of a certificate in DER (X.690 §8.9).
const SEQUENCE: u8 = 0x30;

const UNREADABLE: &str =
    "the certificate cannot be read: expected X.509 as PEM, DER, or DER in base64";
