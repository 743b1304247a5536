//! The stable codes of findings, one for each kind, in one table: a row makes the code, its name, and what is known about it.
//! A code never changes its meaning and is never used again for another one.
//!
//! The explanation of a code is the file `code/NAME.md`: one paragraph, what to do last. Beside it are a
//! description that is found wrong, `code/NAME/wrong.yaml`, and its mended form, `code/NAME/mended.yaml`; of codes about overlays
//! both are overlays of a description with the path `/pets`, and of codes about credentials and bounds
//! configurations of `code/secured.yaml`. The command is run with each in its tests.

use callgate_tree::CodeName;

/// A description, or an overlay of one, in which something is found, and how it is mended.
///
/// ```
/// use callgate_openapi::{Code, Document, load};
///
/// # fn main() -> Result<(), Vec<callgate_tree::Diagnostic>> {
/// let example = Code::VagueName.example();
/// let document = Document::read(example.wrong.as_bytes(), &Default::default())?.value;
/// let report = load(&document, &Default::default()).report;
/// assert_eq!(report.diagnostics[0].code, Code::VagueName);
/// assert!(example.mended.contains("operationId: listPets"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Example {
    /// The text in which it is found.
    pub wrong: &'static str,
    /// The same, mended.
    pub mended: &'static str,
}

