//! The state that the requests of a sidecar share: the executor and the values built with it, which a reload replaces as one.

#[cfg(feature = "agents")]
use std::sync::OnceLock;
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use arc_swap::ArcSwap;
use callgate_config::{Built, BuiltAccess};
use callgate_policy::Records;
use callgate_session::{FairQueue, QueueBounds, QueuePermit};
use callgate_tool::Principal;
use futures_util::{
    StreamExt,
    stream::{self, BoxStream},
};
use tokio::{sync::watch, task};

use crate::{
    access::{self, Access},
    at_start::AtStart,
    caller::Caller,
    drain::Drain,
    problem::{self, Problem},
    recent_calls::RecentCalls,
    reloads::Reloads,
    report_cache::ReportCache,
    sign_ins::SignIns,
    stored_sessions::Sessions,
    waiting_calls::WaitingCalls,
};

/// A sidecar without its sockets. Clones share everything; a request runs to its end on the build it began with.
#[derive(Clone, Debug)]
pub struct Gateway(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    access: Access,
    at_start: AtStart,
    built: ArcSwap<Built>,
    drain: Drain,
    reloads: Reloads,
    sessions: Sessions,
    waiting_calls: WaitingCalls,
    recent_calls: RecentCalls,
    reported: ReportCache,
    sign_ins: SignIns,
    /// True if pages for a browser are served.
    has_pages: AtomicBool,
    answers: Arc<Records>,
    #[cfg(feature = "agents")]
    transcripts: callgate_agent::Transcripts,
    /// The number of replaced builds; changes wake those who wait.
    replaced: watch::Sender<u64>,
    /// The name of the file of the configuration, if it is one.
    #[cfg(feature = "agents")]
    configuration: OnceLock<String>,
    listeners: FairQueue,
    listings: FairQueue,
}

impl Gateway {
    /// A sidecar that serves this build.
    pub fn new(built: Built) -> Self {
        Self::with_recent_calls(built, RecentCalls::default())
    }

    /// A sidecar that serves this build, with the calls that the middleware of its executor records.
    pub(crate) fn with_recent_calls(built: Built, recent_calls: RecentCalls) -> Self {
        let at_start = AtStart::from_build(&built);
        let sessions = Sessions::new(&built.sessions, built.state_store());
        let answers = match built.state_store() {
            Some(state) => Records::over(Arc::clone(state), built.idempotency.ttl),
            None => Records::new(built.idempotency),
        };
        let waiting_calls = WaitingCalls::new(built.state_store());
        #[cfg(feature = "agents")]
        let transcripts = crate::transcripts::transcripts(built.state_store());
        let (built, drain) = (ArcSwap::from_pointee(built), Drain::default());
        let (reloads, replaced) = (Reloads::default(), watch::Sender::default());
        let listeners = FairQueue::new(LISTENERS);
        let shared = Shared {
            access: Access::default(),
            at_start,
            built,
            drain,
            reloads,
            sessions,
            waiting_calls,
            recent_calls,
            reported: ReportCache::default(),
            sign_ins: SignIns::default(),
            has_pages: AtomicBool::new(true),
            answers,
            #[cfg(feature = "agents")]
            transcripts,
            replaced,
            #[cfg(feature = "agents")]
            configuration: OnceLock::new(),
            listeners,
            listings: FairQueue::new(LISTINGS),
        };
        Self(Arc::new(shared))
    }

    /// Names the file of the configuration.
    #[cfg(feature = "agents")]
    pub(crate) fn name_configuration(&self, name: Option<String>) {
        if let Some(name) = name {
            // It is named once, at the start.
            self.0.configuration.set(name).ok();
        }
    }

    /// The name of the configuration's file; the usual one where it is no file.
    #[cfg(feature = "agents")]
    pub(crate) fn configuration_name(&self) -> &str {
        self.0.configuration.get().map_or("callgate.yaml", String::as_str)
    }

    /// The tools served now.
    pub fn current_build(&self) -> Arc<Built> {
        self.0.built.load_full()
    }

    /// Serves another build from now on; requests that have begun keep theirs. Sessions stay. A build that is searched, or whose
    /// predecessor was, has its index before it is served.
    pub fn replace(&self, built: Arc<Built>) {
        if self.current_build().executor.has_search_index() || has_tool_search(&built) {
            built.executor.make_search_index();
        }
        self.0.answers.set_bounds(built.idempotency);
        self.update_call_recording(&built);
        self.0.built.store(built);
        self.0.replaced.send_modify(|times| *times = times.wrapping_add(1));
    }

