//! Opens the state of a sidecar. An open one is used until the process ends: waiting calls and sessions are in it.

use std::sync::Arc;

use callgate_policy::TimedStore;
use callgate_session::Store;
use callgate_settings::Reader;

use super::context::BuildContext;
use crate::{config::Config, environment::Sidecar};

/// The store for what outlives a call: that of the last build, the program's own, or what the configuration names. `None`
/// to keep it in memory, and where nothing is served. Its requests end in time.
pub(super) async fn build_state_store(
    reader: &mut Reader,
    config: &Config,
    build_context: &BuildContext<'_>,
    previous: Option<&Arc<dyn Store>>,
) -> Option<Arc<dyn Store>> {
    let environment = build_context.environment;
    if let Some(previous_store) = previous {
        return Some(Arc::clone(previous_store));
    }
    if let Some(own) = &environment.state {
        return Some(Arc::new(TimedStore::new(Arc::clone(own))));
    }
    let state = config.state.as_ref().filter(|_| environment.sidecar == Sidecar::Serving)?;
    if reader.has_faults() {
        return None;
    }
    let opened = open::open_store(reader, state, build_context).await?;
    Some(Arc::new(TimedStore::new(opened)))
}

/// The trial of the store that the configuration names, where what would be served is examined.
pub(super) async fn build_store_trial(
    reader: &mut Reader,
    config: &Config,
    build_context: &BuildContext<'_>,
) -> Option<Trial> {
    let examines = build_context.environment.sidecar == Sidecar::Examined;
    let state = config.state.as_ref().filter(|_| examines && !reader.has_faults())?;
    open::store_trial(reader, state, build_context).await
}

pub(super) use self::open::Trial;
#[cfg(feature = "state")]
mod open;

#[cfg(not(feature = "state"))]
mod open {
    use std::future::{Ready, ready};

    use futures_util::future::BoxFuture;

    use super::{Arc, BuildContext, Reader, Store};
    use crate::state::StateConfig;

    /// There is nothing to try.
    #[derive(Clone, Debug)]
    pub(in crate::build) enum Trial {}

    impl Trial {
        pub(in crate::build) fn begin_trial(
            &self,
        ) -> (String, BoxFuture<'_, Result<String, String>>) {
            match *self {}
        }
    }

    pub(super) fn store_trial(
        _: &mut Reader,
        _: &StateConfig,
        _: &BuildContext<'_>,
    ) -> Ready<Option<Trial>> {
        ready(None)
    }

    /// The reader has refused the key.
    pub(super) fn open_store(
        _: &mut Reader,
        _: &StateConfig,
        _: &BuildContext<'_>,
    ) -> Ready<Option<Arc<dyn Store>>> {
        ready(None)
    }
}
