//! The databases of toolsets: their logins are checked, and their tables and statements become tools. A database that is down
//! keeps its tools, whose calls fail until it answers; it is tried again as a description is.

use std::sync::Arc;

use callgate_executor::Backend;
use callgate_kind::{EditedBackend, Kept};
use callgate_session::Store;
use callgate_settings::LoadEffects;
use callgate_tool::ToolName;
use callgate_transport::{TlsSettings, Transport};

use super::{
    authenticators::MadeAuthenticator,
    connect::Connections,
    context::BuildContext,
    own_tools::{DatabaseTool, common},
};
use crate::{
    code::ConfigCode, connection::ConnectorConfig, database::DatabaseConfig, toolset::ToolsetConfig,
};

#[cfg(feature = "_database")]
mod open;

#[cfg(not(feature = "_database"))]
mod open {
    use std::future::{Ready, ready};

    use super::{Around, Databases};
    use crate::config::Config;
    use callgate_settings::Reader;

    /// The reader has refused the key.
    pub(in crate::build) fn all(
        _: &mut Reader,
        _: &Config,
        around: Around<'_>,
    ) -> Ready<Databases> {
        let Around { build_context: _, connections: _, tls: _, state: _, previous: _, .. } = around;
        let Around { effects: _, .. } = around;
        ready(Databases::default())
    }
}

pub(super) use self::open::all;

/// The database or the connection of a toolset.
///
/// ```
/// use callgate_config::{BuiltDatabase, Config, Environment};
///
/// let functions = "toolsets: {app: {functions: [{name: open, input: {type: object}}]}}";
/// let built = Config::from_text(functions, "")?.build_blocking(&Environment::new(), None)?;
/// let failed = |database: &&BuiltDatabase| database.failure.is_some();
/// assert_eq!(built.databases.iter().filter(failed).count(), 0);
/// # Ok::<(), callgate_config::Error>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct BuiltDatabase {
    /// The key of the toolset with the settings.
    pub kind: DatabaseKind,
    /// The toolset's name.
    pub name: String,
    /// True if the operator requires the toolset: without it a sidecar is not ready.
    pub is_required: bool,
    /// True if the load had leave to ask it.
    pub is_asked: bool,
    /// The reason why it cannot be reached; its tools exist, and their calls fail.
    pub failure: Option<String>,
}

callgate_tool::named! {
    /// The key of a toolset whose tools need a database, or a connection of a service to one.
    #[expect(clippy::exhaustive_enums, reason = "adding a variant must break exhaustive matches")]
    pub enum DatabaseKind {
        /// A connection of Google's Integration Connectors.
        Connection = "connection",
        /// A database.
        Database = "database",
    }
}

impl DatabaseKind {
    /// The code, the message and the remedy of one that cannot be reached.
    pub(super) fn unreachable(self, why: &str) -> (ConfigCode, String, &'static str) {
        match self {
            Self::Connection => (
                ConfigCode::UnreachableConnection,
                format!("expected a connection that the service describes, got none: {why}"),
                "see that the connection exists and that the account of `auth` may use and view it",
            ),
            Self::Database => (
                ConfigCode::UnreachableDatabase,
                format!("expected a database that answers, got none: {why}"),
                "see that the database runs there and takes the login, or correct the address",
            ),
        }
    }
}

/// The databases of a configuration, with their tools.
#[derive(Debug, Default)]
pub(super) struct Databases {
    pub(super) built: Vec<BuiltDatabase>,
    pub(super) tools: Vec<EditedBackend>,
    pub(super) openings: Vec<KnownDatabase>,
    /// What toolsets of a kind keep, by their names.
    pub(super) kept: Vec<(String, Kept)>,
    /// The authenticators of connections and data stores.
    pub(super) authenticators: Vec<MadeAuthenticator>,
    /// The origins of services that calls of data stores need, with the ways there.
    pub(super) services: Vec<(String, Arc<dyn Transport>)>,
}

/// The tools of a database as they were made last, with what they were made from: they stay in use while it does not answer.
#[derive(Clone, Debug)]
pub(super) struct KnownDatabase {
    pub(super) toolset: String,
    config: DatabaseConfig,
    connector: ConnectorConfig,
    /// The full names of the tools.
    names: Vec<ToolName>,
    pub(super) backends: Vec<Arc<dyn Backend>>,
    #[cfg(feature = "_database")]
    connections: Option<callgate_database::Connections>,
}

impl KnownDatabase {
    /// The settings that the tools are made from, without them.
    pub(super) fn new(toolset: &ToolsetConfig, tools: &[DatabaseTool<'_>]) -> Self {
        let common = common(toolset);
        let name = |tool: &DatabaseTool<'_>| tool.named.former_name(&common).ok();
        Self {
            toolset: common.name.clone(),
            config: toolset.database.clone(),
            connector: toolset.connector.clone(),
            names: tools.iter().filter_map(name).collect(),
            backends: Vec::new(),
            #[cfg(feature = "_database")]
            connections: None,
        }
    }

    /// True if both are made from equal settings.
    pub(super) fn is_as(&self, other: &Self) -> bool {
        self.toolset == other.toolset
            && self.config == other.config
            && self.connector == other.connector
            && self.names == other.names
    }
}

/// The surroundings of all databases of a build.
#[derive(Clone, Copy, Debug)]
pub(super) struct Around<'a> {
    pub(super) build_context: &'a BuildContext<'a>,
    pub(super) connections: &'a Connections,
    /// The settings of the connections of each toolset.
    pub(super) tls: &'a [TlsSettings],
    /// The store whose keys seal the tokens of pages.
    pub(super) state: Option<&'a Arc<dyn Store>>,
    /// The databases of the last build.
    pub(super) previous: &'a [KnownDatabase],
    /// What toolsets of a kind left in the last build, by their names.
    pub(super) kept: &'a [(String, Kept)],
    /// The effects that loading them may have.
    pub(super) effects: LoadEffects,
}

/// The reason for which tools of a load without leave to ask are not described.
pub(super) const UNASKED: &str = "it is not asked";
