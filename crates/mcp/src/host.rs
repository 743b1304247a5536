//! The server's source of tools, callers and sessions: the current executor, the caller of a request and the session of a
//! call. A sidecar has one implementation, and the command on standard input and output another.

use std::{collections::BTreeSet, sync::Arc};

use async_trait::async_trait;
use bytes::Bytes;
use callgate_config::McpConfig;
use callgate_executor::{Call, CallRights, Executor};
use callgate_policy::IdempotencyKey;
use callgate_session::Store;
use callgate_tool::{Pending, Principal, Session, ToolCall, Value};
use futures_util::stream::BoxStream;
use http::{Response, request::Parts};

/// The tools that are served over MCP.
#[async_trait]
pub trait Host: Send + Sync + 'static {
    /// The current executor. A call runs to its end on the tools that it began with.
    fn executor(&self) -> Executor;

    /// The listing of the tools; all of them by default.
    fn listing_settings(&self) -> McpConfig {
        McpConfig::default()
    }

    /// The caller of a request; `head` is `None` if requests are not HTTP.
    fn caller(&self, head: Option<&Parts>) -> Caller;

    /// The session of a call whose request gives `inline`: `callgate/session` in its `_meta`, or `null` without one.
    ///
    /// # Errors
    /// Returns a [`SessionError`] with the sentence for the client.
    async fn session(
        &self,
        head: Option<&Parts>,
        caller: &Caller,
        inline: Value,
    ) -> Result<Session, SessionError>;

    /// The HTTP response to a call of a tool that its caller may not call: that another token would be allowed to. `None`
    /// answers the call like one of an unknown tool.
    fn denial_response(&self, _head: &Parts, _tool: &str) -> Option<Response<Bytes>> {
        None
    }

    /// The store in which a call that waits for its client outlives the process; the memory of this process by default.
    fn waiting_call_store(&self) -> Option<Arc<dyn Store>> {
        None
    }

    /// True if the tools may change while they are served.
    fn can_tools_change(&self) -> bool {
        false
    }

    /// A stream with an item each time the tools may have changed; it ends when no more changes are reported. `None` if the
    /// maximum number of listeners is reached.
    fn tool_changes(&self) -> Option<BoxStream<'static, ()>> {
        None
    }

    /// Keeps a call that a person has to approve whom the client cannot ask, until somebody decides elsewhere. `inline` is the
    /// session of the request. Returns false if nobody can decide.
    ///
    /// # Errors
    /// Returns a [`SessionError`] if the call cannot be kept now.
    async fn keep_waiting_call(
        &self,
        _head: Option<&Parts>,
        _inline: Value,
        _waiting: WaitingCall<'_>,
    ) -> Result<bool, SessionError> {
        Ok(false)
    }

    /// Adds the host's own values to a call.
    fn call_with_host_values<'a>(&self, call: Call<'a>) -> Call<'a> {
        call
    }
}

/// A call that a person has to approve.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct WaitingCall<'a> {
    /// The call.
    pub call: &'a ToolCall,
    /// The key under which it is made once.
    pub key: Option<&'a IdempotencyKey>,
    /// The approval that it waits for.
    pub pending: &'a Pending,
}

/// The reason why a call cannot run in its session.
#[derive(Clone, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "hosts make one")]
pub enum SessionError {
    /// The request describes the session wrongly.
    Invalid(String),
    /// The session is unavailable now.
    Unavailable(String),
}

/// The caller of a request, and the tools that they see.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Caller {
    /// `None` if everybody is served.
    pub principal: Option<Principal>,
    /// The tools that the caller may use.
    #[doc(hidden)]
    pub rights: CallRights,
    /// The only toolset that the request concerns.
    pub toolset: Option<String>,
    /// The toolsets whose tools the caller sees in lists, beside those they may use.
    pub listed: Option<Arc<BTreeSet<String>>>,
}

impl Caller {
    /// Makes a caller without a name who may use everything.
    pub fn anyone() -> Self {
        Self::default()
    }

    callgate_tool::setters! {
        /// Sets the caller's name.
        pub fn with_principal(principal: Option<Principal>) = principal;
        /// Sets the tools that the caller may use when a call is made.
        #[doc(hidden)]
        pub fn with_rights(rights: CallRights) = rights;
        /// Limits the request to the tools of one toolset.
        pub fn within(toolset: Option<String>) = toolset;
        /// Shows the caller the tools of these toolsets in lists, too.
        pub fn with_listed_toolsets(listed: Option<Arc<BTreeSet<String>>>) = listed;
    }

    /// Lets the caller use only these toolsets; `None` for all.
    #[must_use]
    pub fn with_toolsets(mut self, toolsets: Option<Arc<BTreeSet<String>>>) -> Self {
        self.rights = CallRights::of_toolsets(toolsets);
        self
    }

    /// The rights of the calls of the request.
    pub(crate) fn call_rights(&self) -> CallRights {
        self.rights.clone().with_calls_only_in(self.toolset.as_deref())
    }

    /// True if the caller may use the tools of a toolset.
    pub fn can_use_toolset(&self, toolset: &str) -> bool {
        self.rights.may_use(toolset) && self.toolset.as_ref().is_none_or(|only| only == toolset)
    }

    /// True if the tools of a toolset are listed for the caller.
    pub fn can_list_toolset(&self, toolset: &str) -> bool {
        let is_listed = self.listed.as_ref().is_some_and(|listed| listed.contains(toolset))
            && self.toolset.as_ref().is_none_or(|only| only == toolset);
        is_listed || self.can_use_toolset(toolset)
    }
}
