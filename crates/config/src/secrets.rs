//! From `secrets:` to the settings of the stores: the stores, their logins, and the time for which a secret is kept. A
//! store signs in with a secret of this machine, never of another store. Nothing is fetched.

mod vault;

use std::{path::PathBuf, sync::Arc, time::Duration};

use callgate_google::{Identity, Rest, SecretManager, Tokens};
use callgate_secret::{CachePolicy, Error, SecretReference, SecretScheme, SecretStore};
use callgate_settings::{
    Kind, Mapping, Reader, SettingCode, forms, keys, member_pointer, parse_secret_reference, words,
};
use callgate_store::{
    KeyringBackend, KeyringStore, VaultConfig,
    aws::{AwsKeySource, KeySource, SecretsManagerConfig, SecretsManagerStore},
};
use callgate_transport::{Clock, Transport, is_this_machine};
use callgate_tree::{Node, Object};
use url::Url;

use crate::{
    aws::{AWS_SECRETS, AwsKeys, read_region_and_key_source},
    code::ConfigCode,
    identity::{IdentityKeys, read_identity},
    tls::TlsConfig,
};

pub(crate) use vault::Vault;

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
    pub aws: Option<Remote>,
    /// The time for which secrets of remote stores are kept.
    pub cache: CachePolicy,
    /// The folder of `directory:name`; the default is [`USUAL_DIRECTORY`](callgate_secret::USUAL_DIRECTORY).
    pub directory: Option<PathBuf>,
    /// Google Secret Manager: `gcp:projects/…`.
    pub gcp: Option<Remote>,
    /// The keyring of `keyring:service/user`.
    pub keyring: Option<Remote>,
    /// Vault or OpenBao: `vault:path#key`.
    pub vault: Option<Remote>,
    /// The present keys, including those with a fault.
    pub(crate) keys: Vec<String>,
}

/// A store that is read over the network.
///
/// ```
/// use callgate_config::{CertificateSource, Config, Remote, RemoteStore, TlsConfig};
/// use callgate_store::{VaultConfig, VaultLogin};
///
/// let settings = VaultConfig {
///     address: "https://vault.example.com".to_owned(),
///     namespace: None,
///     login: VaultLogin::Token("env:VAULT_TOKEN".parse()?),
/// };
/// let tls = TlsConfig::trusting([CertificateSource::new("vault-ca.pem")]);
/// let mut config = Config::new();
/// config.secrets.vault = Some(Remote { store: RemoteStore::Vault(Box::new(settings)), tls });
/// # Ok::<(), callgate_secret::Error>(())
/// ```
#[derive(Clone, Debug)]
#[expect(clippy::exhaustive_structs, reason = "a store is reached somehow")]
pub struct Remote {
    /// The store by its settings.
    pub store: RemoteStore,
    /// The TLS settings of the connections to the store; those of toolsets do not apply.
    pub tls: TlsConfig,
}

/// The settings of a remote store.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum RemoteStore {
    /// AWS Secrets Manager, and where the keys that sign its requests are.
    Aws(SecretsManagerConfig, KeySource),
    /// Google Secret Manager, and who asks it.
    Gcp(Box<Identity>),
    /// The keyring of the operating system.
    Keyring(KeyringBackend),
    /// Vault or OpenBao.
    Vault(Box<VaultConfig>),
}

impl SecretsConfig {
    /// The stores that are configured, and the keyring, which needs no settings.
    pub(crate) fn remote_stores(&self) -> impl Iterator<Item = Remote> {
        let Self { aws, gcp, keyring, vault, .. } = self.clone();
        let usual = RemoteStore::Keyring(KeyringBackend::default());
        let keyring = keyring.unwrap_or_else(|| Remote { store: usual, tls: TlsConfig::default() });
        [aws, gcp, vault, Some(keyring)].into_iter().flatten()
    }
}

