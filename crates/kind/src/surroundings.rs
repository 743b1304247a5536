//! The surroundings of a toolset that is opened: all that it needs from outside.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use callgate_auth::Authenticator;
use callgate_executor::SessionValues;
use callgate_secret::SecretStore;
use callgate_session::Store;
use callgate_settings::LoadEffects;
use callgate_transport::{Network, TlsSettings, Transport};

use crate::{kept_value::Kept, opened_toolset::Siblings, text_model::TextModels};

/// The surroundings of one toolset that is opened.
#[derive(Debug)]
pub struct Surroundings<'a> {
    /// The surroundings that all toolsets share.
    pub shared: &'a SharedSurroundings<'a>,
    /// The ways to its source.
    pub ways: &'a Ways,
    /// The toolsets that were opened before.
    pub siblings: Siblings<'a>,
    /// The values that the toolset of this name kept in the last build.
    pub earlier: Option<&'a Kept>,
}

/// The surroundings that all toolsets share.
#[derive(Clone, Debug)]
pub struct SharedSurroundings<'a> {
    /// The file of the configuration.
    pub origin: &'a Path,
    /// The folder that relative paths start at.
    pub base: &'a Path,
    /// The effects that opening may have.
    pub effects: LoadEffects,
    /// The effect of a source that cannot be reached.
    pub missing: Missing,
    /// The program that extracts text from files.
    pub extractor: Option<&'a PathBuf>,
    /// The session values that credentials of any toolset read.
    pub session_values: SessionValues,
    /// The way to servers: it resolves and checks their addresses.
    pub network: Network,
    /// The models of the configuration.
    pub models: TextModels,
    /// The stores of secrets.
    pub secrets: Arc<dyn SecretStore>,
    /// The store of what outlives a call; its keys seal the tokens of pages.
    pub state: Option<Arc<dyn Store>>,
}

/// The effect of a source or a description that cannot be read.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "adding a variant must break exhaustive matches")]
pub enum Missing {
    /// The whole configuration fails.
    #[default]
    Fault,
    /// Only the toolset fails: it has no tools, or its calls fail and give the reason.
    Listed,
}

/// The ways of one toolset to its source.
#[derive(Clone, Debug)]
pub struct Ways {
    /// The transport of calls; `None` for no service, or after a reported fault.
    pub transport: Option<Arc<dyn Transport>>,
    /// The credential of all calls; `None` for no service, or after a reported fault.
    pub authenticator: Option<Arc<dyn Authenticator>>,
    /// The further credentials, without those that have a reported fault.
    pub credentials: Vec<Arc<dyn Authenticator>>,
    /// The certificates that secure its connections.
    pub tls: TlsSettings,
}
