//! Opens the file of a state, or makes the store that connects to its server; or tries either.

use std::path::PathBuf;

use callgate_secret::{Secret, SecretReference};
use callgate_session::Error;
#[cfg(feature = "redis")]
use callgate_session::{Key, Owner, Space};
use callgate_state::{FileSettings, FileStore};
#[cfg(feature = "redis")]
use callgate_tool::Session;
use futures_util::{FutureExt as _, future::BoxFuture};
use tokio::task;
#[cfg(feature = "redis")]
use tokio::time::Instant;

use super::{Arc, BuildContext, Reader, Store};
use crate::{
    code::ConfigCode,
    state::{StateConfig, StateEngine},
};

/// The keys that seal and open records.
struct Keys {
    key: Option<Secret>,
    old_keys: Vec<Secret>,
}

pub(super) async fn open_store(
    reader: &mut Reader,
    state: &StateConfig,
    build_context: &BuildContext<'_>,
) -> Option<Arc<dyn Store>> {
    let mut keys = Keys { key: None, old_keys: Vec::new() };
    if let Some(key) = &state.key {
        keys.key = Some(get_or_report_secret(reader, "/state/key", key, build_context, KEY).await?);
    }
    for (index, key) in state.old_keys.iter().enumerate() {
        let pointer = format!("/state/old_keys/{index}");
        keys.old_keys.push(get_or_report_secret(reader, &pointer, key, build_context, KEY).await?);
    }
    match &state.engine {
        StateEngine::File { path, bytes } => {
            let mut settings = FileSettings::new(build_context.base.join(path));
            settings.bytes = *bytes as u64;
            settings.key = keys.key;
            settings.old_keys = keys.old_keys;
            let opened = match task::spawn_blocking(move || FileStore::open(&settings)).await {
                Ok(opened) => opened,
                Err(panicked) => std::panic::resume_unwind(panicked.into_panic()),
            };
            let help = "the folder must be there, and this process may write to it";
            opened
                .map(|store| Arc::new(store) as _)
                .map_err(|error| report_store_error(reader, &error, help))
                .ok()
        }
        #[cfg(feature = "redis")]
        StateEngine::Redis(redis) => redis::open_store(reader, redis, keys, build_context).await,
        #[cfg(not(feature = "redis"))]
        StateEngine::Redis(_) => None,
    }
}

/// A store that is tried.
#[derive(Clone, Debug)]
pub(in crate::build) enum Trial {
    /// A file; true if the configuration names its key.
    File(PathBuf, bool),
    /// A server, by its address.
    #[cfg(feature = "redis")]
    Server(String, Arc<dyn Store>),
}

pub(super) async fn store_trial(
    reader: &mut Reader,
    state: &StateConfig,
    build_context: &BuildContext<'_>,
) -> Option<Trial> {
    match &state.engine {
        StateEngine::File { path, .. } => {
            Some(Trial::File(build_context.base.join(path), state.key.is_some()))
        }
        #[cfg(feature = "redis")]
        StateEngine::Redis(redis) => {
            // A secret that cannot be read is told by itself.
            for secret in state.key.iter().chain(&state.old_keys).chain(&redis.password) {
                build_context.secrets.get(secret).await.ok()?;
            }
            let name = |url: &crate::state::RedisUrl| format!("{}:{}", url.host, url.port);
            let name = redis.servers.urls().iter().map(name).collect::<Vec<_>>().join(", ");
            Some(Trial::Server(name, open_store(reader, state, build_context).await?))
        }
        #[cfg(not(feature = "redis"))]
        StateEngine::Redis(_) => {
            let _: &mut Reader = reader;
            None
        }
    }
}

impl Trial {
    /// The name of the store, and its trial: what came, or the reason why it cannot be used.
    pub(in crate::build) fn begin_trial(&self) -> (String, BoxFuture<'_, Result<String, String>>) {
        match self {
            Self::File(path, has_key) => {
                let (path, has_key) = (path.clone(), *has_key);
                let name = path.display().to_string();
                let trying = task::spawn_blocking(move || FileStore::file_status(&path, has_key));
                (
                    name,
                    async {
                        trying
                            .await
                            .map_err(|_| LOST.to_owned())?
                            .map_err(|error| error_with_cause(&error))
                    }
                    .boxed(),
                )
            }
            #[cfg(feature = "redis")]
            Self::Server(name, store) => {
                let trying = async {
                    let owner = Session::default();
                    let key = Key::new(Space::Session, Owner::new(None, &owner), "");
                    let answered = store.get(&key, Instant::now().into_std()).await;
                    answered
                        .map(|_| "it answers".to_owned())
                        .map_err(|error| error_with_cause(&error))
                };
                (name.clone(), trying.boxed())
            }
        }
    }
}

