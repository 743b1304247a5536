//! From `secrets:` to the settings of the stores: the stores, their logins, and the time for which a secret is kept. A
//! store signs in with a secret of this machine, never of another store. Nothing is fetched.

mod aws;
mod gcp;
mod vault;

use std::{path::PathBuf, time::Duration};

use callgate_google::Identity;
use callgate_secret::{CachePolicy, SecretReference};
use callgate_store::{
    KeyringBackend, VaultConfig,
    aws::{KeySource, SecretsManagerConfig},
};
use callgate_tree::Node;
use url::Url;

use crate::{
    code::ConfigCode,
    form::words,
    keys::{Kind, SECRETS_AWS, SECRETS_GCP, Table, VAULT, key, needing, table, text},
    reader::{Mapping, Reader, at, secret::secret, tls::tls_with},
    settings::{Section, keys},
    tls::TlsConfig,
};

/// The stores of secrets beside the environment and files.
///
/// ```
/// use std::{path::Path, time::Duration};
///
/// use callgate_config::{Config, SecretsConfig};
///
/// let text = "
/// secrets: {directory: /run/pets, cache: {time_to_live: 10m}}
/// toolsets: {pets: {openapi: pets.yaml, auth: {bearer: {token: 'directory:token'}}}}";
/// let SecretsConfig { directory, cache, .. } = Config::from_text(text, "")?.secrets;
/// assert_eq!(directory.as_deref(), Some(Path::new("/run/pets")));
/// assert_eq!(cache.time_to_live, Duration::from_secs(600));
/// # Ok::<(), callgate_config::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct SecretsConfig {
    /// AWS Secrets Manager: `aws:name#key`.
    pub aws: Option<Remote<(SecretsManagerConfig, KeySource)>>,
    /// The time for which secrets of remote stores are kept.
    pub cache: CachePolicy,
    /// The folder of `directory:name`; the default is [`USUAL_DIRECTORY`](callgate_secret::USUAL_DIRECTORY).
    pub directory: Option<PathBuf>,
    /// Google Secret Manager: `gcp:projects/…`.
    pub gcp: Option<Remote<Identity>>,
    /// The keyring of `keyring:service/user`.
    pub keyring: KeyringBackend,
    /// Vault or OpenBao: `vault:path#key`.
    pub vault: Option<Remote<VaultConfig>>,
    /// The present keys, including those with a fault.
    pub(crate) keys: Vec<String>,
}

/// A store that is read over the network.
///
/// ```
/// use callgate_config::{CertificateSource, Config, Remote, TlsConfig};
/// use callgate_store::{VaultConfig, VaultLogin};
///
/// let settings = VaultConfig {
///     address: "https://vault.example.com".to_owned(),
///     namespace: None,
///     login: VaultLogin::Token("env:VAULT_TOKEN".parse()?),
/// };
/// let tls = TlsConfig::trusting([CertificateSource::new("vault-ca.pem")]);
/// let mut config = Config::new();
/// config.secrets.vault = Some(Remote { settings, tls });
/// # Ok::<(), callgate_secret::Error>(())
/// ```
#[derive(Clone, Debug)]
#[expect(clippy::exhaustive_structs, reason = "a store is reached somehow")]
pub struct Remote<T> {
    /// The store's own settings.
    pub settings: T,
    /// The TLS settings of the connections to the store; those of toolsets do not apply.
    pub tls: TlsConfig,
}

/// Reads `secrets:`.
pub(crate) fn secrets(reader: &mut Reader, root: Mapping<'_>) -> SecretsConfig {
    let Some(node) = root.object.get("secrets") else { return SecretsConfig::default() };
    let pointer = at(root, "secrets");
    let Some(mapping) = reader.mapping(node, &pointer, &SECRETS) else {
        return SecretsConfig::default();
    };
    let keyring = reader.get::<KeyringKeys>(mapping, "keyring").and_then(|keys| keys.backend);
    let below = |key: &str| mapping.object.get(key).map(|node| (node, at(mapping, key)));
    SecretsConfig {
        aws: below("aws").and_then(|(node, pointer)| remote(reader, node, &pointer, aws::read)),
        cache: reader.get::<CacheKeys>(mapping, "cache").unwrap_or_default(),
        directory: reader.string(mapping, "directory").map(PathBuf::from),
        gcp: below("gcp").and_then(|(node, pointer)| remote(reader, node, &pointer, gcp::read)),
        keyring: keyring.unwrap_or_default(),
        vault: below("vault")
            .and_then(|(node, pointer)| remote(reader, node, &pointer, vault::read)),
        keys: mapping.object.iter().map(|(key, _)| key.to_string()).collect(),
    }
}

