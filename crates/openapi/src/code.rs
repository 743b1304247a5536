//! The stable codes of findings, one for each kind, in one table: each row makes the code, its name and its properties.
//! The meaning of a code never changes, and a code is never reused.
//!
//! The explanation of a code is the file `code/NAME.md`: one paragraph that ends with the remedy. Beside it are a wrong
//! description, `code/NAME/wrong.yaml`, and its corrected form, `code/NAME/mended.yaml`. For codes about overlays both
//! are overlays of a description with the path `/pets`; for codes about credentials and bounds both are configurations
//! of `code/secured.yaml`. The tests of the command run it with each of them.

use callgate_tree::CodeName;

/// A description, or an overlay of one, that causes a finding, and its corrected form.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Example {
    /// The text that causes the finding.
    pub wrong: &'static str,
    /// The corrected text.
    pub mended: &'static str,
}

macro_rules! codes {
    ($($(#[$meta:meta])* $code:ident = $name:literal;)+) => {
        callgate_tool::codes! {
            /// The kinds of findings about a description, beside those about its text ([`TextCode`](callgate_tree::TextCode)).
            ///
            /// ```
            /// use callgate_openapi::{Code, Document, load};
            ///
            /// # fn main() -> Result<(), Vec<callgate_tree::Diagnostic>> {
            /// let text = b"openapi: 3.1.0\npaths: {/pets: {get: {description: Lists the pets.}}}";
            /// let document = Document::read(text, &Default::default())?.value;
            /// let report = load(&document, &Default::default()).report;
            /// let found = &report.diagnostics[0];
            /// let code = Code::ALL.iter().find(|code| found.code == **code);
            /// assert_eq!(code, Some(&Code::NoServer));
            /// assert!(Code::NoServer.explanation().starts_with("The description names no server"));
            /// # Ok(())
            /// # }
            /// ```
            #[derive(Ord, PartialOrd)]
            pub enum Code {
                $($(#[$meta])* $code = $name => include_str!(concat!("code/", $name, ".md"));)+
            }
        }

        impl Code {
            /// A text that causes the finding, and its corrected form.
            #[doc(hidden)]
            pub fn example(self) -> Example {
                match self {
                    $(Self::$code => Example {
                        wrong: include_str!(concat!("code/", $name, "/wrong.yaml")),
                        mended: include_str!(concat!("code/", $name, "/mended.yaml")),
                    },)+
                }
            }
        }
    };
}

codes! {
    /// Lists in a list are written with the separator of the outer list.
    AmbiguousList = "ambiguous-list";
    /// The body has no media type that this build can write: calls that need it are refused.
    BodyMediaNotWritten = "body-media-not-written";
    /// A parameter names the place of a credential and is not offered.
    CredentialParameter = "credential-parameter";
    /// A chain of references is circular and leads to nothing.
    CyclicReference = "cyclic-reference";
    /// Defaults alone would decide what a write changes.
    DecisiveDefault = "decisive-default";
    /// A keyword of a schema has a value of a wrong type and was dropped.
    DroppedKeyword = "dropped-keyword";
    /// Two operations have one `operationId`; both are offered.
    DuplicateOperationId = "duplicate-operation-id";
    /// A list of parameters contains a parameter twice; the first one counts.
    DuplicateParameter = "duplicate-parameter";
    /// A dynamic reference is followed like a plain one for values that are filled in behind it.
    DynamicReference = "dynamic-reference";
    /// A part of a multipart body is divided into parts, or a form has encodings by position: calls that need it are refused.
    EncodingNotWritten = "encoding-not-written";
    /// A closed part of `allOf` excludes a member that another part describes.
    ExcludedMember = "excluded-member";
    /// A reference leads to a document that may not be read.
    ExternalReference = "external-reference";
    /// Arguments may never set this header parameter; it is not offered.
    ForbiddenHeader = "forbidden-header";
    /// An operation has its own server, to which credentials may not go; it cannot be called.
    ForeignServer = "foreign-server";
    /// The tokens of a security scheme come from an origin to which credentials may not go.
    ForeignTokenEndpoint = "foreign-token-endpoint";
    /// A path key is written as a framework writes routes; clear variables are read as meant.
    FrameworkPath = "framework-path";
    /// Texts contain parts that no person sees, such as comments of HTML; they are left out.
    HiddenText = "hidden-text";
    /// The path key could lead outside the server's base path.
    HostilePath = "hostile-path";
    /// The description has webhooks, which do not become tools.
    IgnoredWebhooks = "ignored-webhooks";
    /// A schema does not allow its own default; the default is not sent.
    IllegalDefault = "illegal-default";
    /// The `$self` of a document cannot be its address, and is ignored.
    InvalidSelf = "invalid-self";
    /// A server is not a plain http or https address.
    InvalidServer = "invalid-server";
    /// A session annotation names a value that the session cannot have.
    InvalidSessionInput = "invalid-session-input";
    /// The location of the parameter does not allow its style; the default style is used.
    InvalidStyle = "invalid-style";
    /// Two inputs would write one key.
    KeyCollision = "key-collision";
    /// A declaration costs more tokens than a model should pay for one tool.
    LargeTool = "large-tool";
    /// A part of the description has a wrong type or lacks a required field.
    MalformedNode = "malformed-node";
    /// All declarations together cost more tokens than a context should hold.
    ManyTokens = "many-tokens";
    /// The header of MCP that a schema names cannot carry the argument.
    McpHeader = "mcp-header";
    /// A body is described for a range of media types; JSON is used.
    MediaRange = "media-range";
    /// The operation lacks an argument that the configuration gives a fixed value; it is not offered.
    MissingArgument = "missing-argument";
    /// No available credential satisfies the operation's requirements; it cannot be called.
    MissingCredential = "missing-credential";
    /// A reference names nothing that exists in the document.
    MissingReference = "missing-reference";
    /// More findings exist than are shown.
    MoreFindings = "more-findings";
    /// An operation has no description of its purpose.
    NoDescription = "no-description";
    /// No absolute server is known.
    NoServer = "no-server";
    /// The text is not an OpenAPI description.
    NotADescription = "not-a-description";
    /// A path parameter is not marked as required; it is required anyway.
    OptionalPathParameter = "optional-path-parameter";
    /// An overlay changes a node in a way that the node's type does not allow.
    OverlayConflict = "overlay-conflict";
    /// The document is not a valid overlay of a version that this build applies.
    OverlayInvalid = "overlay-invalid";
    /// An action of an overlay selects no node and changes nothing.
    OverlayNoMatch = "overlay-no-match";
    /// A target is not a `JSONPath` expression, or was corrected to one.
    OverlayPath = "overlay-path";
    /// Overlays make the description larger than the limits allow.
    OverlayTooLarge = "overlay-too-large";
    /// A header of a part has no fixed value; it is not sent.
    PartHeader = "part-header";
    /// A PATCH has the schema of the method that creates, with its required members.
    PatchRequires = "patch-requires";
    /// The key of a path item has a fragment, which is not sent.
    PathFragment = "path-fragment";
    /// The key of a path item has variables in its query, which are written as values of the query.
    PathQuery = "path-query";
    /// A provider of models is known to refuse or lose a part of the declarations.
    ProviderLimit = "provider-limit";
    /// A keyword of a schema was corrected to its obvious meaning; nothing is lost.
    RepairedKeyword = "repaired-keyword";
    /// A header parameter `Accept`, `Authorization` or `Content-Type`, which is ignored.
    ReservedHeader = "reserved-header";
    /// The description names an unknown dialect of JSON Schema.
    SchemaDialect = "schema-dialect";
    /// A schema has more parts than a declaration may have; the remaining parts allow everything.
    SchemaTooLarge = "schema-too-large";
    /// A server variable has no value, or a value that it does not allow.
    ServerVariable = "server-variable";
    /// A session input is at a place where no value can be filled in.
    SessionInputLost = "session-input-lost";
    /// A generator made the ids of operations; their tools have shorter names.
    ShortenedNames = "shortened-names";
    /// An operation, or the description, takes more steps to read than the limits allow.
    TooComplex = "too-complex";
    /// The description has more operations than the limits allow.
    TooManyOperations = "too-many-operations";
    /// A variable of the path is not declared; it is offered as a text.
    UndeclaredPathParameter = "undeclared-path-parameter";
    /// A parameter's value nests deeper than its style describes; it is written in a form that services read.
    UndefinedForm = "undefined-form";
    /// An object requires a member that nothing describes.
    UndescribedMember = "undescribed-member";
    /// A keyword that restricts values is misspelt or from an older draft; values are not checked against it.
    UnknownKeyword = "unknown-keyword";
    /// A security scheme is not declared, or has an unknown type.
    UnknownSecurityScheme = "unknown-security-scheme";
    /// A schema allows no value.
    UnsatisfiableSchema = "unsatisfiable-schema";
    /// A pattern needs backtracking; values are not checked against it.
    UnsupportedPattern = "unsupported-pattern";
    /// The version of the description is not supported by this build.
    UnsupportedVersion = "unsupported-version";
    /// A path parameter does not occur in the path; it is ignored.
    UnusedPathParameter = "unused-path-parameter";
    /// The XML name of a list without a wrapper is not used, and its items have none.
    UnusedXmlName = "unused-xml-name";
    /// The name of an operation does not describe it.
    VagueName = "vague-name";
    /// The root element of an XML body has no name; a nearby name is used.
    XmlRootName = "xml-root-name";
}

impl From<Code> for CodeName {
    fn from(code: Code) -> Self {
        Self::new(code.as_str())
    }
}

impl PartialEq<Code> for CodeName {
    fn eq(&self, code: &Code) -> bool {
        self.as_str() == code.as_str()
    }
}