/// The reason of a failure with its cause.
fn error_with_cause(error: &Error) -> String {
    let cause = std::error::Error::source(error).map(|cause| format!(": {cause}"));
    format!("{error}{}", cause.unwrap_or_default())
}

fn report_store_error(reader: &mut Reader, error: &Error, help: &str) {
    reader.report_fault(ConfigCode::State, "/state", error_with_cause(error), help);
}

async fn get_or_report_secret(
    reader: &mut Reader,
    pointer: &str,
    reference: &SecretReference,
    build_context: &BuildContext<'_>,
    help: &str,
) -> Option<Secret> {
    let secret_value = build_context.secrets.get(reference).await.map_err(|error| {
        reader.report_fault(ConfigCode::MissingSecret, pointer, error.to_string(), help);
    });
    secret_value.ok()
}

#[cfg(feature = "redis")]
mod redis {
    use callgate_state::{Durability, RedisAddress, RedisServers, RedisSettings, RedisStore};

    use super::{
        Arc, BuildContext, KEY, Keys, Reader, Store, get_or_report_secret, report_store_error,
    };
    use crate::{
        build::tls,
        state::{RedisConfig, RedisNodes, RedisUrl},
    };

    /// A store that connects when it is used first: a server that starts later keeps no sidecar from starting.
    pub(super) async fn open_store(
        reader: &mut Reader,
        redis: &RedisConfig,
        keys: Keys,
        build_context: &BuildContext<'_>,
    ) -> Option<Arc<dyn Store>> {
        let BuildContext { base, environment, secrets, .. } = build_context;
        let servers = resolve_redis_servers(reader, &redis.servers, build_context).await?;
        let mut settings = RedisSettings::new(servers, keys.key?);
        settings.old_keys = keys.old_keys;
        settings.durability = redis.durability.map(|it| Durability::new(it.wait, it.timeout));
        settings.prefix.clone_from(&redis.prefix);
        settings.user.clone_from(&redis.user);
        if let RedisNodes::Single(url) = &redis.servers {
            settings.database = url.database;
        }
        if let Some(reference) = &redis.password {
            settings.password = Some(
                get_or_report_secret(
                    reader,
                    "/state/redis/password",
                    reference,
                    build_context,
                    PASSWORD,
                )
                .await?,
            );
        }
        if redis.servers.urls().iter().all(|url| url.is_secure) {
            settings.tls = Some(tls::load_tls_settings(reader, &redis.tls, base, secrets).await);
        }
        let store = RedisStore::new(&settings, &environment.network_avoiding_listeners(None));
        store
            .map(|store| Arc::new(store) as _)
            .map_err(|error| report_store_error(reader, &error, KEY))
            .ok()
    }

    async fn resolve_redis_servers(
        reader: &mut Reader,
        nodes: &RedisNodes,
        build_context: &BuildContext<'_>,
    ) -> Option<RedisServers> {
        let address = |url: &RedisUrl| RedisAddress::new(&url.host, url.port);
        Some(match nodes {
            RedisNodes::Cluster(nodes) => {
                RedisServers::Cluster(nodes.iter().map(address).collect())
            }
            RedisNodes::Sentinel { master, nodes, password: reference } => {
                let mut sentinel_password = None;
                if let Some(reference) = reference {
                    let pointer = "/state/redis/sentinel/password";
                    sentinel_password = Some(
                        get_or_report_secret(reader, pointer, reference, build_context, PASSWORD)
                            .await?,
                    );
                }
                let (primary, sentinels) = (master.clone(), nodes.iter().map(address).collect());
                RedisServers::Sentinel { primary, sentinels, password: sentinel_password }
            }
            RedisNodes::Single(url) => RedisServers::Single(address(url)),
        })
    }

    const PASSWORD: &str = "name a secret that can be read";
}

/// The remedy for a key that cannot be read or used.
const KEY: &str = "the key of the state is a secret of 32 bytes or more";
const LOST: &str = "the trial ended without a word";
