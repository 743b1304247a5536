//! Settings that a sidecar reads only when it starts, because its sockets are open and its stores in use afterwards. The log
//! reports a change.

use callgate_config::{Built, ServingConfig, SessionsConfig, StateConfig};

#[derive(Clone, Debug)]
pub(crate) struct AtStart {
    serving: ServingConfig,
    sessions: SessionsConfig,
    state: Option<StateConfig>,
}

impl AtStart {
    pub(crate) fn from_build(built: &Built) -> Self {
        let (serving, sessions) = (built.serving.clone(), built.sessions.clone());
        Self { serving, sessions, state: built.state_config.clone() }
    }

    /// The keys whose new values apply only after a restart.
    pub(crate) fn keys_needing_restart(&self, built: &Built) -> Vec<&'static str> {
        let (old, new) = (&self.serving, &built.serving);
        let stored = |of: &SessionsConfig| (of.time_to_live, of.records, of.bytes);
        let keys = [
            ("console", old.console != new.console),
            ("listen", old.listen != new.listen),
            ("admin", old.admin != new.admin),
            ("limits", old.limits != new.limits),
            ("proxy", old.proxy != new.proxy),
            ("state", self.state != built.state_config),
            ("sessions", stored(&self.sessions) != stored(&built.sessions)),
        ];
        keys.into_iter().filter_map(|(key, is_other)| is_other.then_some(key)).collect()
    }
}
