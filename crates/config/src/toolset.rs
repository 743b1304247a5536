//! One toolset as values: every value has its type. Files it names are not read yet. `toolsets` reads one from a text.

use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

use callgate_auth::AuthConfig;
use callgate_call::Shape;
use callgate_executor::{CallSettings, Execution};
use callgate_kind::{EditRule, GivenLimits, KindSettings, ToolRule};
use callgate_openapi::{
    ArgumentHeader, Defaults, Limits as DescriptionLimits, Selection, SessionInputs, ToolNames,
};
use callgate_policy::{CallLimits, Confirm};
use callgate_secret::SecretReference;
use callgate_tool::{SessionName, ToolEdit, ToolsetName, Value};
use callgate_transport::AddressRange;
use url::Url;

use crate::{
    description::Description,
    headers::{FixedHeader, HeaderValue},
    server::ServerUrl,
    service_directory::DirectoryConfig,
    tls::TlsConfig,
    tool_rules::ToolRules,
    upstream::Upstream,
};

/// One toolset.
///
/// ```
/// use callgate_auth::{AuthConfig, CredentialSource};
/// use callgate_config::{Description, ToolsetConfig};
/// use callgate_policy::{CallLimits, Confirm};
/// use callgate_tool::ToolsetName;
///
/// let token = CredentialSource::Secret("env:PETS_TOKEN".parse()?);
/// let pets = ToolsetConfig::new(Description::file("pets.yaml"))
///     .with_name(ToolsetName::new("pets")?)
///     .with_auth(AuthConfig::Bearer { token })
///     .with_confirm(Confirm::Destructive);
/// # drop(pets);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ToolsetConfig {
    /// The name; `None` for a bare description.
    pub name: Option<ToolsetName>,
    pub(crate) pointer: String,
    /// The OpenAPI description.
    pub description: Description,
    /// The settings of its kind; `None` for a toolset with a description, with functions alone, or of a kind above.
    pub(crate) kind: Option<Arc<dyn KindSettings>>,
    /// True if an export names its source, and the operator neither that nor a server: it is not asked.
    pub(crate) is_named_by_export: bool,
    /// The common limits that the operator has set.
    pub(crate) given: GivenLimits,
    /// True if nothing is served while its description cannot be read.
    pub required: bool,
    /// The overlays that correct the description, in order.
    pub overlays: Vec<PathBuf>,
    /// The prefix of the tools' names, before that of the operation; `None` for no prefix.
    pub prefix: Option<ToolsetName>,
    /// The names of tools whose `operationId` a generator made. `None` for short ones, unless another toolset has the
    /// prefix too.
    pub tool_names: Option<ToolNames>,
    /// The server that overrides the description's.
    pub server: Option<ServerUrl>,
    /// Values of the server's variables.
    pub server_variables: BTreeMap<String, String>,
    pub(crate) credentials: Credentials,
    /// The rule for inputs that the session should supply: a model may fill them, or may not.
    pub session_inputs: SessionInputs,
    /// The defaults of the description that are sent.
    pub defaults: Defaults,
    /// The session values that inputs may use although credentials of other toolsets read them.
    pub(crate) session_parameters: Vec<AllowedValue>,
    /// The preferred media types of request bodies, the best first.
    pub body_media: Vec<String>,
    /// The limits of the description.
    pub description_limits: DescriptionLimits,
    /// The origins of documents that the description may refer to: `https://specs.example.com`.
    pub references: Vec<Url>,
    /// The TLS settings of the toolset's connections.
    pub tls: TlsConfig,
    /// The addresses that may be called, whoever named them.
    pub egress: Vec<AddressRange>,
    /// The service whose private endpoints are contacted.
    pub(crate) service_directory: Option<DirectoryConfig>,
    /// The headers of every request.
    pub(crate) headers: Vec<FixedHeader>,
    /// The withheld headers that arguments may set nevertheless.
    pub(crate) argument_headers: Vec<ListedHeader>,
    /// The tools whose arguments are the members of their body.
    pub(crate) body_arguments: Vec<ToolRule<()>>,
    /// Parameters that are arguments although they have the name and place of a credential.
    pub credential_arguments: Vec<String>,
    /// The operations that are offered.
    pub selection: Selection,
    /// The operator's changes to single tools.
    pub(crate) edits: Vec<EditRule>,
    /// The settings of its calls.
    pub call: CallSettings,
    /// The limits on the toolset's calls together.
    #[doc(hidden)]
    pub call_limits: CallLimits,
    /// The shapes of single tools' results.
    pub(crate) tool_shapes: Vec<ToolRule<Shape>>,
    /// The source of responses.
    #[doc(hidden)]
    pub upstream: Upstream,
    /// Tools that the client runs.
    #[doc(hidden)]
    pub functions: Vec<FunctionConfig>,
    /// The side that runs the tools of the description.
    pub(crate) execution: ToolRules<Execution>,
    /// The calls that a person has to approve.
    pub(crate) confirm: ToolRules<Confirm>,
}

impl ToolsetConfig {
    /// A toolset without a name that follows its description: its tools have no prefix, its calls no credential.
    pub fn new(description: Description) -> Self {
        let credentials = Credentials { auth: Some(AuthConfig::None), ..Credentials::default() };
        Self { description, credentials, ..Self::default() }
    }

    /// Sets the name; its tools are called `name-operation`.
    #[must_use]
    pub fn with_name(mut self, name: ToolsetName) -> Self {
        self.pointer = format!("/toolsets/{name}");
        self.prefix = Some(name.clone());
        self.name = Some(name);
        self
    }