impl RemoteStore {
    /// The scheme of its references.
    pub(crate) fn scheme(&self) -> &'static str {
        match self {
            Self::Aws(..) => "aws",
            Self::Gcp(_) => "gcp",
            Self::Keyring(_) => "keyring",
            Self::Vault(_) => "vault",
        }
    }

    /// The store, which signs in with `local` secrets; `None` if this build has none.
    pub(crate) fn open(
        self,
        local: Arc<dyn SecretStore>,
        transport: impl FnOnce() -> Arc<dyn Transport>,
        clock: &Clock,
    ) -> Option<Result<Arc<dyn SecretStore>, Error>> {
        Some(Ok(match self {
            Self::Aws(settings, keys) => {
                let transport = transport();
                let keys = AwsKeySource::new(keys, local, Arc::clone(&transport));
                let store = SecretsManagerStore::new(settings, keys, transport);
                Arc::new(store.with_clock(clock.clone()))
            }
            Self::Gcp(identity) => {
                let rest = Rest::new(transport()).with_clock(clock.clone());
                let endpoints = identity.endpoints.clone();
                let tokens = Tokens::new(*identity, rest.clone(), local);
                Arc::new(SecretManager::new(Arc::new(tokens), rest, endpoints))
            }
            Self::Keyring(backend) => match KeyringStore::new(backend) {
                Ok(store) => Arc::new(store),
                Err(error) => return Some(Err(error)),
            },
            #[cfg(feature = "vault")]
            Self::Vault(settings) => {
                Arc::new(callgate_store::VaultStore::new(*settings, local, transport()))
            }
            #[cfg(not(feature = "vault"))]
            Self::Vault(_) => return None,
        }))
    }
}

keys! {
    pub(crate) SecretsKeys over SecretsConfig, in "`secrets`" {
        /// AWS Secrets Manager: `aws:name#key`.
        aws: Aws, needs "aws";
        /// The time for which secrets of stores are kept.
        cache: CacheKeys;
        /// The folder of `directory:NAME`.
        directory: PathBuf;
        /// Google Secret Manager: `gcp:projects/P/secrets/S/versions/V`.
        gcp: Gcp, needs "google";
        /// The operating system's keyring: `keyring:SERVICE/USER`.
        keyring: Keyring;
        /// Vault or OpenBao: `vault:path#key`.
        vault: Vault, needs "vault";
    }
}

keys! {
    pub(crate) struct AwsStoreKeys in "`aws`" with AwsKeys {
        /// A private endpoint instead of the region's own.
        endpoint: StoreAddress;
        /// The certificates that secure the connections to the store.
        tls: StoreTls;
    }
}

keys! {
    pub(crate) struct GcpKeys in "`gcp`" with IdentityKeys {
        /// The certificates that secure the connections to the store.
        tls: StoreTls;
    }
}

keys! {
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
    pub(crate) struct KeyringKeys in "`keyring`" {
        /// The choice among the machine's keyrings.
        backend: KeyringBackendWord;
    }
}

words! {
    struct KeyringBackendWord => KeyringBackend, "`kernel` is the keyring of the Linux kernel":
    "platform" => Platform, "kernel" => Kernel
}

