//! The party that sent a request, as far as that was verified, and what they may see. `access` puts one on each request.

use std::{collections::BTreeSet, convert::Infallible, sync::Arc};

use axum::extract::FromRequestParts;
use callgate_config::Scopes;
use callgate_tool::{CallerToken, Principal};
use http::request::Parts;

/// The sender of a request.
#[derive(Clone, Debug, Default)]
pub(crate) struct Caller {
    /// None where everybody is served.
    pub(crate) principal: Option<Principal>,
    /// The token of an issuer that they showed.
    pub(crate) token: Option<CallerToken>,
    /// The toolsets they may use; none for all.
    pub(crate) toolsets: Option<Arc<BTreeSet<String>>>,
    /// Toolsets that are theirs with other scopes in their token, and those scopes.
    pub(crate) lacks: Scopes,
    /// Toolsets whose tools they may list, though nobody said who they are; none for whoever is known.
    pub(crate) lists: Option<Arc<BTreeSet<String>>>,
    /// True if they may use `/v1/admin/*`.
    pub(crate) is_admin: bool,
    /// True if they may see why the sidecar is not ready: on `admin:`, on this machine, or with a token.
    pub(crate) sees_details: bool,
}

impl Caller {
    /// Somebody unknown, who may list the tools of these toolsets and call none.
    pub(crate) fn listing(toolsets: Arc<BTreeSet<String>>) -> Self {
        Self { toolsets: Some(Arc::default()), lists: Some(toolsets), ..Self::default() }
    }

    /// Returns true if they may use the tools of a toolset.
    pub(crate) fn may_use(&self, toolset: &str) -> bool {
        self.toolsets.as_ref().is_none_or(|toolsets| toolsets.contains(toolset))
    }

    /// True where they may list the tools of a toolset.
    pub(crate) fn may_list(&self, toolset: &str) -> bool {
        let is_listed = self.lists.as_ref().is_some_and(|listed| listed.contains(toolset));
        is_listed || self.may_use(toolset)
    }
}

impl<S: Sync> FromRequestParts<S> for Caller {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(parts.extensions.get().cloned().unwrap_or_default())
    }
}
