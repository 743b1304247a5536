//! The configuration after checking: every value is of its type. Files it names are not read yet.

use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

use callgate_auth::AuthConfig;
use callgate_call::Shape;
use callgate_openapi::{Limits as DescriptionLimits, Selection, SessionInputs};
use callgate_tool::ToolsetName;
use callgate_transport::{Limits, Transport};

/// One toolset.
#[derive(Debug)]
pub(crate) struct ToolsetConfig {
    /// Its name; a bare description has none.
    pub(crate) name: Option<ToolsetName>,
    /// The JSON pointer of its mapping.
    pub(crate) pointer: String,
    /// The description's file.
    pub(crate) openapi: PathBuf,
    /// The overlays that correct it, in their order.
    pub(crate) overlays: Vec<PathBuf>,
    /// What stands before the operation's name in a tool's name; none for nothing.
    pub(crate) prefix: Option<ToolsetName>,
    /// The server that overrides the description's.
    pub(crate) server: Option<String>,
    /// Values of the server's variables.
    pub(crate) server_variables: BTreeMap<String, String>,
    /// The one credential of every operation.
    pub(crate) auth: AuthConfig,
    /// Whether a model may fill what the session should.
    pub(crate) session_inputs: SessionInputs,
    /// What the description may cost.
    pub(crate) description_limits: DescriptionLimits,
    /// The origins that the description may refer to documents on: `https://specs.example.com`.
    pub(crate) references: Vec<String>,
    /// Which operations are offered.
    pub(crate) selection: Selection,
    /// The bounds of one exchange.
    pub(crate) limits: Limits,
    /// How results are shown.
    pub(crate) shape: Shape,
    /// Where answers come from.
    pub(crate) upstream: Upstream,
}

/// Where answers come from.
#[derive(Clone, Debug)]
pub(crate) enum Upstream {
    /// A transport the caller brought.
    Given(Arc<dyn Transport>),
    /// The service itself.
    Http,
    /// Recorded responses: a directory of cases.
    Replay(PathBuf),
}
