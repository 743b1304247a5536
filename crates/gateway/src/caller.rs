//! The caller of a request, as far as verified, and the tools they may see. `access` attaches one to each request.

use std::{collections::BTreeSet, convert::Infallible, sync::Arc};

use axum::extract::FromRequestParts;
use callgate_config::{Approves, Scopes, ServingConfig};
use callgate_secret::Secret;
use callgate_tool::{CallerToken, Principal};
use callgate_transport::SubjectName;
use http::request::Parts;

#[derive(Clone, Debug, Default)]
pub(crate) struct Caller {
    /// `None` if everybody is served.
    pub(crate) principal: Option<Principal>,
    pub(crate) token: Option<CallerToken>,
    pub(crate) credential: Credential,
    /// The toolsets that the caller may use; `None` for all.
    pub(crate) toolsets: Option<Arc<BTreeSet<String>>>,
    /// The agents that they may use; all if `None`.
    pub(crate) agents: Option<Arc<BTreeSet<String>>>,
    /// Toolsets that the caller's token lacks scopes for, and those scopes.
    pub(crate) lacks: Scopes,
    /// Toolsets whose tools an unidentified caller may list; `None` for an identified one.
    pub(crate) lists: Option<Arc<BTreeSet<String>>>,
    /// True if the caller may use `/v1/admin/*`.
    pub(crate) is_admin: bool,
    /// The calls of others that the caller may approve or reject.
    pub(crate) approves: Arc<Approves>,
    /// The sign-in of a browser by which the caller was identified.
    pub(crate) sign_in: Option<[u8; 32]>,
    /// True if a browser has to sign in before it sees a page.
    pub(crate) is_signed_out: bool,
    pub(crate) details: Details,
}

/// The details of the sidecar that a caller may see, such as why it is not ready.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) enum Details {
    /// None: nobody signs in, and the caller is on another machine.
    Hidden,
    /// All: on `admin:`, on this machine, or with a token.
    Shown,
    /// Those that everybody sees: a program serves the sidecar, and decides whom.
    #[default]
    Usual,
}

/// What a caller showed, as far as a later configuration may no longer accept it. The claims of a token of an issuer are with its
/// principal.
#[derive(Clone, Debug, Default)]
pub(crate) enum Credential {
    /// The names of a certificate.
    Certificate(Arc<[SubjectName]>),
    /// A token of an issuer, or none.
    #[default]
    Other,
    Token(Secret),
}

impl Caller {
    /// An unidentified caller who may list the tools of these toolsets and call none.
    pub(crate) fn listing_only(toolsets: Arc<BTreeSet<String>>) -> Self {
        let (own, agents) = (Some(Arc::default()), Some(Arc::default()));
        Self { toolsets: own, agents, lists: Some(toolsets), ..Self::default() }
    }

    /// An unidentified caller who may do nothing.
    pub(crate) fn signed_out() -> Self {
        Self { is_signed_out: true, ..Self::listing_only(Arc::default()) }
    }

    /// The reason why the caller may have no turns recorded: they show what the model and the services are asked, and a replay asks the
    /// model with all tools of the agent. Without `access`, those of this machine may, as with the console.
    pub(crate) fn recording_refusal(&self, serving: &ServingConfig) -> Option<&'static str> {
        let is_open = serving.access.is_none() && serving.console != Some(false);
        if !self.is_admin && (!is_open || self.details == Details::Hidden) {
            Some("`record`: expected a principal with `admin: true`")
        } else if self.toolsets.is_some() {
            Some(
                "`record`: expected a principal without `toolsets`: a replay offers the model all tools of the agent",
            )
        } else {
            None
        }
    }

    pub(crate) fn may_use(&self, toolset: &str) -> bool {
        self.toolsets.as_ref().is_none_or(|toolsets| toolsets.contains(toolset))
    }

    #[cfg(feature = "agents")]
    pub(crate) fn may_use_agent(&self, agent: &str) -> bool {
        self.agents.as_ref().is_none_or(|agents| agents.contains(agent))
    }

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_recorded_for_admins_and_without_access_for_this_machine_alone() {
        for (details, is_admin, console, is_refused) in [
            (Details::Usual, false, None, false),
            (Details::Shown, false, None, false),
            (Details::Shown, false, Some(false), true),
            (Details::Hidden, false, None, true),
            (Details::Hidden, true, Some(false), false),
        ] {
            let caller = Caller { is_admin, details, ..Caller::default() };
            let mut serving = ServingConfig::default();
            serving.console = console;
            let refusal = caller.recording_refusal(&serving);
            assert_eq!(refusal.is_some(), is_refused, "{details:?} {console:?}");
        }
        let caller = Caller { is_admin: true, ..Caller::listing_only(Arc::default()) };
        assert!(caller.recording_refusal(&ServingConfig::default()).is_some());
    }
}