/// Makes [`Code`] and what is known about each from the table.
macro_rules! codes {
    ($($(#[$meta:meta])* $code:ident = $name:literal;)+) => {
        /// The kinds of findings about a description, beyond those about its text ([`TextCode`](callgate_tree::TextCode)).
        ///
        /// ```
        /// use callgate_openapi::{Code, Document, load};
        ///
        /// # fn main() -> Result<(), Vec<callgate_tree::Diagnostic>> {
        /// let text = b"openapi: 3.1.0\npaths: {/pets: {get: {description: Lists the pets.}}}";
        /// let document = Document::read(text, &Default::default())?.value;
        /// let report = load(&document, &Default::default()).report;
        /// let found = &report.diagnostics[0];
        /// let code = Code::ALL.into_iter().find(|code| found.code == *code);
        /// assert_eq!(code, Some(Code::NoServer));
        /// assert!(Code::NoServer.explanation().starts_with("The description names no server"));
        /// # Ok(())
        /// # }
        /// ```
        #[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
        #[non_exhaustive]
        pub enum Code {
            $($(#[$meta])* $code,)+
        }

        impl Code {
            /// Every code, in alphabetical order.
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$code),+];

            /// The code as it is shown: lower-case words with dashes.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$code => $name,)+
                }
            }

            /// A paragraph for whoever asks what the code means.
            pub fn explanation(self) -> &'static str {
                let text = match self {
                    $(Self::$code => include_str!(concat!("code/", $name, ".md")),)+
                };
                text.trim_end()
            }

            /// A text in which it is found, beside its mended form.
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
    /// Lists in a list are written with the separator of the list they are in.
    AmbiguousList = "ambiguous-list";
    /// A body has no media type this build writes: calls that need it are refused.
    BodyMediaNotWritten = "body-media-not-written";
    /// A parameter names the place of a credential and is not offered.
    CredentialParameter = "credential-parameter";
    /// A reference leads in a circle and stands for nothing.
    CyclicReference = "cyclic-reference";
    /// A keyword of a schema has a value of a wrong type and was left out.
    DroppedKeyword = "dropped-keyword";
    /// Two operations have one `operationId`; both are offered.
    DuplicateOperationId = "duplicate-operation-id";
    /// A list of parameters has one twice; the first one counts.
    DuplicateParameter = "duplicate-parameter";
    /// A dynamic reference is followed as if it were a plain one where values are filled in behind it.
    DynamicReference = "dynamic-reference";
    /// A part of a multipart body is itself divided, or a form is one by position: calls that need it are refused.
    EncodingNotWritten = "encoding-not-written";
    /// A reference leads to a document that may not be read.
    ExternalReference = "external-reference";
    /// A header parameter that arguments may never set; it is not offered.
    ForbiddenHeader = "forbidden-header";
    /// An operation has a server of its own that credentials may not go to; it cannot be called.
    ForeignServer = "foreign-server";
    /// Tokens for a security scheme are asked for at an origin that credentials may not go to.
    ForeignTokenEndpoint = "foreign-token-endpoint";
    /// A path key that could lead elsewhere than below the server.
    HostilePath = "hostile-path";
    /// The description has webhooks, which are no tools.
    IgnoredWebhooks = "ignored-webhooks";
    /// A default is no value that its own schema allows; it is not sent.
    IllegalDefault = "illegal-default";
    /// The `$self` of a document is no address it can be known by, and is ignored.
    InvalidSelf = "invalid-self";
    /// A server is not a plain http or https address.
    InvalidServer = "invalid-server";
    /// A session annotation names nothing the session has.
    InvalidSessionInput = "invalid-session-input";
    /// A style that the place of the parameter does not allow; the default is used.
    InvalidStyle = "invalid-style";
    /// Two inputs would write one key.
    KeyCollision = "key-collision";
    /// A declaration costs more tokens than a model should pay for one tool.
    LargeTool = "large-tool";
    /// A part of the description has a wrong type or lacks what makes it one.
    MalformedNode = "malformed-node";
    /// All declarations together cost more tokens than a context should hold.
    ManyTokens = "many-tokens";
    /// An argument cannot stand in the header of MCP that its schema names.
    McpHeader = "mcp-header";
    /// A body is described for a range of media types; JSON is taken.
    MediaRange = "media-range";
    /// No credential at hand meets what an operation asks for; it cannot be called.
    MissingCredential = "missing-credential";
    /// A reference names nothing in the document.
    MissingReference = "missing-reference";
    /// There are more findings than are shown.
    MoreFindings = "more-findings";
    /// An operation says nothing about what it is for.
    NoDescription = "no-description";
    /// No absolute server is known.
    NoServer = "no-server";
    /// The text is no OpenAPI description.
    NotADescription = "not-a-description";
    /// A path parameter is not marked as required; it is required all the same.
    OptionalPathParameter = "optional-path-parameter";
    /// An overlay changes a node in a way that its kind does not allow.
    OverlayConflict = "overlay-conflict";
    /// A document is no legal overlay of a version this build applies.
    OverlayInvalid = "overlay-invalid";
    /// An action of an overlay selects nothing and changes nothing.
    OverlayNoMatch = "overlay-no-match";
    /// A target is no `JSONPath` expression, or is read as it was meant.
    OverlayPath = "overlay-path";
    /// Overlays make the description larger than the limits allow.
    OverlayTooLarge = "overlay-too-large";
    /// A header of a part has no fixed value; it is not sent.
    PartHeader = "part-header";
    /// The key of a path item has a fragment, which is not sent.
    PathFragment = "path-fragment";
    /// The key of a path item has variables in its query, which are written as values of the query.
    PathQuery = "path-query";
    /// A provider of models is known to refuse or lose a part of the declarations.
    ProviderLimit = "provider-limit";
    /// A keyword of a schema was read as it was meant; nothing is lost.
    RepairedKeyword = "repaired-keyword";
    /// A header parameter `Accept`, `Authorization` or `Content-Type`, which is ignored.
    ReservedHeader = "reserved-header";
    /// The description names a dialect of JSON Schema that is not known.
    SchemaDialect = "schema-dialect";
    /// A schema has more parts than a declaration may have; the rest allows everything.
    SchemaTooLarge = "schema-too-large";
    /// A server variable has no value, or one it does not allow.
    ServerVariable = "server-variable";
    /// A session input stands where no value can be filled in.
    SessionInputLost = "session-input-lost";
    /// An operation, or the description, takes more steps to read than the limits allow.
    TooComplex = "too-complex";
    /// The description has more operations than the limits allow.
    TooManyOperations = "too-many-operations";
    /// A variable of the path has no declaration; it is offered as a text.
    UndeclaredPathParameter = "undeclared-path-parameter";
    /// A keyword that narrows values is misspelt or of an older draft; values are not checked against it.
    UnknownKeyword = "unknown-keyword";
    /// A security scheme is not declared, or of an unknown type.
    UnknownSecurityScheme = "unknown-security-scheme";
    /// A schema allows no value.
    UnsatisfiableSchema = "unsatisfiable-schema";
    /// A pattern needs backtracking; values are not checked against it.
    UnsupportedPattern = "unsupported-pattern";
    /// The description is of a version this build does not read.
    UnsupportedVersion = "unsupported-version";
    /// A path parameter is not in the path; it is ignored.
    UnusedPathParameter = "unused-path-parameter";
    /// The name of an operation says nothing about it.
    VagueName = "vague-name";
    /// The root element of an XML body has no name; it is named after what is nearest.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_distinct_sorted_and_explained() {
        let names = Code::ALL.map(Code::as_str);
        assert!(names.windows(2).all(|pair| pair[0] < pair[1]), "{names:?}");
        for code in Code::ALL {
            let explanation = code.explanation();
            assert!(explanation.ends_with('.') && explanation.lines().count() == 1, "{code:?}");
        }
    }
}
