//! The environment in which a program builds a configuration: its own stores of secrets, another transport, another
//! clock, middleware around calls, the folder that relative paths start at. A configuration contains none of this.

use std::{collections::BTreeMap, path::PathBuf, sync::Arc, time::SystemTime};

use callgate_executor::{Backend, Middleware};
use callgate_kind::Missing;
use callgate_secret::SecretStore;
use callgate_session::Store;
use callgate_settings::LoadEffects;
use callgate_store::GrantStore;
use callgate_transport::{Clock, Listeners, Network, Proxy, SystemResolver, Transport};

/// The environment of a configuration. The default is the machine's own.
///
/// ```
/// # use std::sync::Arc;
/// # use callgate_config::Environment;
/// # use callgate_transport::Refuse;
/// let environment = Environment::new().with_transport(Arc::new(Refuse::new()));
/// # drop(environment);
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Environment {
    /// The program's own stores, by the schemes of their secrets: the store `corp` serves `corp:pets-key`.
    pub(crate) secrets: BTreeMap<String, Arc<dyn SecretStore>>,
    /// The transport for calls and token requests, in place of each toolset's `upstream`.
    pub(crate) transport: Option<Arc<dyn Transport>>,
    pub(crate) clock: Clock,
    /// The folder that relative paths start at, if not the configuration's own.
    pub(crate) base: Option<PathBuf>,
    /// The middleware around every call, beside the configuration's.
    pub(crate) middleware: Vec<Arc<dyn Middleware>>,
    /// The program's own tools, beside those of the configuration.
    pub(crate) tools: Vec<Arc<dyn Backend>>,
    /// Turns the audit off, for programs that make no calls; the configuration may still name a file.
    pub(crate) is_unaudited: bool,
    /// The effect of a description that cannot be read: the whole configuration fails, or only its toolset.
    pub(crate) missing: Missing,
    /// The folder that stores descriptions from addresses, so that the last version is used if an address does not respond.
    pub(crate) cache: Option<PathBuf>,
    /// The grants of people who log in for credentials of the kind `oauth2_authorization_code`; without them nobody can
    /// log in.
    pub(crate) grants: Option<Arc<dyn GrantStore>>,
    /// The addresses that this process listens on, if it serves: calls to them are refused, and the credentials of its
    /// callers are read too.
    pub(crate) listeners: Option<Listeners>,
    /// The program's own store for what outlives a call.
    pub(crate) state: Option<Arc<dyn Store>>,
    /// True if no source of a kind of toolset is asked: their tools have names alone.
    pub(crate) asks_no_source: bool,
    /// The program that extracts the text of files.
    pub(crate) extractor: Option<PathBuf>,
    /// True if `****` replaces credentials that are not available.
    pub(crate) has_stand_ins: bool,
    /// The part that a sidecar's own settings have in the build.
    pub(crate) sidecar: Sidecar,
}

/// The part that a sidecar's own settings have in a build.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) enum Sidecar {
    /// They are examined, and nothing is served.
    Examined,
    /// They have no effect: a program makes the calls.
    #[default]
    None,
    /// The process serves.
    Serving,
}

impl Environment {
    /// The machine's own environment.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a store for references `scheme:…`. A scheme of callgate's own (`env`, `vault`, …) keeps its meaning.
    #[must_use]
    pub fn with_store(mut self, scheme: impl Into<String>, store: Arc<dyn SecretStore>) -> Self {
        self.secrets.insert(scheme.into(), store);
        self
    }

    /// Sends everything through one transport.
    #[must_use]
    pub fn with_transport(mut self, transport: Arc<dyn Transport>) -> Self {
        self.transport = Some(transport);
        self
    }

    /// Uses another clock: a function that returns the current time.
    #[must_use]
    pub fn with_clock(mut self, now: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        self.clock = Clock::new(now);
        self
    }

    /// Starts relative paths at another folder.
    #[must_use]
    pub fn with_base(mut self, base: impl Into<PathBuf>) -> Self {
        self.base = Some(base.into());
        self
    }

