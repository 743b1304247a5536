//! The key `state`: the place where a sidecar keeps what outlives a call, so that it outlives the process too. The build
//! opens it.

use std::path::PathBuf;

use callgate_secret::SecretReference;

use crate::{
    form::{Bytes, forms},
    keys::Kind,
    secret_reference::secrets,
    settings::keys,
};

/// The file that a sidecar keeps sessions, waiting calls, idempotency keys and results in.
///
/// ```
/// use callgate_config::Config;
///
/// let text = "
/// state: {file: state.db}
/// toolsets: {pets: {openapi: pets.yaml}}";
/// # if !cfg!(feature = "state") { return Ok(()); }
/// let config = Config::from_text(text, "")?;
/// let state = config.state.expect("it was given");
/// assert_eq!(state.file.to_str(), Some("state.db"));
/// assert_eq!((state.key, state.bytes), (None, 1 << 30));
/// # Ok::<(), callgate_config::Error>(())
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct StateConfig {
    /// The file, relative to the configuration.
    pub file: PathBuf,
    /// The key that seals records; without it, a key file lies beside the file.
    pub key: Option<SecretReference>,
    /// Keys that open what they sealed, and seal nothing more.
    pub old_keys: Vec<SecretReference>,
    /// The most bytes of all records.
    pub bytes: usize,
}

keys! {
    pub(crate) struct StateKeys in "`state`" {
        /// The most bytes of all records; 1 GiB unless given. A principal may have as many as are still free.
        bytes: Bytes;
        /// The file, relative to this one. It is made if it is absent; one process has it open.
        file: PathBuf, required;
        /// The key that seals records, at least 32 bytes; unless given, it is drawn and kept in a file beside the file.
        key: SecretReference;
        /// Keys that open what they sealed, and seal nothing more: older ones, and the next one before it is used.
        old_keys: OldKeys;
    }
}

forms! {
    struct State => StateConfig, StateKeys::KIND, |reader, mapping, key| {
        let StateKeys { bytes, file, key, old_keys } = reader.get::<StateKeys>(mapping, key)?;
        let (old_keys, bytes) = (old_keys.unwrap_or_default(), bytes.unwrap_or(1 << 30));
        Some(StateConfig { file: file?, key, old_keys, bytes })
    };
    struct OldKeys => Vec<SecretReference>, Kind::List(&Kind::Secret), |reader, mapping, key| {
        Some(secrets(reader, mapping, key).into_iter().map(|(_, secret)| secret).collect())
    };
}
