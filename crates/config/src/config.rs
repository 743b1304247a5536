//! The configuration as values: the content of a file, or the values that a program sets without one. `text` reads a
//! text into it, `build` builds an executor from it.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
};

use callgate_policy::{AuditedConfig, LimitsConfig, RecordBounds, WebhookConfig};
use callgate_settings::Reader;

use crate::{
    agents::{AgentConfig, ModelConfig},
    mcp::McpConfig,
    model::MakeTextModel,
    observe::{LogConfig, ReloadConfig, TelemetryConfig},
    secrets::SecretsConfig,
    serving::ServingConfig,
    sessions::SessionsConfig,
    state::StateConfig,
    tls::TlsConfig,
    toolset::ToolsetConfig,
    unused_option::UnusedOption,
};

/// Toolsets, and the settings for all of them.
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
    /// The agents by their names.
    #[doc(hidden)]
    pub agents: BTreeMap<String, AgentConfig>,
    /// The models of agents by their names.
    #[doc(hidden)]
    pub models: BTreeMap<String, ModelConfig>,
    /// The audit file of calls; `None` for no audit.
    #[doc(hidden)]
    pub audit: Option<AuditedConfig>,
    /// The limits on all calls; `None` for no limits.
    #[doc(hidden)]
    pub calls: Option<LimitsConfig>,
    /// The limits on kept results of calls with an idempotency key; the default limits if `None`.
    pub idempotency: Option<RecordBounds>,
    /// The service that a sidecar tells of calls that wait for an approval.
    #[doc(hidden)]
    pub webhook: Option<WebhookConfig>,
    /// The stores of secrets, beside this machine's own.
    #[doc(hidden)]
    pub secrets: SecretsConfig,
    /// The sidecar's listeners, its callers, and its limits.
    #[doc(hidden)]
    pub serving: ServingConfig,
    /// The sidecar's settings for sessions.
    #[doc(hidden)]
    pub sessions: SessionsConfig,
    /// The file or the server of a sidecar's state; `None` to keep it in memory.
    #[doc(hidden)]
    pub state: Option<StateConfig>,
    /// The listing of tools over MCP.
    #[doc(hidden)]
    pub mcp: McpConfig,
    /// Further meanings of words in the search for tools.
    pub synonyms: BTreeMap<String, Vec<String>>,
    /// The TLS settings of connections, for toolsets without their own.
    pub tls: TlsConfig,
    /// The services to call.
    pub toolsets: Vec<ToolsetConfig>,
    /// The way a sidecar reacts to changes of its files.
    #[doc(hidden)]
    pub reload: ReloadConfig,
    /// The log that a sidecar writes to standard error.
    #[doc(hidden)]
    pub log: LogConfig,
    /// The collector of a sidecar's traces.
    #[doc(hidden)]
    pub telemetry: TelemetryConfig,
    /// The folder that relative paths start at.
    pub base: PathBuf,
    /// The maker of the models that kinds of toolsets reach.
    pub(crate) text_models: Option<MakeTextModel>,
    pub(crate) origin: Origin,
    /// The options that some toolsets have no use for.
    pub(crate) unused_options: Vec<UnusedOption>,
    /// The findings made while the configuration was read.
    pub(crate) reader: Reader,
}

#[derive(Clone, Default)]
pub(crate) struct Origin {
    pub(crate) file: PathBuf,
    pub(crate) text: Arc<[u8]>,
}

// The text may contain literals, which are never shown.
callgate_secret::opaque!(Origin { file });

impl Config {
    /// A configuration without toolsets; relative paths start at the working directory of the process.
    pub fn new() -> Self {
        Self::default()
    }

    /// The models of this configuration with one agent, which has no tools: no toolset is opened.
    #[doc(hidden)]
    #[must_use]
    pub fn with_only_agent(self, name: &str, model: &str, instructions: &str) -> Self {
        let (model, instructions) = (model.to_owned(), instructions.to_owned());
        let agent = AgentConfig { instructions, model, ..AgentConfig::default() };
        let Self { models, secrets, tls, base, origin, reader, .. } = self;
        let agents = BTreeMap::from([(name.to_owned(), agent)]);
        Self { agents, models, secrets, tls, base, origin, reader, ..Self::default() }
    }

    /// Adds a toolset.
    #[must_use]
    pub fn with_toolset(mut self, toolset: ToolsetConfig) -> Self {
        self.toolsets.push(toolset);
        self
    }

    /// Sets the folder that relative paths start at.
    #[must_use]
    pub fn with_base(mut self, base: impl Into<PathBuf>) -> Self {
        self.base = base.into();
        self
    }

    /// Sets the file that findings name.
    #[must_use]
    pub fn with_file(mut self, file: &Path) -> Self {
        file.clone_into(&mut self.origin.file);
        self
    }
}
