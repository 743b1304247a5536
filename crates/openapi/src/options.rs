//! The operator's decisions about a description: the toolset's name, the server, the source of session inputs, the
//! places of credentials. Contains only checked values; `config` reads them from files.

use std::{collections::BTreeMap, sync::Arc};

use callgate_tool::{ToolEdit, ToolName, ToolsetName};
use url::Url;

use crate::{
    input::InputLocation,
    security::{
        argument_header::ArgumentHeaders,
        credential_places::{CredentialKind, CredentialOptions},
    },
    selection::Selection,
};

/// The options for turning a description into tools.
#[derive(Clone, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "a new field must break code that builds the value")]
pub struct LoadOptions {
    /// The prefix of every tool's name; `None` for a description without a toolset.
    pub toolset: Option<ToolsetName>,
    /// The server of every operation; it replaces those of the description.
    pub server: Option<String>,
    /// Origins (`https://uploads.example.com`) that the operator names in addition to the server's: a server of the
    /// description with one of these origins counts as the operator's.
    pub trusted_origins: Vec<String>,
    /// Values of server variables.
    pub server_variables: BTreeMap<String, String>,
    /// The address of the description, against which relative servers are resolved.
    pub document_url: Option<Url>,
    /// The rule for inputs that the session supplies: a model may fill them, or may not.
    pub session_inputs: SessionInputs,
    /// The defaults of the description that are sent.
    pub defaults: Defaults,
    /// The operations that are offered.
    pub selection: Selection,
    /// The operator's changes to single tools, by the tool's name or its `operationId`.
    pub edits: BTreeMap<String, Arc<ToolEdit>>,
    /// The places of credentials: a parameter that names such a place is not offered.
    pub credential_places: Vec<(InputLocation, String)>,
    /// The kind of the operator's own credential, if there is one for every operation: services read it from other
    /// places too, which are not arguments either.
    pub credential: Option<CredentialKind>,
    /// Names of parameters that are arguments although the description has a security scheme at their place, or
    /// services read credentials from there. A place in [`LoadOptions::credential_places`] remains the credential's.
    pub credential_arguments: Vec<String>,
    /// Withheld headers that the operator allows: a header parameter with such a name is an ordinary input, except at
    /// the place of a credential.
    pub argument_headers: ArgumentHeaders,
    /// The tools, by name or `operationId`, whose arguments are the members of their JSON body as described: with the
    /// rules about the body as a whole, without an argument `body`.
    pub body_arguments: Vec<String>,
    /// The names of tools whose `operationId` a generator made.
    pub tool_names: ToolNames,
    /// Names that other tools have: no tool gets one of them in place of its `operationId`.
    pub taken_names: Vec<ToolName>,
    /// Preferred media types of bodies, the best first: names or ranges (`text/*`). The default order is:
    /// `application/json`, other JSON, forms, multipart, text, XML, JSON lines, bytes.
    pub body_media: Vec<String>,
    /// The operations, by `operationId`, that change nothing although their method may: only for a description that code of ours
    /// wrote, of a service whose documentation says so. They may be sent again.
    pub reads: Vec<String>,
}

impl LoadOptions {
    /// True if an operation with these names changes nothing, whatever its method.
    pub(crate) fn only_reads(&self, names: &[Option<&str>]) -> bool {
        names.iter().flatten().any(|name| self.reads.iter().any(|listed| listed == *name))
    }

    pub(crate) fn credential_options(&self) -> CredentialOptions<'_> {
        CredentialOptions {
            kind: self.credential,
            places: &self.credential_places,
            returned: &self.credential_arguments,
        }
    }

    /// True if the members of the body become the arguments of an operation with these names.
    pub(crate) fn wants_body_arguments(&self, names: &[Option<&str>]) -> bool {
        let is_listed = |name: &&str| self.body_arguments.iter().any(|listed| listed == *name);
        names.iter().flatten().any(is_listed)
    }

    /// True if the operator names the origin of `url`; the origin of the description's own address counts.
    pub(crate) fn trusts(&self, url: &Url) -> bool {
        let is_own = self.document_url.as_ref().is_some_and(|own| own.origin() == url.origin());
        is_own || self.trusted_origins.contains(&url.origin().ascii_serialization())
    }
}

