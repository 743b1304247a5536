//! What the requests of a sidecar share: the executor and what was built around it, in one place that a reload swaps.

use std::sync::Arc;

use arc_swap::ArcSwap;
use callgate_config::Built;
use callgate_policy::Records;

use crate::{at_start::AtStart, drain::Drain, reloads::Reloads, stored_sessions::Sessions};

/// A sidecar without its sockets. Clones share everything; a request works to its end on the build it began with.
#[derive(Clone, Debug)]
pub struct Gateway(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    at_start: AtStart,
    built: ArcSwap<Built>,
    drain: Drain,
    reloads: Reloads,
    sessions: Sessions,
    answers: Arc<Records<String>>,
}

impl Gateway {
    /// A sidecar that serves a build.
    pub fn new(built: Built) -> Self {
        let at_start = AtStart::of(&built);
        let sessions = Sessions::new(&built.sessions);
        let answers = Records::new(built.idempotency);
        let (built, drain) = (ArcSwap::from_pointee(built), Drain::default());
        let reloads = Reloads::default();
        Self(Arc::new(Shared { at_start, built, drain, reloads, sessions, answers }))
    }

    /// What is served now.
    pub fn built(&self) -> Arc<Built> {
        self.0.built.load_full()
    }

    /// Serves another build from now on; requests that have begun keep theirs. Sessions go on.
    pub fn replace(&self, built: Arc<Built>) {
        self.0.answers.set_bounds(built.idempotency);
        self.0.built.store(built);
    }

    /// What the sidecar started with.
    pub(crate) fn at_start(&self) -> &AtStart {
        &self.0.at_start
    }

    /// Whether the sidecar is being stopped.
    pub(crate) fn drain(&self) -> &Drain {
        &self.0.drain
    }

    /// The reloads there were.
    pub(crate) fn reloads(&self) -> &Reloads {
        &self.0.reloads
    }

    /// The sessions that callers store.
    pub(crate) fn sessions(&self) -> &Sessions {
        &self.0.sessions
    }

    /// What requests with an idempotency key were answered.
    pub(crate) fn answers(&self) -> &Arc<Records<String>> {
        &self.0.answers
    }
}