/// The settings of a store, and its `tls:`.
fn remote<T>(
    reader: &mut Reader,
    node: &Node,
    pointer: &str,
    read: fn(&mut Reader, &Node, &str) -> Option<T>,
) -> Option<Remote<T>> {
    let settings = read(reader, node, pointer);
    let mapping = Mapping { object: node.as_object()?, pointer };
    let tls = tls_with(reader, mapping, sign_in);
    Some(Remote { settings: settings?, tls })
}

/// The stores of secrets.
pub(crate) const SECRETS: Table = table(
    "`secrets`",
    &[
        needing(
            "aws",
            key("aws", Kind::Table(&SECRETS_AWS), "AWS Secrets Manager: `aws:name#key`"),
        ),
        key("cache", Kind::Table(&CacheKeys::TABLE), "How long secrets of stores are kept"),
        text("directory", "The folder that `directory:NAME` is looked for in"),
        needing(
            "google",
            key(
                "gcp",
                Kind::Table(&SECRETS_GCP),
                "Google Secret Manager: `gcp:projects/P/secrets/S/versions/V`",
            ),
        ),
        key(
            "keyring",
            Kind::Table(&KeyringKeys::TABLE),
            "The operating system's keyring: `keyring:SERVICE/USER`",
        ),
        needing("vault", key("vault", Kind::Table(&VAULT), "Vault or OpenBao: `vault:path#key`")),
    ],
);

keys! {
    /// The time for which secrets from stores are kept.
    pub(crate) CacheKeys over CachePolicy, in "`cache`" {
        /// The further time for which a secret is returned while its store cannot be read.
        stale: Duration;
        /// The time for which a secret is returned without asking the store again.
        time_to_live: Duration;
        /// The time limit of one read.
        timeout: Duration;
    }
}

keys! {
    /// The operating system's keyring.
    pub(crate) struct KeyringKeys in "`keyring`" {
        /// The choice among the machine's keyrings.
        backend: KeyringBackend;
    }
}

words! {
    KeyringBackend, "`kernel` is the keyring of the Linux kernel":
    "platform" => Platform, "kernel" => Kernel
}

/// A secret that a store signs in with.
fn sign_in(reader: &mut Reader, mapping: Mapping<'_>, key: &str) -> Option<SecretReference> {
    let reference = secret(reader, mapping, key)?;
    is_local(reader, mapping, key, &reference).then_some(reference)
}

fn is_local(
    reader: &mut Reader,
    mapping: Mapping<'_>,
    key: &str,
    reference: &SecretReference,
) -> bool {
    if LOCAL.contains(&reference.scheme()) {
        return true;
    }
    let message =
        format!("expected a secret of this machine, got one of `{}:`", reference.scheme());
    let help = "what a store signs in with is in `env:NAME`, `file:PATH` or `directory:NAME`";
    reader.complain(ConfigCode::SecretStore, at(mapping, key), message, help);
    false
}

/// The address of a store, without a slash at its end. Plain HTTP exposes the secrets to eavesdroppers, so it causes a
/// warning unless the connection stays on the machine.
fn address(reader: &mut Reader, mapping: Mapping<'_>, key: &str) -> Option<String> {
    let text = reader.string(mapping, key)?;
    let url = Url::parse(text).ok().filter(|url| {
        let is_bare = url.username().is_empty() && url.password().is_none();
        let has_no_more = url.query().is_none() && url.fragment().is_none();
        matches!(url.scheme(), "http" | "https") && url.has_host() && is_bare && has_no_more
    });
    let Some(url) = url else {
        let message = "expected an address: `https://`, a host, and perhaps a port and a path";
        reader.complain(ConfigCode::WrongValue, at(mapping, key), message, "leave out all else");
        return None;
    };
    let is_near = match url.host() {
        Some(url::Host::Domain(name)) => name == "localhost",
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    };
    if url.scheme() == "http" && !is_near {
        let message = "secrets travel to this address and back in the clear";
        reader.warn(ConfigCode::PlainHttp, at(mapping, key), message, "use `https://`");
    }
    Some(url.as_str().trim_end_matches('/').to_owned())
}

/// The schemes that need no other store.
pub(crate) const LOCAL: [&str; 4] = ["directory", "env", "file", "literal"];