/// The defaults of a description that are sent if no source supplies a value. A default that its own schema does not
/// allow is never sent.
///
/// ```
/// use callgate_openapi::{Defaults, Document, LoadOptions, load};
///
/// # fn main() -> Result<(), Vec<callgate_tree::Diagnostic>> {
/// let text = b"openapi: 3.1.0
/// servers: [{url: https://api.example.com}]
/// paths:
///   /pets: {get: {parameters: [{name: limit, in: query, schema: {type: integer, default: 20}}]}}";
/// let document = Document::read(text, &Default::default())?.value;
/// let options = LoadOptions { defaults: Defaults::Required, ..LoadOptions::default() };
/// assert_eq!(load(&document, &options).operations[0].inputs[0].default, None);
/// let options = LoadOptions { defaults: Defaults::Safe, ..LoadOptions::default() };
/// assert_eq!(load(&document, &options).operations[0].inputs[0].default, Some(20.into()));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "adding a variant must break exhaustive matches")]
pub enum Defaults {
    /// All defaults.
    All,
    /// Those of [`Defaults::Safe`] that the service requires.
    Required,
    /// All that cannot decide what a call changes. Left out are those of optional values in bodies with PUT, PATCH and
    /// DELETE: what such a body omits stays unchanged, or the service decides it, and a default would reset it (RFC 5789
    /// §2, RFC 7396 §1). Left out of every operation that may change something are those of path parameters, those of
    /// whole bodies, and those of a body in which nothing else was given.
    #[default]
    Safe,
}

impl Defaults {
    /// True if defaults may decide alone what a call changes.
    pub(crate) fn may_decide_changes(self) -> bool {
        self == Self::All
    }

    pub(crate) fn keeps_optional_default(
        self,
        place: InputLocation,
        method: &http::Method,
    ) -> bool {
        let changes = matches!(method.as_str(), "DELETE" | "PATCH" | "PUT");
        match self {
            Self::All => true,
            Self::Required => false,
            Self::Safe => place != InputLocation::Body || !changes,
        }
    }
}

/// The names of tools whose `operationId` a generator made from a name in a program and from the method, path or tag.
///
/// ```
/// use callgate_openapi::{Document, LoadOptions, ToolNames, load};
///
/// # fn main() -> Result<(), Vec<callgate_tree::Diagnostic>> {
/// let text = b"openapi: 3.1.0
/// servers: [{url: https://api.example.com}]
/// paths: {/orders: {post: {operationId: create_order_orders_post}}}";
/// let document = Document::read(text, &Default::default())?.value;
/// let order = &load(&document, &LoadOptions::default()).operations[0];
/// assert_eq!(order.tool_name.as_str(), "create_order");
/// assert!(order.is_called("create_order_orders_post"));
///
/// let options = LoadOptions { tool_names: ToolNames::AsWritten, ..LoadOptions::default() };
/// let order = &load(&document, &options).operations[0];
/// assert_eq!(order.tool_name.as_str(), "create_order_orders_post");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "adding a variant must break exhaustive matches")]
pub enum ToolNames {
    /// The whole `operationId`.
    AsWritten,
    /// The name in the program, where it says something and no other tool has a like name.
    #[default]
    Short,
}

/// The rule for inputs that the session supplies (`x-agent-input-parameter`): a model may fill them, or may not.
///
/// ```
/// use callgate_openapi::{Document, LoadOptions, SessionInputs, load};
///
/// # fn main() -> Result<(), Vec<callgate_tree::Diagnostic>> {
/// let text = b"openapi: 3.1.0
/// servers: [{url: https://api.example.com}]
/// paths:
///   /orders: {get: {parameters: [
///     {name: user, in: query, schema: {type: string}, x-agent-input-parameter: user}]}}";
/// let document = Document::read(text, &Default::default())?.value;
/// let options = LoadOptions { session_inputs: SessionInputs::Strict, ..LoadOptions::default() };
/// let user = &load(&document, &options).operations[0].inputs[0];
/// assert!(!user.visible, "the session provides it");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "adding a variant must break exhaustive matches")]
pub enum SessionInputs {
    /// The model sees the input and may fill it if the session has no value.
    #[default]
    Lenient,
    /// The model never sees the input.
    Strict,
}
