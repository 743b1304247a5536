//! The operator's decisions about a description: the toolset's name, the server, the source of session inputs, the
//! places of credentials. Checked values only; where they are written down is the business of `config`.

use std::collections::BTreeMap;

use callgate_tool::ToolsetName;
use url::Url;

use crate::{
    input::InputLocation,
    security::{
        argument_header::ArgumentHeaders,
        taken::{Configured, CredentialKind},
    },
    selection::Selection,
};

/// The options by which a description becomes tools.
#[derive(Clone, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "whoever loads a description decides each of these")]
pub struct LoadOptions {
    /// The prefix of every tool's name; none for a bare description.
    pub toolset: Option<ToolsetName>,
    /// The server of every operation, whatever the description says.
    pub server: Option<String>,
    /// Origins (`https://uploads.example.com`) that the operator names beside the server's: a server of the description
    /// that is on one of them is as good as the operator's.
    pub trusted_origins: Vec<String>,
    /// Values of server variables.
    pub server_variables: BTreeMap<String, String>,
    /// The address of the description, which relative servers are relative to.
    pub document_url: Option<Url>,
    /// The rule about inputs that the session provides: a model may fill them, or may not.
    pub session_inputs: SessionInputs,
    /// The defaults of the description that are sent.
    pub defaults: Defaults,
    /// The operations that are offered.
    pub selection: Selection,
    /// The places of credentials: a parameter that names such a place is not offered.
    pub credential_places: Vec<(InputLocation, String)>,
    /// The kind of the operator's own credential, where there is one for every operation: services read it from other
    /// places too, which are no arguments either.
    pub credential: Option<CredentialKind>,
    /// Names of parameters that are arguments although the description has a security scheme at their place, or services
    /// read credentials from there. A place of [`LoadOptions::credential_places`] stays the credential's.
    pub credential_arguments: Vec<String>,
    /// Withheld headers that the operator lets through: a header parameter of such a name is an ordinary input. One at
    /// the place of a credential is not.
    pub argument_headers: ArgumentHeaders,
    /// The tools, by their names or by the `operationId`, whose arguments are the members of their JSON body as it is
    /// described: with what holds of the body as a whole, without an argument `body`.
    pub body_arguments: Vec<String>,
    /// Media types of bodies that are preferred to the others, the best first: names or ranges (`text/*`). Without
    /// them: `application/json`, other JSON, forms, multipart, text, XML, JSON lines, bytes.
    pub body_media: Vec<String>,
}

impl LoadOptions {
    /// The options about credentials.
    pub(crate) fn configured(&self) -> Configured<'_> {
        Configured {
            kind: self.credential,
            places: &self.credential_places,
            returned: &self.credential_arguments,
        }
    }

    /// True if the arguments of an operation of these names are to be the members of its body.
    pub(crate) fn wants_body_arguments(&self, names: &[Option<&str>]) -> bool {
        let is_listed = |name: &&str| self.body_arguments.iter().any(|listed| listed == *name);
        names.iter().flatten().any(is_listed)
    }

    /// True if the operator names the origin of `url`, the description's own among them.
    pub(crate) fn trusts(&self, url: &Url) -> bool {
        let is_own = self.document_url.as_ref().is_some_and(|own| own.origin() == url.origin());
        is_own || self.trusted_origins.contains(&url.origin().ascii_serialization())
    }
}

/// The defaults of a description that are sent where nobody gives a value. One that its own schema does not allow never
/// is.
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
#[expect(clippy::exhaustive_enums, reason = "whoever decides on defaults must handle a new one")]
pub enum Defaults {
    /// All of them.
    All,
    /// Those of values that the service demands.
    Required,
    /// All but those of optional values in bodies with PUT, PATCH and DELETE: what such a body leaves out stays as it is,
    /// or is decided by the service, and a default would set it back (RFC 5789 §2, RFC 7396 §1).
    #[default]
    Safe,
}

impl Defaults {
    /// True if the default of an optional value is sent with a method.
    pub(crate) fn keep_optional(self, place: InputLocation, method: &http::Method) -> bool {
        let changes = matches!(method.as_str(), "DELETE" | "PATCH" | "PUT");
        match self {
            Self::All => true,
            Self::Required => false,
            Self::Safe => place != InputLocation::Body || !changes,
        }
    }
}

/// The rule about inputs that the session provides (`x-agent-input-parameter`): a model may fill them, or may not.
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
#[expect(clippy::exhaustive_enums, reason = "whoever decides visibility must handle a new one")]
pub enum SessionInputs {
    /// The model sees it and may fill it where the session has nothing.
    #[default]
    Lenient,
    /// The model never sees it.
    Strict,
}
