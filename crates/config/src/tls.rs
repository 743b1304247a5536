//! `tls:` as values: whom to trust, and which certificate to show. The files and secrets behind them are read when a
//! configuration is built.

use callgate_secret::SecretReference;

/// The TLS settings of connections: whom to trust, and what to show.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct TlsConfig {
    /// Trusted instead of what the machine trusts; none for that.
    pub ca: Vec<CertificateSource>,
    /// Shown to services that ask for a certificate.
    pub identity: Option<IdentityConfig>,
}

/// Certificates: in a file, or as they stand.
#[derive(Clone, Debug)]
pub struct CertificateSource {
    pub(crate) pointer: String,
    pub(crate) text: String,
}

/// The certificate that is shown to services.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct IdentityConfig {
    /// The certificate with its chain.
    pub certificate: CertificateSource,
    /// Its private key.
    pub key: SecretReference,
    /// The passphrase that opens the key, where it is encrypted.
    pub passphrase: Option<SecretReference>,
    pub(crate) pointer: String,
}

impl CertificateSource {
    /// The name of a file with certificates (PEM or DER), or certificates as they stand (PEM, or DER in base64).
    pub fn new(text: impl Into<String>) -> Self {
        Self { pointer: String::new(), text: text.into() }
    }
}

impl IdentityConfig {
    /// A certificate with its chain, and its private key.
    pub fn new(certificate: CertificateSource, key: SecretReference) -> Self {
        Self { certificate, key, passphrase: None, pointer: String::new() }
    }
}

impl TlsConfig {
    /// Trust in these certificates alone.
    pub fn trusting(ca: impl IntoIterator<Item = CertificateSource>) -> Self {
        Self { ca: ca.into_iter().collect(), identity: None }
    }
}