    /// Serves pages for a browser or not, and records the last calls if somebody may read them. If somebody may search the tools,
    /// a thread of the runtime makes the index beside the start.
    pub(crate) fn set_pages_served(&self, is_on: bool) {
        self.0.has_pages.store(is_on, Ordering::Relaxed);
        let built = self.current_build();
        self.update_call_recording(&built);
        task::spawn_blocking(move || {
            if is_on || has_tool_search(&built) {
                built.executor.make_search_index();
            }
        });
    }

    pub(crate) fn has_pages(&self) -> bool {
        self.0.has_pages.load(Ordering::Relaxed)
    }

    fn update_call_recording(&self, built: &Built) {
        let has_admin = !built.serving.admin.is_empty()
            || built.access.as_ref().is_some_and(BuiltAccess::has_admin);
        let is_on = self.has_pages() || has_admin;
        self.0.recent_calls.set_recording(is_on, built.serving.call_values);
    }

    /// A permit to listen for changes; `None` if too many listen.
    pub(crate) fn change_listener_permit(
        &self,
        principal: Option<&Principal>,
    ) -> Option<QueuePermit> {
        self.0.listeners.try_enter(principal.map_or("", Principal::id), 1)
    }

    /// The number of replaced builds, which changes with each.
    pub(crate) fn replacement_counter(&self) -> watch::Receiver<u64> {
        self.0.replaced.subscribe()
    }

    /// Yields each time another build is served, until the sidecar stops or a build does not serve the caller; `None` if too many
    /// listen.
    pub(crate) fn replacement_stream(&self, caller: Caller) -> Option<BoxStream<'static, ()>> {
        let permit = self.change_listener_permit(caller.principal.as_ref())?;
        let from = (self.replacement_counter(), self.clone(), caller, permit);
        let replacements =
            stream::unfold(from, |(mut replaced, gateway, caller, permit)| async move {
                let is_replaced = tokio::select! {
                    biased;
                    () = gateway.drain().wait_until_draining() => false,
                    changed = replaced.changed() => changed.is_ok(),
                };
                let is_told =
                    is_replaced && access::is_still_served(&gateway.current_build(), &caller);
                is_told.then_some(((), (replaced, gateway, caller, permit)))
            });
        Some(replacements.boxed())
    }

    /// The permit for a listing, which takes more of a sidecar than its request shows. One principal makes one at a time.
    pub(crate) async fn listing_permit(&self, caller: &Caller) -> Result<QueuePermit, Problem> {
        let principal = caller.principal.as_ref().map_or("", Principal::id);
        self.0.listings.enter(principal, 1).await.ok_or_else(problem::overloaded_problem)
    }

    pub(crate) fn access(&self) -> &Access {
        &self.0.access
    }

    pub(crate) fn recent_calls(&self) -> &RecentCalls {
        &self.0.recent_calls
    }

    pub(crate) fn report_cache(&self) -> &ReportCache {
        &self.0.reported
    }

    pub(crate) fn sign_ins(&self) -> &SignIns {
        &self.0.sign_ins
    }

    pub(crate) fn at_start(&self) -> &AtStart {
        &self.0.at_start
    }

    pub(crate) fn drain(&self) -> &Drain {
        &self.0.drain
    }

    pub(crate) fn reloads(&self) -> &Reloads {
        &self.0.reloads
    }

    pub(crate) fn sessions(&self) -> &Sessions {
        &self.0.sessions
    }

    pub(crate) fn waiting_calls(&self) -> &WaitingCalls {
        &self.0.waiting_calls
    }

    /// The responses to requests with an idempotency key.
    #[cfg(feature = "agents")]
    pub(crate) fn transcripts(&self) -> &callgate_agent::Transcripts {
        &self.0.transcripts
    }

    pub(crate) fn idempotent_answers(&self) -> &Arc<Records> {
        &self.0.answers
    }
}

/// True if models search the tools of a build.
fn has_tool_search(built: &Built) -> bool {
    let mut agents = built.agents.iter();
    built.mcp.needs_short_tool_list(&built.executor, |_| true)
        || agents.any(|agent| agent.config.tools.is_search_used_in(&built.executor))
}

/// The clients that listen for changes of the tools, or for calls.
const LISTENERS: QueueBounds = QueueBounds { units: 1024, each: 512, waiting: 0 };
/// The listings that are made at once: a few, so that calls go on beside them.
const LISTINGS: QueueBounds = QueueBounds { units: 4, each: 1, waiting: 1024 };
