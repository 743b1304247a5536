//! The settings of one toolset of a kind: what they name, and how its source is opened.

use std::{any::Any, fmt, sync::Arc, time::Duration};

use async_trait::async_trait;
use callgate_auth::AuthConfig;
use callgate_settings::{Mapping, Reader};
use callgate_tool::{Fault, SessionSource};
use callgate_tree::SettingFinding;

use crate::{
    named_tool::{CommonSettings, NamedTool},
    opened_toolset::Opened,
    surroundings::Surroundings,
};

/// The settings of one toolset of a kind.
#[async_trait]
pub trait KindSettings: Any + fmt::Debug + Send + Sync {
    /// The key of the kind.
    fn key(&self) -> &'static str;

    /// These settings, with the limits of the kind that a mapping `limits` has over their own.
    fn with_limits(
        &self,
        reader: &mut Reader,
        limits: Option<Mapping<'_>>,
        given: GivenLimits,
    ) -> Arc<dyn KindSettings>;

    /// The tools that the configuration names, in its order. `pointer` is the place of the toolset.
    fn tools(&self, pointer: &str) -> Vec<NamedTool>;

    /// The fault of a call of a tool whose source cannot be reached.
    fn unavailable_fault(&self) -> Box<Fault>;

    /// The finding about a source that cannot be reached for this reason, with its place below the toolset; `None` for a source
    /// that is always there.
    fn unreachable_finding(&self, why: &str) -> Option<SettingFinding> {
        _ = why;
        None
    }

    /// True if these settings make equal tools: those of the last build stay in use while the source is away.
    fn is_same(&self, other: &dyn KindSettings) -> bool {
        _ = other;
        false
    }

    /// True if its tools make calls, which may wait for a decision whatever the rules of approvals are.
    fn makes_calls(&self) -> bool {
        false
    }

    /// The name of a toolset that is opened before this one.
    fn needed_toolset(&self) -> Option<&str> {
        None
    }

    /// The service that calls send requests to, if there is one.
    fn called_service(&self) -> ServiceCalls {
        ServiceCalls::None
    }

    /// The credentials that calls need beside the one of all calls.
    fn credentials(&self) -> Vec<AuthConfig> {
        Vec::new()
    }

    /// The values of the session that its settings read, each with its place. `pointer` is the place of the toolset.
    fn session_sources(&self, pointer: &str) -> Vec<(String, SessionSource)> {
        _ = pointer;
        Vec::new()
    }

    /// Opens the source and makes the selected tools, which have their names without edits.
    async fn open(
        &self,
        toolset: &CommonSettings<'_>,
        selected: &[NamedTool],
        around: Surroundings<'_>,
    ) -> Opened;
}

/// True if other settings are of the same kind and equal: for [`KindSettings::is_same`].
pub fn are_equal_settings<T: KindSettings + PartialEq>(own: &T, other: &dyn KindSettings) -> bool {
    let other: &dyn Any = other;
    other.downcast_ref().is_some_and(|other: &T| other == own)
}

/// The common limits that an operator has set: unset ones are smaller for some kinds.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct GivenLimits {
    /// The longest text of a result.
    pub result_bytes: Option<usize>,
    /// The time limit of a call.
    pub timeout: Option<Duration>,
}

/// The service that the calls of a toolset send requests to.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "adding a variant must break exhaustive matches")]
pub enum ServiceCalls {
    /// No service.
    None,
    /// A service of Google's; without `auth` as the account of this machine.
    Google,
}
