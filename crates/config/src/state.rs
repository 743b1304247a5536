//! The key `state`: the file or the server where a sidecar keeps what outlives a call, so that it outlives the process too.
//! The build opens it.

mod redis;

use std::path::PathBuf;

use callgate_secret::SecretReference;
use callgate_settings::{
    Bytes, Kind, Mapping, Reader, SettingCode, forms, keys, member_pointer, read_secrets,
};

pub(crate) use self::redis::Redis;
pub use self::redis::{RedisConfig, RedisDurability, RedisNodes, RedisUrl};

/// The file or the server that a sidecar keeps sessions, waiting calls, idempotency keys and results in.
///
/// ```
/// use callgate_config::{Config, StateEngine};
///
/// let text = "
/// state: {file: state.db}
/// toolsets: {pets: {openapi: pets.yaml}}";
/// # if !cfg!(feature = "state") { return Ok(()); }
/// let config = Config::from_text(text, "")?;
/// let state = config.state.expect("it was given");
/// assert_eq!(state.engine, StateEngine::File { path: "state.db".into(), bytes: 1 << 30 });
/// assert_eq!(state.key, None);
/// # Ok::<(), callgate_config::Error>(())
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct StateConfig {
    /// The file or the server.
    pub engine: StateEngine,
    /// The key that seals records; without it, a key file lies beside the file.
    pub key: Option<SecretReference>,
    /// Keys that open what they sealed, and seal nothing more.
    pub old_keys: Vec<SecretReference>,
}

/// The engine that keeps the state: a file, or Redis servers.
///
/// ```
/// use callgate_config::{Config, StateEngine};
///
/// let text = "
/// state: {redis: {url: 'redis://redis.internal/2'}, key: 'env:STATE_KEY'}
/// toolsets: {pets: {openapi: pets.yaml}}";
/// # if !cfg!(feature = "redis") { return Ok(()); }
/// let config = Config::from_text(text, "")?;
/// let Some(StateEngine::Redis(redis)) = config.state.map(|state| state.engine) else { return Ok(()) };
/// let [url] = redis.servers.urls() else { return Ok(()) };
/// assert_eq!((url.host.as_str(), url.port, url.database), ("redis.internal", 6379, 2));
/// # Ok::<(), callgate_config::Error>(())
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum StateEngine {
    /// A file that one process has open.
    File {
        /// The file, relative to the configuration.
        path: PathBuf,
        /// The most bytes of all records.
        bytes: usize,
    },
    /// A server that several processes share.
    Redis(Box<RedisConfig>),
}

keys! {
    pub(crate) struct StateKeys in "`state`" {
        /// The most bytes of all records in the file; 1 GiB unless given. A principal may have as many as are still free.
        bytes: Bytes;
        /// The file, relative to this one. It is made if it is absent; one process has it open.
        file: PathBuf;
        /// The key that seals records, at least 32 bytes. Redis needs one; without it, one is drawn and kept beside the file.
        key: SecretReference;
        /// Keys that open what they sealed, and seal nothing more: older ones, and the next one before it is used.
        old_keys: OldKeys;
        /// The beginning of all names in Redis; `callgate` unless given. Sidecars with another one share nothing with these.
        prefix: Prefix;
        /// The Redis servers that several sidecars share.
        redis: Redis, needs "redis";
    }
}

forms! {
    struct State => StateConfig, StateKeys::KIND, |reader, mapping, key| {
        reader.read_several_sections::<StateKeys, _>(mapping, key, |reader, mapping, keys| {
            let engine = read_engine(reader, mapping, &keys);
            let old_keys = keys.old_keys.unwrap_or_default();
            Some(StateConfig { engine: engine?, key: keys.key, old_keys })
        })
    };
    struct OldKeys => Vec<SecretReference>, Kind::List(&Kind::Secret), |reader, mapping, key| {
        Some(read_secrets(reader, mapping, key).into_iter().map(|(_, secret)| secret).collect())
    };
    struct Prefix => String, Kind::Text, |reader, mapping, key| {
        let text = reader.string(mapping, key)?;
        let is_plain = |it: char| it.is_ascii_alphanumeric() || matches!(it, '_' | '-' | '.');
        if text.is_empty() || !text.chars().all(is_plain) {
            let message = format!("expected letters, digits, `_`, `-` and `.`, got: `{}`", text.escape_debug());
            reader.report_fault(SettingCode::WrongValue, member_pointer(mapping, key), message, "for example `prefix: team-a`");
            return None;
        }
        Some(text.to_owned())
    };
}

fn read_engine(reader: &mut Reader, mapping: Mapping<'_>, keys: &StateKeys) -> Option<StateEngine> {
    let has = |key| mapping.object.contains(key);
    let got = match (has("file"), has("redis")) {
        (true, false) => {
            report_without_other_key(reader, mapping, "prefix", "redis");
            let (path, bytes) = (keys.file.clone()?, keys.bytes.unwrap_or(1 << 30));
            return Some(StateEngine::File { path, bytes });
        }
        (false, true) => {
            report_without_other_key(reader, mapping, "bytes", "file");
            if !has("key") {
                let message = "expected the key `key` beside `redis`, got none: records leave this machine sealed";
                let help = "name a secret of 32 bytes or more that all sidecars have: `key: env:STATE_KEY`";
                reader.report_fault(SettingCode::MissingKey, mapping.pointer, message, help);
            }
            let mut redis = keys.redis.clone()?;
            if let Some(prefix) = &keys.prefix {
                redis.prefix.clone_from(prefix);
            }
            return Some(StateEngine::Redis(Box::new(redis)));
        }
        (true, true) => "both",
        (false, false) => "none",
    };
    let message = format!("expected one of `file` and `redis`, got {got}");
    let help = "write `file: state.db` for one sidecar, or `redis: {url: …}` for several";
    reader.report_fault(SettingCode::WrongValue, mapping.pointer, message, help);
    None
}

/// Reports a key that means nothing without another one.
fn report_without_other_key(reader: &mut Reader, mapping: Mapping<'_>, key: &str, other: &str) {
    if mapping.object.contains(key) {
        let message = format!("`{key}` is for `{other}`, which is not given");
        let help = format!("leave `{key}` out");
        reader.report_fault(SettingCode::WrongValue, member_pointer(mapping, key), message, help);
    }
}

#[cfg(test)]
mod tests;
