//! Opens the state of a sidecar. An open one is used until the process ends: waiting calls and sessions are in it.

use std::sync::Arc;

use callgate_policy::TimedStore;
use callgate_session::Store;

use super::context::BuildContext;
use crate::{config::Config, environment::Sidecar, reader::Reader};

/// The store for what outlives a call: that of the last build, the program's own, or the file of the configuration. `None`
/// to keep it in memory, and where nothing is served. Its requests end in time.
pub(super) async fn store(
    reader: &mut Reader,
    config: &Config,
    build_context: &BuildContext<'_>,
    previous: Option<&Arc<dyn Store>>,
) -> Option<Arc<dyn Store>> {
    let environment = build_context.environment;
    if let Some(known) = previous {
        return Some(Arc::clone(known));
    }
    if let Some(own) = &environment.state {
        return Some(Arc::new(TimedStore::new(Arc::clone(own))));
    }
    let state = config.state.as_ref().filter(|_| environment.sidecar == Sidecar::Serving)?;
    if reader.has_faults() {
        return None;
    }
    let opened = file::store(reader, state, build_context).await?;
    Some(Arc::new(TimedStore::new(opened)))
}

#[cfg(feature = "state")]
mod file {
    use callgate_secret::{Secret, SecretReference};
    use callgate_state::{FileSettings, FileStore};
    use tokio::task;

    use super::{Arc, BuildContext, Reader, Store};
    use crate::{code::ConfigCode, state::StateConfig};

    pub(super) async fn store(
        reader: &mut Reader,
        state: &StateConfig,
        build_context: &BuildContext<'_>,
    ) -> Option<Arc<dyn Store>> {
        let mut settings = FileSettings::new(build_context.base.join(&state.file));
        settings.bytes = state.bytes as u64;
        if let Some(key) = &state.key {
            settings.key = Some(secret(reader, "/state/key", key, build_context).await?);
        }
        for (index, key) in state.old_keys.iter().enumerate() {
            let pointer = format!("/state/old_keys/{index}");
            settings.old_keys.push(secret(reader, &pointer, key, build_context).await?);
        }
        let opened = match task::spawn_blocking(move || FileStore::open(&settings)).await {
            Ok(opened) => opened,
            Err(panicked) => std::panic::resume_unwind(panicked.into_panic()),
        };
        match opened {
            Ok(store) => Some(Arc::new(store)),
            Err(error) => {
                let cause = std::error::Error::source(&error);
                let cause = cause.map(|cause| format!(": {cause}")).unwrap_or_default();
                let message = format!("{error}{cause}");
                let help = "the folder must be there, and this process may write to it";
                reader.complain(ConfigCode::State, "/state", message, help);
                None
            }
        }
    }

    async fn secret(
        reader: &mut Reader,
        pointer: &str,
        reference: &SecretReference,
        build_context: &BuildContext<'_>,
    ) -> Option<Secret> {
        let found = build_context.secrets.get(reference).await.map_err(|error| {
            let help = "the key of the state is a secret of 32 bytes or more";
            reader.complain(ConfigCode::MissingSecret, pointer, error.to_string(), help);
        });
        found.ok()
    }
}

#[cfg(not(feature = "state"))]
mod file {
    use super::{Arc, BuildContext, Reader, Store};
    use crate::state::StateConfig;

    /// The reader has refused the key.
    pub(super) async fn store(
        _: &mut Reader,
        _: &StateConfig,
        _: &BuildContext<'_>,
    ) -> Option<Arc<dyn Store>> {
        None
    }
}
