//! The settings of a connection and of its tools, as values. `keys` reads them from a text; nothing here sends a request.

use callgate_auth::CredentialSource;
use callgate_executor::CallSettings;
use callgate_kind::{ArgumentForm, Operation};
use callgate_tool::{Effect, StatementInput, ToolName, ToolsetName};

use crate::connection_name::ConnectionName;

/// The service of connections.
pub const SERVICE: &str = "https://connectors.googleapis.com";

/// One connection with its tools.
#[derive(Clone, Debug)]
pub struct ConnectionSettings {
    /// The JSON pointer of the toolset in the configuration, for findings.
    pub pointer: String,
    /// The name of the toolset; empty for none.
    pub toolset: String,
    /// The text before the tools' names; `None` for none.
    pub prefix: Option<ToolsetName>,
    /// The connection.
    pub connection: ConnectionName,
    /// The service that is called: [`SERVICE`], or one that the operator names.
    pub server: String,
    /// The tools; `None` for the connection's own tools that say that they only read.
    pub actions: Option<Vec<ActionSettings>>,
    /// The end user, in whose name the connection acts.
    pub user: Option<UserSettings>,
    /// The settings of calls.
    pub call: CallSettings,
    /// The most rows of a result.
    pub rows: u32,
}

/// One tool of a connection.
#[derive(Clone, Debug, PartialEq)]
pub struct ActionSettings {
    /// The JSON pointer in the configuration, for findings.
    pub pointer: String,
    /// The whole name of the tool; `None` for one made of the toolset's prefix, the entity and the operation.
    pub name: Option<ToolName>,
    /// The purpose in words; empty for the service's own.
    pub description: String,
    /// The action of the tool.
    pub kind: ActionKind,
    /// The fields or parameters that a model gives; `None` for all.
    pub input_fields: Option<Vec<String>>,
    /// The fields of results; `None` for all.
    pub output_fields: Option<Vec<String>>,
    /// The names of the arguments and of the parts of a result.
    pub form: ArgumentForm,
}

/// The action of a connection's tool.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "adding a variant must break exhaustive matches")]
pub enum ActionKind {
    /// Runs an action.
    Action {
        /// The action's id.
        action: String,
        /// The effect of a call, in the operator's judgement.
        effect: Effect,
    },
    /// Reads or changes entities.
    Entity {
        /// The entity type.
        entity: String,
        /// The operation.
        operation: Operation,
        /// True if update and delete also take conditions.
        many: bool,
    },
    /// Runs a statement of the operator, with named values: `:since`.
    Query {
        /// The name in the tool's name.
        name: String,
        /// The statement.
        sql: String,
        /// The values by their names.
        inputs: Vec<(String, StatementInput)>,
        /// The effect of a call, in the operator's judgement.
        effect: Effect,
    },
    /// Runs a tool of the connection.
    Tool {
        /// The tool's name there.
        tool: String,
    },
}

/// The end user, in whose name a connection acts.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct UserSettings {
    /// The access token of the user, from an OAuth 2.0 authorization code.
    pub oauth2_auth_code: CredentialSource,
    /// The header among `executionConfig.headers` that holds it. The published documents name none.
    pub header: String,
}

impl UserSettings {
    /// The header, unless the operator names one. A connection that does not know it refuses the call: those that would fall
    /// back on the administrator's rights are refused at load.
    pub const HEADER: &'static str = "x-integration-connectors-dynamic-auth-config";
}

impl ActionKind {
    /// The effect of a call, as the configuration has it.
    pub(crate) fn effect(&self) -> Effect {
        match self {
            Self::Action { effect, .. } | Self::Query { effect, .. } => *effect,
            Self::Entity { operation, .. } => operation.effect(),
            // What a tool of the connection does is known when the connection is loaded.
            Self::Tool { .. } => Effect::Write,
        }
    }
}
