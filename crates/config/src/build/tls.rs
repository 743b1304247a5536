//! From the values of `tls:` to the settings of secure connections: reads the files and the secrets behind them.
//! `transport` decides which servers a certificate authenticates.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use callgate_kind::KindCode;
use callgate_secret::{Secret, SecretReference, SecretStore};
use callgate_settings::{Reader, SettingCode, read_file};
use callgate_transport::{CaCertificates, ClientIdentity, TlsSettings};

use crate::{
    code::ConfigCode,
    config::Config,
    tls::{CertificateSource, IdentityConfig, TlsConfig},
    toolset::ToolsetConfig,
    upstream::Upstream,
};

#[derive(Clone, Debug, Default)]
pub(super) struct ToolsetTls {
    pub(super) calls: TlsSettings,
    /// The settings for authorization servers, which belong to other authorities: a toolset's own `ca` does not apply
    /// to them.
    pub(super) tokens: TlsSettings,
}

/// The settings of each toolset, in order. Files and secrets are read only for toolsets that connect.
pub(super) async fn load_toolsets_tls(
    reader: &mut Reader,
    config: &Config,
    base: &Path,
    secrets: &Arc<dyn SecretStore>,
) -> Vec<ToolsetTls> {
    // A load that fetches nothing needs no settings.
    let is_sent = reader.effects.fetching_permission().is_some();
    let connects = |toolset: &ToolsetConfig| is_sent && toolset.upstream == Upstream::Http;
    let root = if config.toolsets.iter().any(connects) {
        load_tls(reader, &config.tls, base, secrets).await
    } else {
        Secured::default()
    };
    let mut settings = Vec::new();
    for toolset in &config.toolsets {
        if !connects(toolset) {
            settings.push(ToolsetTls::default());
            continue;
        }
        let own =
            load_tls(reader, &toolset.tls, base, secrets).await.with_missing_parts_from(&root);
        let tokens = Secured { ca: root.ca.clone(), identity: own.identity.clone() };
        settings.push(ToolsetTls { calls: own.tls_settings(), tokens: tokens.tls_settings() });
    }
    settings
}

pub(super) async fn load_tls_settings(
    reader: &mut Reader,
    config: &TlsConfig,
    base: &Path,
    secrets: &Arc<dyn SecretStore>,
) -> TlsSettings {
    load_tls(reader, config, base, secrets).await.tls_settings()
}

/// The settings of `tls:` with their files and secrets read.
#[derive(Clone, Debug, Default)]
struct Secured {
    ca: Option<CaCertificates>,
    identity: Option<ClientIdentity>,
}

impl Secured {
    /// These settings; each part that is missing is taken from `other`.
    fn with_missing_parts_from(self, other: &Self) -> Self {
        Self {
            ca: self.ca.or_else(|| other.ca.clone()),
            identity: self.identity.or_else(|| other.identity.clone()),
        }
    }

    /// The settings in the form that the transport takes.
    fn tls_settings(&self) -> TlsSettings {
        let mut settings = TlsSettings::new();
        if let Some(ca) = &self.ca {
            settings = settings.trust_only_ca(ca.clone());
        }
        if let Some(identity) = &self.identity {
            settings = settings.with_identity(identity.clone());
        }
        settings
    }
}

/// Reads the files that `config` names, relative to `base`, and the secrets, from `secrets`.
async fn load_tls(
    reader: &mut Reader,
    config: &TlsConfig,
    base: &Path,
    secrets: &Arc<dyn SecretStore>,
) -> Secured {
    let mut read: Option<CaCertificates> = None;
    for written in &config.ca {
        if let Some(more) = read_ca_certificates(reader, written, base) {
            read = Some(read.map_or_else(|| more.clone(), |read| read.with_certificates(&more)));
        }
    }
    // The certificate is a credential: without leave to ask, nothing is sent with it.
    let identity =
        match config.identity.as_ref().filter(|_| reader.effects.asking_permission().is_some()) {
            Some(identity) => read_client_identity(reader, identity, base, secrets).await,
            None => None,
        };
    Secured { ca: read, identity }
}

fn read_ca_certificates(
    reader: &mut Reader,
    written: &CertificateSource,
    base: &Path,
) -> Option<CaCertificates> {
    let text = certificate_bytes(reader, written, base)?;
    let read = CaCertificates::read(&text).map_err(|error| {
        let help =
            "name a file with the certificates of the service's authority, or the service's own";
        reader.report_fault(ConfigCode::Certificate, &written.pointer, error.to_string(), help);
    });
    read.ok()
}

async fn read_client_identity(
    reader: &mut Reader,
    config: &IdentityConfig,
    base: &Path,
    secrets: &Arc<dyn SecretStore>,
) -> Option<ClientIdentity> {
    let chain = certificate_bytes(reader, &config.certificate, base);
    for reference in [Some(&config.key), config.passphrase.as_ref()].into_iter().flatten() {
        if let SecretReference::File { path, .. } = reference {
            reader.files.insert(base.join(path));
        }
    }
    let key = get_or_report_secret(
        reader,
        &config.key,
        format!("{}/client_key", config.pointer),
        secrets,
    )
    .await;
    let passphrase = match &config.passphrase {
        Some(reference) => {
            let pointer = format!("{}/client_key_passphrase", config.pointer);
            Some(get_or_report_secret(reader, reference, pointer, secrets).await?)
        }
        None => None,
    };
    let read = ClientIdentity::new(&chain?, &key?, passphrase.as_ref()).map_err(|error| {
        let help = "`client_certificate` is the certificate with its chain, ours first; `client_key` its private key";
        reader.report_fault(ConfigCode::Certificate, &config.pointer, error.to_string(), help);
    });
    read.ok()
}

/// The certificate itself if the text is one, else the content of the file with that name.
fn certificate_bytes(
    reader: &mut Reader,
    written: &CertificateSource,
    base: &Path,
) -> Option<Vec<u8>> {
    let text = written.text.as_bytes();
    if written.text.contains("-----BEGIN ") || CaCertificates::read(text).is_ok() {
        return Some(text.to_vec());
    }
    let file: PathBuf = base.join(&written.text);
    reader.files.insert(file.clone());
    let read = read_file(&file, MAX_CERTIFICATES).map_err(|error| {
        let message = format!("cannot read `{}`: {error}", file.display());
        let help = "name a file, or write the certificate itself as PEM or as DER in base64";
        reader.report_fault(SettingCode::UnreadableFile, &written.pointer, message, help);
    });
    read.ok()
}

async fn get_or_report_secret(
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
    reader.report_fault(KindCode::Secret, pointer, message, help);
    None
}

/// The size limit: more than all certificates that a machine trusts.
const MAX_CERTIFICATES: usize = 4 << 20;

/// The timeout of a store; a slower one counts as unavailable.
const TIMEOUT: Duration = Duration::from_secs(5);
