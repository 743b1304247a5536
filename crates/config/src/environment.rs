//! The environment in which a program builds a configuration: stores of secrets of its own, another transport, another
//! clock, middleware around calls, the folder that relative paths start at. Nothing of it is written in a
//! configuration.

use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

use callgate_executor::{Backend, Middleware};
use callgate_secret::SecretStore;
use callgate_store::GrantStore;
use callgate_transport::{Clock, Listeners, Network, Proxy, SystemResolver, Transport};

/// The surroundings of a configuration. The default is the machine's own.
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
    /// Stores of the program's own, by the schemes of their secrets: `corp` answers `corp:pets-key`.
    pub(crate) secrets: BTreeMap<String, Arc<dyn SecretStore>>,
    /// Sends calls and asks for tokens instead of each toolset's `upstream`.
    pub(crate) transport: Option<Arc<dyn Transport>>,
    /// The time of day that signatures and assertions are made with.
    pub(crate) clock: Clock,
    /// The folder that relative paths start at, if not the configuration's own.
    pub(crate) base: Option<PathBuf>,
    /// The middleware around every call, beside the configuration's.
    pub(crate) middleware: Vec<Arc<dyn Middleware>>,
    /// Tools of the program's own, beside those of the configuration.
    pub(crate) tools: Vec<Arc<dyn Backend>>,
    /// Turns the audit off, for programs that make no calls; the configuration may still name a file.
    pub(crate) is_unaudited: bool,
    /// The cost of a description that cannot be read: the whole configuration, or its toolset.
    pub(crate) missing: Missing,
    /// The folder that descriptions of addresses are kept in, so that one that cannot be had is the last one that was.
    pub(crate) cache: Option<PathBuf>,
    /// The grants of people who log in for credentials of the kind `oauth2_authorization_code`; without them nobody can.
    pub(crate) grants: Option<Arc<dyn GrantStore>>,
    /// The addresses that this process listens on, if it serves: none of it is called, and the credentials of its
    /// callers are read too.
    pub(crate) listeners: Option<Listeners>,
    /// True if `****` stands in for credentials that cannot be had.
    pub(crate) has_stand_ins: bool,
}

/// The cost of a description that cannot be read.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) enum Missing {
    /// The whole configuration: it is a fault.
    #[default]
    Fault,
    /// Its toolset alone, which has no tools and says why (`BuiltToolset::failure`).
    Listed,
}

impl Environment {
    /// The machine's own surroundings.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a store that answers references `scheme:…`. A scheme of callgate's own (`env`, `vault`, …) keeps its meaning.
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

    /// Tells the time by another clock.
    #[must_use]
    pub fn with_clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }

    /// Starts relative paths at another folder.
    #[must_use]
    pub fn with_base(mut self, base: impl Into<PathBuf>) -> Self {
        self.base = Some(base.into());
        self
    }

    /// Adds what stands around every call, at its stage of the fixed order.
    #[must_use]
    pub fn with_middleware(mut self, middleware: Arc<dyn Middleware>) -> Self {
        self.middleware.push(middleware);
        self
    }

    /// Adds a tool of the program's own. It comes after those of the configuration, with what stands around them all.
    #[must_use]
    pub fn with_tool(mut self, tool: impl Backend + 'static) -> Self {
        self.tools.push(Arc::new(tool));
        self
    }

    /// Keeps descriptions of addresses in a folder, where a later process finds them.
    #[must_use]
    pub fn with_cache(mut self, folder: impl Into<PathBuf>) -> Self {
        self.cache = Some(folder.into());
        self
    }

    /// Takes the logins of people from here, and keeps them there.
    #[must_use]
    pub fn with_grants(mut self, grants: Arc<dyn GrantStore>) -> Self {
        self.grants = Some(grants);
        self
    }

    /// Opens no audit file: for a program that makes no calls.
    #[must_use]
    pub fn without_audit(mut self) -> Self {
        self.is_unaudited = true;
        self
    }

    /// Puts `****` in place of secrets that cannot be read and of tokens that cannot be had: for answers from recordings, whose
    /// requests show no credential. What a session lacks is still told.
    #[doc(hidden)]
    #[must_use]
    pub fn with_stand_ins(mut self) -> Self {
        self.has_stand_ins = true;
        self
    }

    /// Builds the other toolsets where a description cannot be read.
    #[must_use]
    pub fn listing_missing(mut self) -> Self {
        self.missing = Missing::Listed;
        self
    }

    /// Builds for a process that serves at `listeners`, a list that it may fill later.
    #[doc(hidden)]
    #[must_use]
    pub fn with_listeners(mut self, listeners: Listeners) -> Self {
        self.listeners = Some(listeners);
        self
    }

    /// Connections that lead to none of our own listeners, through a proxy where there is one.
    pub(crate) fn network(&self, proxy: Option<Proxy>) -> Network {
        let listeners = self.listeners.clone().unwrap_or_default();
        let resolver = Arc::new(SystemResolver::default());
        match proxy {
            Some(proxy) => Network::through(proxy, resolver, listeners),
            None => Network::with(resolver, listeners),
        }
    }
}
