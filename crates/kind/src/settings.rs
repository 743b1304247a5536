//! The settings of one toolset of a kind, and what opening it needs from outside.

use std::{
    any::Any,
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use async_trait::async_trait;
use callgate_auth::Authenticator;
use callgate_executor::SessionValues;
use callgate_settings::{LoadEffects, Mapping, Reader};
use callgate_tool::{Fault, SessionSource};
use callgate_transport::Transport;

use crate::{
    named_tool::{CommonSettings, NamedTool},
    opened_toolset::{Kept, Opened, Siblings},
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
    fn unavailable(&self) -> Box<Fault>;

    /// The name of a toolset that is opened before this one.
    fn needs(&self) -> Option<&str> {
        None
    }

    /// The service that calls send requests to, if there is one.
    fn calls(&self) -> ServiceCalls {
        ServiceCalls::None
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

/// The common limits that an operator has set: unset ones are smaller for some kinds.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "a configuration decides about each of these")]
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

/// What opening a toolset needs from outside.
#[derive(Debug)]
#[expect(clippy::exhaustive_structs, reason = "a configuration decides about each of these")]
pub struct Surroundings<'a> {
    /// The folder that relative paths start at.
    pub base: &'a Path,
    /// The effects that opening may have.
    pub effects: LoadEffects,
    /// The program that extracts text from files.
    pub extractor: Option<&'a PathBuf>,
    /// The transport of calls; `None` for no service, or after a reported fault.
    pub transport: Option<Arc<dyn Transport>>,
    /// The credential of all calls; `None` for no service, or after a reported fault.
    pub authenticator: Option<Arc<dyn Authenticator>>,
    /// The session values that credentials of any toolset read.
    pub session_values: SessionValues,
    /// The toolsets that were opened before.
    pub siblings: Siblings<'a>,
    /// What the toolset of this name kept in the last build.
    pub earlier: Option<&'a Kept>,
}