    /// Calls this server instead of the description's own.
    #[must_use]
    pub fn with_server(mut self, server: impl Into<ServerUrl>) -> Self {
        self.server = Some(server.into());
        self
    }

    /// Uses this credential for every operation, except those that declare themselves open.
    #[must_use]
    pub fn with_auth(mut self, auth: AuthConfig) -> Self {
        self.credentials.auth = Some(auth);
        self
    }

    /// Uses this credential for a security scheme of the description. Each operation then gets the credentials it requires.
    #[must_use]
    pub fn with_credential(mut self, scheme: impl Into<String>, choice: SchemeChoice) -> Self {
        let scheme = scheme.into();
        let pointer = format!("{}/credentials/{scheme}", self.pointer);
        let credential = SchemeCredential { pointer, kind: "credential", choice };
        self.credentials.schemes.get_or_insert_default().insert(scheme, credential);
        self
    }

    /// Adds a header with this secret to every request. No result shows it.
    #[must_use]
    pub fn with_header(mut self, name: impl Into<String>, value: SecretReference) -> Self {
        self.headers.push(FixedHeader::new(name, HeaderValue::Secret(value)));
        self
    }

    /// Asks a person before calls of the tools that have no rule of their own.
    #[must_use]
    pub fn with_confirm(mut self, rule: Confirm) -> Self {
        self.confirm.default = rule;
        self
    }

    /// Changes one tool: its name, its `operationId` or the name of a function.
    #[must_use]
    pub fn with_tool_edit(mut self, tool: impl Into<String>, edit: ToolEdit) -> Self {
        self.edits.push(ToolRule::new(tool, Arc::new(edit)));
        self
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Credentials {
    /// The credential of every operation; beside credentials of schemes, of operations without stated requirements.
    pub(crate) auth: Option<AuthConfig>,
    /// The key for the description's only security scheme that is an API key; also for operations without stated
    /// requirements.
    pub(crate) api_key: Option<SecretReference>,
    /// The reason why every operation lacks the credential that an export has for it.
    pub(crate) lacks_own: Option<&'static str>,
    pub(crate) schemes: Option<BTreeMap<String, SchemeCredential>>,
    /// The origins that credentials may go to beside the server's: `https://uploads.example.com`.
    pub(crate) origins: Vec<Url>,
}

#[derive(Clone, Debug)]
pub(crate) struct SchemeCredential {
    pub(crate) pointer: String,
    /// The key of its kind: `api_key`.
    pub(crate) kind: &'static str,
    pub(crate) choice: SchemeChoice,
}

/// A credential whose scheme is not known yet.
///
/// ```
/// use callgate_auth::{AuthConfig, CredentialSource};
/// use callgate_config::{Description, SchemeChoice, ToolsetConfig};
///
/// let key = SchemeChoice::ApiKey("env:PETS_KEY".parse()?);
/// let token = CredentialSource::Secret("env:PETS_TOKEN".parse()?);
/// let bearer = SchemeChoice::Other(Box::new(AuthConfig::Bearer { token }));
/// let pets = ToolsetConfig::new(Description::file("pets.yaml"));
/// let pets = pets.with_credential("petsKey", key).with_credential("petsToken", bearer);
/// # Ok::<(), callgate_secret::Error>(())
/// ```
#[derive(Clone, Debug)]
#[expect(clippy::exhaustive_enums, reason = "a key, or what knows its place itself")]
pub enum SchemeChoice {
    /// An API key; the scheme states its place.
    ApiKey(SecretReference),
    /// Any other kind.
    Other(Box<AuthConfig>),
}

/// A session value that the operator allows for a toolset's inputs although a credential of another one reads it.
#[derive(Clone, Debug)]
pub(crate) struct AllowedValue {
    pub(crate) pointer: String,
    pub(crate) name: SessionName,
}

/// A header that arguments may set although it is withheld.
#[derive(Clone, Debug)]
pub(crate) struct ListedHeader {
    pub(crate) pointer: String,
    /// The tool or `operationId` that the header is listed for; `None` for all.
    pub(crate) tool: Option<String>,
    pub(crate) header: ArgumentHeader,
}

/// A tool that the client runs.
///
/// ```
/// use callgate_config::{Config, Description, Environment, FunctionConfig, ToolsetConfig};
/// use callgate_tool::{ToolsetName, json};
///
/// let schema = json!({"type": "object", "properties": {"page": {"type": "string"}}});
/// let mut app = ToolsetConfig::new(Description::none()).with_name(ToolsetName::new("app")?);
/// app.functions.push(FunctionConfig::new("open_page", "Opens a page of the app", schema));
/// let built = Config::new().with_toolset(app).build_blocking(&Environment::new(), None)?;
/// assert!(built.executor.find("app-open_page").is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FunctionConfig {
    pub(crate) pointer: String,
    /// The name; the toolset's prefix precedes it.
    pub name: String,
    /// The purpose in words; empty if not stated.
    pub description: String,
    /// The schema of the function's arguments.
    pub input: Value,
    /// The schema of the function's results.
    pub output: Option<Value>,
}

impl FunctionConfig {
    /// A function whose results may be any value.
    pub fn new(name: impl Into<String>, description: impl Into<String>, input: Value) -> Self {
        let (name, description) = (name.into(), description.into());
        Self { pointer: String::new(), name, description, input, output: None }
    }
}