forms! {
    struct Secrets => SecretsConfig, SecretsKeys::KIND, |reader, mapping, key| {
        let secrets = reader.get::<SecretsKeys>(mapping, key)?;
        let present = mapping.object.get(key).and_then(Node::as_object);
        let keys = present.into_iter().flat_map(Object::iter).map(|(key, _)| key.to_string());
        Some(SecretsConfig { keys: keys.collect(), ..secrets })
    };
    /// A region, and keys that are named here or found where AWS puts them for a process.
    struct Aws => Remote, AwsStoreKeys::KIND, |reader, mapping, key| {
        reader.read_several_sections::<AwsStoreKeys, _>(mapping, key, |reader, mapping, keys| {
            let (region, source) = read_region_and_key_source(reader, mapping);
            let is_usable = check_secrets_are_local(reader, mapping, &AWS_SECRETS);
            let manager = SecretsManagerConfig { region: region?, endpoint: keys.endpoint };
            let store = RemoteStore::Aws(manager, source?);
            is_usable.then_some(Remote { store, tls: keys.tls.unwrap_or_default() })
        })
    };
    /// The account whose tokens give access to Secret Manager.
    struct Gcp => Remote, GcpKeys::KIND, |reader, mapping, key| {
        reader.read_several_sections::<GcpKeys, _>(mapping, key, |reader, mapping, keys| {
            let is_usable = check_secrets_are_local(reader, mapping, &["key"]);
            let store = RemoteStore::Gcp(Box::new(read_identity(reader, mapping)));
            is_usable.then_some(Remote { store, tls: keys.tls.unwrap_or_default() })
        })
    };
    struct Keyring => Remote, KeyringKeys::KIND, |reader, mapping, key| {
        let store = RemoteStore::Keyring(reader.get::<KeyringKeys>(mapping, key)?.backend?);
        Some(Remote { store, tls: TlsConfig::default() })
    };
    struct SignIn => SecretReference, Kind::Secret, |reader, mapping, key| {
        let reference = reader.get::<SecretReference>(mapping, key)?;
        check_secrets_are_local(reader, mapping, &[key]).then_some(reference)
    };
    struct StoreTls => TlsConfig, TlsConfig::KIND, |reader, mapping, key| {
        let (tls, pointer) = (reader.get::<TlsConfig>(mapping, key)?, member_pointer(mapping, key));
        let object = mapping.object.get(key)?.as_object()?;
        let mapping = Mapping { object, pointer: &pointer };
        check_secrets_are_local(reader, mapping, &["client_key", "client_key_passphrase"]).then_some(tls)
    };
    struct StoreAddress => String, Kind::Address, read_store_address;
}

/// True if the secrets under these keys are on this machine; otherwise reports it: no store signs in with a secret of
/// another one.
fn check_secrets_are_local(reader: &mut Reader, mapping: Mapping<'_>, keys: &[&str]) -> bool {
    let mut are_local = true;
    for key in keys {
        let text = mapping.object.get(key).and_then(Node::as_str);
        let reference = text.and_then(|text| parse_secret_reference(text).ok());
        let scheme = reference.as_ref().map(SecretReference::scheme);
        if let Some(scheme) = scheme.filter(|scheme| !SecretScheme::is_local(scheme)) {
            let message = format!("expected a secret of this machine, got one of `{scheme}:`");
            let help =
                "what a store signs in with is in `env:NAME`, `file:PATH` or `directory:NAME`";
            reader.report_fault(
                ConfigCode::SecretStore,
                member_pointer(mapping, key),
                message,
                help,
            );
            are_local = false;
        }
    }
    are_local
}

/// The address of a store, without a slash at its end. Plain HTTP exposes the secrets to eavesdroppers, so it causes a
/// warning unless the connection stays on the machine.
fn read_store_address(reader: &mut Reader, mapping: Mapping<'_>, key: &str) -> Option<String> {
    let text = reader.string(mapping, key)?;
    let url = Url::parse(text).ok().filter(|url| {
        let is_bare = url.username().is_empty() && url.password().is_none();
        let has_no_more = url.query().is_none() && url.fragment().is_none();
        matches!(url.scheme(), "http" | "https") && url.has_host() && is_bare && has_no_more
    });
    let Some(url) = url else {
        let message = "expected an address: `https://`, a host, and perhaps a port and a path";
        reader.report_fault(
            SettingCode::WrongValue,
            member_pointer(mapping, key),
            message,
            "leave out all else",
        );
        return None;
    };
    let is_near = url.host().is_some_and(|host| is_this_machine(&host));
    if url.scheme() == "http" && !is_near {
        let message = "secrets travel to this address and back in the clear";
        reader.warn(ConfigCode::PlainHttp, member_pointer(mapping, key), message, "use `https://`");
    }
    Some(url.as_str().trim_end_matches('/').to_owned())
}
