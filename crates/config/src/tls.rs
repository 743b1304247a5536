//! From `tls:` to the settings of secure connections: the keys, and the files and secrets behind them. Whom a certificate
//! vouches for is decided in `transport`.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use callgate_secret::{Secret, SecretReference, SecretStore};
use callgate_transport::{CaCertificates, ClientIdentity, TlsSettings};
use callgate_tree::Node;

use crate::{
    credential,
    file::read_file,
    keys::TLS,
    reader::{Mapping, ReadSecret, Reader, at},
};

/// What secures connections: whom to trust, and what to show.
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
    /// What opens the key, where it is encrypted.
    pub passphrase: Option<SecretReference>,
    pointer: String,
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

/// `tls:` with its files and secrets read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Secured {
    pub(crate) ca: Option<CaCertificates>,
    pub(crate) identity: Option<ClientIdentity>,
}

impl Secured {
    /// These settings where there are any, part by part, else `other`'s.
    pub(crate) fn or(self, other: &Self) -> Self {
        Self {
            ca: self.ca.or_else(|| other.ca.clone()),
            identity: self.identity.or_else(|| other.identity.clone()),
        }
    }

    /// As the transport takes them.
    pub(crate) fn settings(&self) -> TlsSettings {
        let mut settings = TlsSettings::new();
        if let Some(ca) = &self.ca {
            settings = settings.with_ca(ca.clone());
        }
        if let Some(identity) = &self.identity {
            settings = settings.with_identity(identity.clone());
        }
        settings
    }
}

/// Reads the `tls:` of a toolset, or of the whole configuration.
pub(crate) fn read(reader: &mut Reader, parent: Mapping<'_>) -> TlsConfig {
    read_with(reader, parent, credential::secret)
}

/// Reads a `tls:` whose secrets `secret` reads: which stores they may be of depends on who asks.
pub(crate) fn read_with(reader: &mut Reader, parent: Mapping<'_>, secret: ReadSecret) -> TlsConfig {
    let Some(node) = parent.object.get("tls") else { return TlsConfig::default() };
    let pointer = at(parent, "tls");
    let Some(mapping) = reader.mapping(node, &pointer, &TLS) else { return TlsConfig::default() };
    TlsConfig { ca: ca(reader, mapping), identity: identity(reader, mapping, secret) }
}

fn ca(reader: &mut Reader, mapping: Mapping<'_>) -> Vec<CertificateSource> {
    let pointer = at(mapping, "ca");
    let texts = reader.strings(mapping, "ca");
    if mapping.object.get("ca").and_then(Node::as_array).is_some_and(<[Node]>::is_empty) {
        let help = "leave `ca` out to trust what the machine trusts";
        reader.complain(
            "wrong-value",
            &pointer,
            "expected one certificate at least, got none",
            help,
        );
    }
    let written = |(index, text): (usize, &str)| CertificateSource {
        pointer: format!("{pointer}/{index}"),
        text: text.to_owned(),
    };
    texts.into_iter().enumerate().map(written).collect()
}

fn identity(
    reader: &mut Reader,
    mapping: Mapping<'_>,
    secret: ReadSecret,
) -> Option<IdentityConfig> {
    let is_named = |key: &str| mapping.object.contains(key);
    let keys = ["client_certificate", "client_key", "client_key_passphrase"];
    if !keys.into_iter().any(is_named) {
        return None;
    }
    let certificate = reader.required_string(mapping, "client_certificate").map(|text| {
        CertificateSource { pointer: at(mapping, "client_certificate"), text: text.to_owned() }
    });
    let key = secret(reader, mapping, "client_key");
    let passphrase = if is_named("client_key_passphrase") {
        Some(secret(reader, mapping, "client_key_passphrase")?)
    } else {
        None
    };
    let pointer = mapping.pointer.to_owned();
    Some(IdentityConfig { certificate: certificate?, key: key?, passphrase, pointer })
}

/// Reads what `config` names, from files relative to `base` and from `secrets`.
pub(crate) async fn load(
    reader: &mut Reader,
    config: &TlsConfig,
    base: &Path,
    secrets: &Arc<dyn SecretStore>,
) -> Secured {
    let mut read: Option<CaCertificates> = None;
    for written in &config.ca {
        if let Some(more) = listed(reader, written, base) {
            read = Some(read.map_or_else(|| more.clone(), |read| read.and(&more)));
        }
    }
    let identity = match &config.identity {
        Some(identity) => shown(reader, identity, base, secrets).await,
        None => None,
    };
    Secured { ca: read, identity }
}

fn listed(reader: &mut Reader, written: &CertificateSource, base: &Path) -> Option<CaCertificates> {
    let text = bytes(reader, written, base)?;
    let read = CaCertificates::read(&text).map_err(|error| {
        let help =
            "name a file with the certificates of the service's authority, or the service's own";
        reader.complain("certificate", &written.pointer, error.to_string(), help);
    });
    read.ok()
}

async fn shown(
    reader: &mut Reader,
    config: &IdentityConfig,
    base: &Path,
    secrets: &Arc<dyn SecretStore>,
) -> Option<ClientIdentity> {
    let chain = bytes(reader, &config.certificate, base);
    let key = secret(reader, &config.key, format!("{}/client_key", config.pointer), secrets).await;
    let passphrase = match &config.passphrase {
        Some(reference) => {
            let pointer = format!("{}/client_key_passphrase", config.pointer);
            Some(secret(reader, reference, pointer, secrets).await?)
        }
        None => None,
    };
    let read = ClientIdentity::new(&chain?, &key?, passphrase.as_ref()).map_err(|error| {
        let help = "`client_certificate` is the certificate with its chain, ours first; `client_key` its private key";
        reader.complain("certificate", &config.pointer, error.to_string(), help);
    });
    read.ok()
}

/// The certificate itself where the text is one, else what stands in the file of that name.
fn bytes(reader: &mut Reader, written: &CertificateSource, base: &Path) -> Option<Vec<u8>> {
    let text = written.text.as_bytes();
    if written.text.contains("-----BEGIN ") || CaCertificates::read(text).is_ok() {
        return Some(text.to_vec());
    }
    let file: PathBuf = base.join(&written.text);
    let read = read_file(&file, MAX_CERTIFICATES).map_err(|error| {
        let message = format!("cannot read `{}`: {error}", file.display());
        let help = "name a file, or write the certificate itself as PEM or as DER in base64";
        reader.complain("unreadable-file", &written.pointer, message, help);
    });
    read.ok()
}

async fn secret(
    reader: &mut Reader,
    reference: &SecretReference,
    pointer: String,
    secrets: &Arc<dyn SecretStore>,
) -> Option<Secret> {
    let message = match tokio::time::timeout(TIMEOUT, secrets.get(reference)).await {
        Ok(Ok(secret)) => return Some(secret),
        Ok(Err(error)) => error.to_string(),
        Err(_) => "the secret store does not answer".to_owned(),
    };
    let help = "write where the private key is: `file:client.key` or `env:CLIENT_KEY`";
    reader.complain("secret", pointer, message, help);
    None
}

/// More than all certificates that a machine trusts.
const MAX_CERTIFICATES: usize = 4 << 20;

/// A store that takes longer is down.
const TIMEOUT: Duration = Duration::from_secs(5);