    /// Adds middleware around every call, at its stage of the fixed order.
    #[must_use]
    pub fn with_middleware(mut self, middleware: Arc<dyn Middleware>) -> Self {
        self.middleware.push(middleware);
        self
    }

    /// Adds a tool of the program's own. It comes after those of the configuration, and has their middleware.
    #[must_use]
    pub fn with_tool(mut self, tool: impl Backend + 'static) -> Self {
        self.tools.push(Arc::new(tool));
        self
    }

    /// Stores descriptions from addresses in a folder, for later processes.
    #[must_use]
    pub fn with_cache(mut self, folder: impl Into<PathBuf>) -> Self {
        self.cache = Some(folder.into());
        self
    }

    /// Reads the logins of people from this store, and keeps them there.
    #[must_use]
    pub fn with_grants(mut self, grants: Arc<dyn GrantStore>) -> Self {
        self.grants = Some(grants);
        self
    }

    /// Keeps what outlives a call in this store: waiting calls, idempotency keys, results and, in a sidecar, sessions. A
    /// configuration's own `state` has no effect then.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use callgate_config::Environment;
    /// use callgate_session::{Bounds, Memory};
    ///
    /// let memory = Memory::refusing(Bounds { records: 100_000, bytes: 1 << 28 });
    /// let environment = Environment::new().with_state(Arc::new(memory));
    /// # drop(environment);
    /// ```
    #[must_use]
    pub fn with_state(mut self, store: Arc<dyn Store>) -> Self {
        self.state = Some(store);
        self
    }

    /// Opens no audit file: for a program that makes no calls.
    #[must_use]
    pub fn without_audit(mut self) -> Self {
        self.is_unaudited = true;
        self
    }

    /// Replaces secrets that cannot be read and tokens that are not available by `****`: for recorded responses, whose
    /// requests show no credential. Missing values of a session are still reported.
    #[doc(hidden)]
    #[must_use]
    pub fn with_secret_stand_ins(mut self) -> Self {
        self.has_stand_ins = true;
        self
    }

    /// Builds the other toolsets if a description cannot be read.
    #[must_use]
    pub fn listing_missing(mut self) -> Self {
        self.missing = Missing::Listed;
        self
    }

    /// Asks no source of a kind of toolset: its tools have names alone, and their calls fail.
    #[doc(hidden)]
    #[must_use]
    pub fn without_source_requests(mut self) -> Self {
        self.asks_no_source = true;
        self
    }

    /// Extracts the text of files by this program, started with the argument `extract`. Without it, PDF files among documents are findings.
    #[must_use]
    pub fn with_extractor(mut self, program: impl Into<PathBuf>) -> Self {
        self.extractor = Some(program.into());
        self
    }

    /// Builds for a process that serves at `listeners`, a list that it may fill later.
    #[doc(hidden)]
    #[must_use]
    pub fn with_listeners(mut self, listeners: Listeners) -> Self {
        self.listeners = Some(listeners);
        self.sidecar = Sidecar::Serving;
        self
    }

    /// Reports also what would keep a sidecar from serving the configuration, and the secrets and logins that this machine
    /// lacks.
    #[doc(hidden)]
    #[must_use]
    pub fn with_sidecar_examination(mut self) -> Self {
        self.sidecar = Sidecar::Examined;
        self
    }

    /// The effects that opening toolsets of a kind may have: none where only the names of their tools matter.
    pub(crate) fn effects_of_kinds(&self, effects: LoadEffects) -> LoadEffects {
        if self.asks_no_source { effects.min(LoadEffects::Files) } else { effects }
    }

    /// Connections that avoid our own listeners, through a proxy if there is one.
    pub(crate) fn network_avoiding_listeners(&self, proxy: Option<Proxy>) -> Network {
        let listeners = self.listeners.clone().unwrap_or_default();
        let resolver = Arc::new(SystemResolver::default());
        match proxy {
            Some(proxy) => Network::through_proxy(proxy, resolver, listeners),
            None => Network::with_resolver(resolver, listeners),
        }
    }
}
