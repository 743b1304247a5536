//! The side of a server that knows what is served: the executor of the moment, the caller of a request and the session of a
//! call. A sidecar has one, and the command on standard input and output another.

use std::{collections::BTreeSet, sync::Arc};

use async_trait::async_trait;
use bytes::Bytes;
use callgate_config::McpConfig;
use callgate_executor::{Call, Executor};
use callgate_tool::{Principal, Session, Value};
use futures_util::stream::BoxStream;
use http::{Response, request::Parts};

/// The tools that are served over MCP.
#[async_trait]
pub trait Host: Send + Sync + 'static {
    /// The tools of this moment. A call works to its end on those it began with.
    fn executor(&self) -> Executor;

    /// The listing of the tools: all of them unless the host says otherwise.
    fn listing(&self) -> McpConfig {
        McpConfig::default()
    }

    /// The sender of a request; `head` is none where requests are no HTTP.
    fn caller(&self, head: Option<&Parts>) -> Caller;

    /// The session of a call whose request says `inline` of it: `callgate/session` among its `_meta`, `null` where there is
    /// nothing.
    ///
    /// # Errors
    /// A [`SessionError`] with the sentence that the client is told.
    async fn session(
        &self,
        head: Option<&Parts>,
        caller: &Caller,
        inline: Value,
    ) -> Result<Session, SessionError>;

    /// The answer to a call of a tool that the sender of this request may not call, where HTTP has one: that another token would
    /// do. None lets the call be answered as that of an unknown tool.
    fn denied(&self, _head: &Parts, _tool: &str) -> Option<Response<Bytes>> {
        None
    }

    /// True where the tools may change while they are served.
    fn may_change(&self) -> bool {
        false
    }

    /// One item each time that the tools may have changed from now on; ends where nobody is told any more. None where as many
    /// listen as may.
    fn changes(&self) -> Option<BoxStream<'static, ()>> {
        None
    }

    /// The call with whatever the host adds to each.
    fn prepared<'a>(&self, call: Call<'a>) -> Call<'a> {
        call
    }
}

/// A session that a call cannot run in.
#[derive(Clone, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "hosts make one")]
pub enum SessionError {
    /// The request says something wrong of it.
    Invalid(String),
    /// It cannot be had now.
    Unavailable(String),
}

/// The sender of a request, and the tools they see.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Caller {
    /// None where everybody is served.
    pub principal: Option<Principal>,
    /// The toolsets they may use; none for all.
    pub toolsets: Option<Arc<BTreeSet<String>>>,
    /// The only toolset that the request is about.
    pub toolset: Option<String>,
    /// Toolsets whose tools they see in lists, beside those they may use.
    pub listed: Option<Arc<BTreeSet<String>>>,
}

impl Caller {
    /// Everybody, who may use everything.
    pub fn anyone() -> Self {
        Self::default()
    }

    /// The same caller, known by a name.
    #[must_use]
    pub fn with_principal(mut self, principal: Option<Principal>) -> Self {
        self.principal = principal;
        self
    }

    /// The same caller, who may use these toolsets and no others; none for all.
    #[must_use]
    pub fn with_toolsets(mut self, toolsets: Option<Arc<BTreeSet<String>>>) -> Self {
        self.toolsets = toolsets;
        self
    }

    /// The same caller, who asks for the tools of one toolset.
    #[must_use]
    pub fn within(mut self, toolset: Option<String>) -> Self {
        self.toolset = toolset;
        self
    }

    /// The same caller, who sees the tools of these toolsets in lists, too.
    #[must_use]
    pub fn with_listed(mut self, listed: Option<Arc<BTreeSet<String>>>) -> Self {
        self.listed = listed;
        self
    }

    /// True where they may use the tools of a toolset.
    pub fn sees(&self, toolset: &str) -> bool {
        self.toolsets.as_ref().is_none_or(|toolsets| toolsets.contains(toolset))
            && self.toolset.as_ref().is_none_or(|only| only == toolset)
    }

    /// True where the tools of a toolset are listed for them.
    pub fn lists(&self, toolset: &str) -> bool {
        let is_listed = self.listed.as_ref().is_some_and(|listed| listed.contains(toolset))
            && self.toolset.as_ref().is_none_or(|only| only == toolset);
        is_listed || self.sees(toolset)
    }
}
