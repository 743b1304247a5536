//! The key `tls:` of every section that secures connections: the trusted certificates, and the client's own. The files and secrets behind them are read
//! when a configuration is built.

use callgate_secret::SecretReference;
use callgate_settings::{Kind, Mapping, Reader, SettingCode, forms, keys, member_pointer};
use callgate_tree::Node;

/// The TLS settings of connections: the trusted certificates, and the client's own.
///
/// ```
/// use callgate_config::{CertificateSource, Description, TlsConfig, ToolsetConfig};
///
/// let mut pets = ToolsetConfig::new(Description::file("pets.yaml"));
/// pets.tls = TlsConfig::trusting(["company-ca.pem", "old-ca.pem"].map(CertificateSource::new));
/// assert_eq!(pets.tls.ca.len(), 2);
/// assert!(pets.tls.identity.is_none());
/// ```
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct TlsConfig {
    /// Certificates that are trusted instead of the machine's; if empty, the machine's apply.
    pub ca: Vec<CertificateSource>,
    /// The certificate for services that request one.
    pub identity: Option<IdentityConfig>,
}

/// Certificates: in a file, or literal.
///
/// ```
/// use callgate_config::{CertificateSource, Config, Description, Environment, ToolsetConfig};
///
/// let mut config = Config::new().with_toolset(ToolsetConfig::new(Description::none()));
/// config.tls.ca.push(CertificateSource::new("missing/ca.pem"));
/// let error = config.build_blocking(&Environment::new(), None).unwrap_err();
/// assert_eq!(error.findings()[0].code, "unreadable-file");
///
/// // The certificates themselves stand in a text as well.
/// config.tls.ca = vec![CertificateSource::new("-----BEGIN CERTIFICATE-----\n…")];
/// let error = config.build_blocking(&Environment::new(), None).unwrap_err();
/// assert_eq!(error.findings()[0].code, "certificate");
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct CertificateSource {
    pub(crate) pointer: String,
    pub(crate) text: String,
}

/// The certificate that is shown to services.
///
/// ```
/// use callgate_config::{CertificateSource, Config, IdentityConfig};
///
/// let certificate = CertificateSource::new("client.pem");
/// let mut identity = IdentityConfig::new(certificate, "file:client.key".parse()?);
/// identity.passphrase = Some("env:CLIENT_KEY_PASSPHRASE".parse()?);
/// let mut config = Config::new();
/// config.tls.identity = Some(identity);
/// # let key = config.tls.identity.map(|identity| identity.key.to_string());
/// # assert_eq!(key.as_deref(), Some("file:client.key"));
/// # Ok::<(), callgate_secret::Error>(())
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct IdentityConfig {
    /// The certificate with its chain.
    pub certificate: CertificateSource,
    /// The private key of the certificate.
    pub key: SecretReference,
    /// The passphrase of the key, if it is encrypted.
    pub passphrase: Option<SecretReference>,
    pub(crate) pointer: String,
}

impl CertificateSource {
    /// The name of a file with certificates (PEM or DER), or literal certificates (PEM, or DER in base64).
    pub fn new(text: impl Into<String>) -> Self {
        Self { pointer: String::new(), text: text.into() }
    }
}

impl IdentityConfig {
    /// The certificate with its chain, and its private key.
    pub fn new(certificate: CertificateSource, key: SecretReference) -> Self {
        Self { certificate, key, passphrase: None, pointer: String::new() }
    }
}

impl TlsConfig {
    /// Trusts only these certificates.
    pub fn trusting(ca: impl IntoIterator<Item = CertificateSource>) -> Self {
        Self { ca: ca.into_iter().collect(), identity: None }
    }
}

keys! {
    pub(crate) struct TlsKeys in "`tls`" {
        /// Certificates that are trusted instead of what the machine trusts: files, PEM, or DER in base64.
        ca: Certificates;
        /// The certificate that is shown to services, with its chain: a file, or PEM.
        client_certificate: Certificate;
        /// The private key of the client certificate.
        client_key: SecretReference;
        /// The passphrase of an encrypted private key.
        client_key_passphrase: SecretReference;
    }
}

forms! {
    TlsConfig => Self, TlsKeys::KIND, |reader, mapping, key| {
        reader.read_several_sections::<TlsKeys, _>(mapping, key, |reader, mapping, keys| {
            let ca = keys.ca.unwrap_or_default();
            let names = ["client_certificate", "client_key", "client_key_passphrase"];
            if !names.into_iter().any(|name| mapping.object.contains(name)) {
                return Some(Self { ca, identity: None });
            }
            reader.report_missing_key(mapping, "client_certificate");
            reader.report_missing_key(mapping, "client_key");
            let (certificate, key) = (keys.client_certificate?, keys.client_key?);
            let (passphrase, pointer) = (keys.client_key_passphrase, mapping.pointer.to_owned());
            Some(Self { ca, identity: Some(IdentityConfig { certificate, key, passphrase, pointer }) })
        })
    };
    struct Certificate => CertificateSource, Kind::Text, |reader, mapping, key| {
        let text = reader.string(mapping, key)?.to_owned();
        Some(CertificateSource { pointer: member_pointer(mapping, key), text })
    };
    struct Certificates => Vec<CertificateSource>, Kind::List(&Kind::Text),
        |reader, mapping, key| Some(read_certificates(reader, mapping, key));
}

fn read_certificates(
    reader: &mut Reader,
    mapping: Mapping<'_>,
    key: &str,
) -> Vec<CertificateSource> {
    let pointer = member_pointer(mapping, key);
    if mapping.object.get(key).and_then(Node::as_array).is_some_and(<[Node]>::is_empty) {
        let help = "leave `ca` out to trust what the machine trusts";
        let message = "expected one certificate at least, got none";
        reader.report_fault(SettingCode::WrongValue, &pointer, message, help);
    }
    let source = |(index, text): (usize, &str)| CertificateSource {
        pointer: format!("{pointer}/{index}"),
        text: text.to_owned(),
    };
    reader.strings(mapping, key).into_iter().enumerate().map(source).collect()
}
