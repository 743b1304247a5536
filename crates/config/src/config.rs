//! The configuration as values: what a file says, and what a program may say without one. Reading a text into it is in
//! `text`, building an executor from it in `build`.

use std::{
    collections::BTreeMap,
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
};

use callgate_policy::RecordBounds;

use crate::{
    mcp::McpConfig,
    observe::{LogConfig, ReloadConfig, TelemetryConfig},
    policy::{AuditedConfig, CallsConfig},
    reader::Reader,
    secrets::SecretsConfig,
    serving::ServingConfig,
    sessions::SessionsConfig,
    tls::TlsConfig,
    toolset::ToolsetConfig,
};

/// Toolsets, and what is there for all of them.
///
/// ```
/// # use callgate_config::{Config, Description, Environment, Error, ToolsetConfig};
/// # async fn example() -> Result<(), Error> {
/// let pets = ToolsetConfig::new(Description::file("pets.yaml"));
/// let built = Config::new().with_toolset(pets).build(&Environment::new(), None).await?;
/// # drop(built);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Config {
    /// The file that calls are written down in; none without.
    pub audit: Option<AuditedConfig>,
    /// The bounds of all calls; none without.
    pub calls: Option<CallsConfig>,
    /// The way the results of calls with an idempotency key are kept; without, keys mean nothing, unless calls may wait for an
    /// approval: then the usual bounds hold.
    pub idempotency: Option<RecordBounds>,
    /// The place where secrets are kept, beside this machine's own stores.
    pub secrets: SecretsConfig,
    /// The sidecar's listeners, its callers, and its bounds.
    #[doc(hidden)]
    pub serving: ServingConfig,
    /// The sidecar's settings for sessions.
    #[doc(hidden)]
    pub sessions: SessionsConfig,
    /// The listing of tools over MCP.
    #[doc(hidden)]
    pub mcp: McpConfig,
    /// What else words may mean where tools are searched.
    pub synonyms: BTreeMap<String, Vec<String>>,
    /// The TLS settings of the connections of toolsets that do not say it themselves.
    pub tls: TlsConfig,
    /// The services that are called.
    pub toolsets: Vec<ToolsetConfig>,
    /// The way a sidecar keeps up with its files.
    #[doc(hidden)]
    pub reload: ReloadConfig,
    /// The log that a sidecar writes to standard error.
    #[doc(hidden)]
    pub log: LogConfig,
    /// The place where a sidecar sends its traces.
    #[doc(hidden)]
    pub telemetry: TelemetryConfig,
    /// The place where relative paths start.
    pub base: PathBuf,
    /// The text it was read from.
    pub(crate) origin: Origin,
    /// The findings made while it was read.
    pub(crate) reader: Reader,
}

/// The text a configuration was read from.
#[derive(Clone, Default)]
pub(crate) struct Origin {
    pub(crate) file: PathBuf,
    pub(crate) text: Arc<[u8]>,
}

/// The text may hold literals, which are shown nowhere.
impl fmt::Debug for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Origin").field("file", &self.file).finish_non_exhaustive()
    }
}

impl Config {
    /// A configuration without toolsets; relative paths start where the process runs.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a toolset.
    #[must_use]
    pub fn with_toolset(mut self, toolset: ToolsetConfig) -> Self {
        self.toolsets.push(toolset);
        self
    }

    /// Starts relative paths at a folder.
    #[must_use]
    pub fn with_base(mut self, base: impl Into<PathBuf>) -> Self {
        self.base = base.into();
        self
    }

    /// The same, said to stand in this file: what findings call it.
    #[must_use]
    pub fn with_file(mut self, file: &Path) -> Self {
        file.clone_into(&mut self.origin.file);
        self
    }
}
