//! The configuration after checking: every value is of its type. Files it names are not read yet.

use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

use callgate_auth::AuthConfig;
use callgate_call::Shape;
use callgate_executor::Redirects;
use callgate_openapi::{ArgumentHeader, Limits as DescriptionLimits, Selection, SessionInputs};
use callgate_secret::SecretReference;
use callgate_tool::{SessionName, ToolsetName};
use callgate_transport::{AddressRange, Limits, Transport};

use crate::{service_directory::DirectoryConfig, tls::TlsConfig};

/// One toolset.
#[derive(Debug)]
pub(crate) struct ToolsetConfig {
    /// Its name; a bare description has none.
    pub(crate) name: Option<ToolsetName>,
    /// The JSON pointer of its mapping.
    pub(crate) pointer: String,
    /// The description's file.
    pub(crate) openapi: PathBuf,
    /// The description's text, where that file holds more than it.
    pub(crate) text: Option<String>,
    /// The overlays that correct it, in their order.
    pub(crate) overlays: Vec<PathBuf>,
    /// What stands before the operation's name in a tool's name; none for nothing.
    pub(crate) prefix: Option<ToolsetName>,
    /// The server that overrides the description's.
    pub(crate) server: Option<String>,
    /// Values of the server's variables.
    pub(crate) server_variables: BTreeMap<String, String>,
    /// What credentials there are.
    pub(crate) credentials: Credentials,
    /// Whether a model may fill what the session should.
    pub(crate) session_inputs: SessionInputs,
    /// The session values that inputs may take although credentials of other toolsets read them.
    pub(crate) session_parameters: Vec<AllowedValue>,
    /// The media types of request bodies that are preferred to others, the best first.
    pub(crate) body_media: Vec<String>,
    /// What the description may cost.
    pub(crate) description_limits: DescriptionLimits,
    /// The origins that the description may refer to documents on: `https://specs.example.com`.
    pub(crate) references: Vec<String>,
    /// What secures its connections.
    pub(crate) tls: TlsConfig,
    /// The addresses that may be called whoever named them.
    pub(crate) egress: Vec<AddressRange>,
    /// The service whose private endpoints are dialled.
    pub(crate) service_directory: Option<DirectoryConfig>,
    /// The withheld headers that arguments may set all the same.
    pub(crate) argument_headers: Vec<ListedHeader>,
    /// Which operations are offered.
    pub(crate) selection: Selection,
    /// The bounds of one exchange.
    pub(crate) limits: Limits,
    /// Whether redirects are followed.
    pub(crate) redirects: Redirects,
    /// How results are shown.
    pub(crate) shape: Shape,
    /// How results of single tools are shown.
    pub(crate) tool_shapes: Vec<ToolShape>,
    /// Where answers come from.
    pub(crate) upstream: Upstream,
}

/// The credentials of a toolset.
#[derive(Clone, Debug)]
pub(crate) struct Credentials {
    /// The one of every operation; beside those of schemes, of the operations that do not say what they ask for.
    pub(crate) auth: Option<AuthConfig>,
    /// Whether every operation has a credential that could not be taken over from an export.
    pub(crate) lacks_own: bool,
    /// Those of security schemes, by their names.
    pub(crate) schemes: Option<BTreeMap<String, SchemeCredential>>,
    /// The origins they may go to beside the server's: `https://uploads.example.com`.
    pub(crate) origins: Vec<String>,
}

/// The credential of one security scheme.
#[derive(Clone, Debug)]
pub(crate) struct SchemeCredential {
    /// The JSON pointer of its mapping.
    pub(crate) pointer: String,
    /// The key of its kind: `api_key`.
    pub(crate) kind: &'static str,
    /// What it is.
    pub(crate) choice: SchemeChoice,
}

/// A credential whose scheme is not known yet.
#[derive(Clone, Debug)]
pub(crate) enum SchemeChoice {
    /// An API key; the scheme says where it goes.
    ApiKey(SecretReference),
    /// Any other kind.
    Other(Box<AuthConfig>),
}

/// A session value that the operator gives to the inputs of a toolset although a credential of another one reads it.
#[derive(Clone, Debug)]
pub(crate) struct AllowedValue {
    /// The JSON pointer of its name.
    pub(crate) pointer: String,
    /// Which one it is.
    pub(crate) name: SessionName,
}

/// A header that arguments may set although it is withheld.
#[derive(Clone, Debug)]
pub(crate) struct ListedHeader {
    /// The JSON pointer of its name.
    pub(crate) pointer: String,
    /// The tool or the `operationId` it is listed for; none for all.
    pub(crate) tool: Option<String>,
    /// Which one it is.
    pub(crate) header: ArgumentHeader,
}

/// How the results of one tool are shown.
#[derive(Clone, Debug)]
pub(crate) struct ToolShape {
    /// The tool's name or its `operationId`.
    pub(crate) tool: String,
    /// The JSON pointer of its mapping.
    pub(crate) pointer: String,
    /// How they are shown.
    pub(crate) shape: Shape,
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
