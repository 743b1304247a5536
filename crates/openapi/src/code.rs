//! The stable codes of findings, one for each kind, in one table: a row makes the code, its name, and what is known about it.
//! A code never changes its meaning and is never used again for another one.
//!
//! The explanation of a code is the file `code/NAME.md`: one paragraph, what to do last. A row `with example` has a
//! description that is found wrong, `code/NAME/wrong.yaml`, and its mended form, `code/NAME/mended.yaml`; of codes about overlays
//! both are overlays of a description with the path `/pets`, and of codes about credentials
//! configurations of `code/secured.yaml`. The command is run with each in its tests.

use callgate_tree::CodeName;

/// A description, or an overlay of one, in which something is found, and how it is mended.
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
    ($($(#[$meta:meta])* $code:ident = $name:literal $(with $example:ident)?;)+) => {
        /// The kinds of findings about a description, beyond those about its text ([`TextCode`](callgate_tree::TextCode)).
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

            /// A text in which it is found, beside its mended form, where there is one to show.
            pub fn example(self) -> Option<Example> {
                match self {
                    $(Self::$code => example!($name $($example)?),)+
                }
            }
        }
    };
}

/// The example of a row.
macro_rules! example {
    ($name:literal) => {
        None
    };
    ($name:literal example) => {
        Some(Example {
            wrong: include_str!(concat!("code/", $name, "/wrong.yaml")),
            mended: include_str!(concat!("code/", $name, "/mended.yaml")),
        })
    };
}

codes! {
    /// Lists in a list are written with the separator of the list they are in.
    AmbiguousList = "ambiguous-list" with example;
    /// A body has no media type this build writes: calls that need it are refused.
    BodyMediaNotWritten = "body-media-not-written" with example;
    /// A parameter names the place of a credential and is not offered.
    CredentialParameter = "credential-parameter" with example;
    /// A reference leads in a circle and stands for nothing.
    CyclicReference = "cyclic-reference" with example;
    /// A keyword of a schema has a value of a wrong type and was left out.
    DroppedKeyword = "dropped-keyword" with example;
    /// Two operations have one `operationId`; both are offered.
    DuplicateOperationId = "duplicate-operation-id" with example;
    /// A list of parameters has one twice; the first one counts.
    DuplicateParameter = "duplicate-parameter" with example;
    /// A dynamic reference is followed as if it were a plain one where values are filled in behind it.
    DynamicReference = "dynamic-reference" with example;
    /// A part of a multipart body is itself divided, or a form is one by position: calls that need it are refused.
    EncodingNotWritten = "encoding-not-written" with example;
    /// A reference leads to a document that may not be read.
    ExternalReference = "external-reference" with example;
    /// A header parameter that arguments may never set; it is not offered.
    ForbiddenHeader = "forbidden-header" with example;
    /// An operation has a server of its own that credentials may not go to; it cannot be called.
    ForeignServer = "foreign-server" with example;
    /// Tokens for a security scheme are asked for at an origin that credentials may not go to.
    ForeignTokenEndpoint = "foreign-token-endpoint" with example;
    /// A path key that could lead elsewhere than below the server.
    HostilePath = "hostile-path" with example;
    /// The description has webhooks, which are no tools.
    IgnoredWebhooks = "ignored-webhooks" with example;
    /// A default is no value that its own schema allows; it is not sent.
    IllegalDefault = "illegal-default" with example;
    /// The `$self` of a document is no address it can be known by, and is ignored.
    InvalidSelf = "invalid-self" with example;
    /// A server is not a plain http or https address.
    InvalidServer = "invalid-server" with example;
    /// A session annotation names nothing the session has.
    InvalidSessionInput = "invalid-session-input" with example;
    /// A style that the place of the parameter does not allow; the default is used.
    InvalidStyle = "invalid-style" with example;
    /// Two inputs would write one key.
    KeyCollision = "key-collision" with example;
    /// A declaration costs more tokens than a model should pay for one tool.
    LargeTool = "large-tool";
    /// A part of the description has a wrong type or lacks what makes it one.
    MalformedNode = "malformed-node" with example;
    /// All declarations together cost more tokens than a context should hold.
    ManyTokens = "many-tokens";
    /// An argument cannot stand in the header of MCP that its schema names.
    McpHeader = "mcp-header" with example;
    /// A body is described for a range of media types; JSON is taken.
    MediaRange = "media-range" with example;
    /// No credential at hand meets what an operation asks for; it cannot be called.
    MissingCredential = "missing-credential" with example;
    /// A reference names nothing in the document.
    MissingReference = "missing-reference" with example;
    /// There are more findings than are shown.
    MoreFindings = "more-findings";
    /// An operation says nothing about what it is for.
    NoDescription = "no-description" with example;
    /// No absolute server is known.
    NoServer = "no-server" with example;
    /// The text is no OpenAPI description.
    NotADescription = "not-a-description" with example;
    /// A path parameter is not marked as required; it is required all the same.
    OptionalPathParameter = "optional-path-parameter" with example;
    /// An overlay changes a node in a way that its kind does not allow.
    OverlayConflict = "overlay-conflict" with example;
    /// A document is no legal overlay of a version this build applies.
    OverlayInvalid = "overlay-invalid" with example;
    /// An action of an overlay selects nothing and changes nothing.
    OverlayNoMatch = "overlay-no-match" with example;
    /// A target is no `JSONPath` expression, or is read as it was meant.
    OverlayPath = "overlay-path" with example;
    /// Overlays make the description larger than the limits allow.
    OverlayTooLarge = "overlay-too-large";
    /// A header of a part has no fixed value; it is not sent.
    PartHeader = "part-header" with example;
    /// The key of a path item has a fragment, which is not sent.
    PathFragment = "path-fragment" with example;
    /// The key of a path item has variables in its query, which are written as values of the query.
    PathQuery = "path-query" with example;
    /// A provider of models is known to refuse or lose a part of the declarations.
    ProviderLimit = "provider-limit" with example;
    /// A keyword of a schema was read as it was meant; nothing is lost.
    RepairedKeyword = "repaired-keyword" with example;
    /// A header parameter `Accept`, `Authorization` or `Content-Type`, which is ignored.
    ReservedHeader = "reserved-header" with example;
    /// The description names a dialect of JSON Schema that is not known.
    SchemaDialect = "schema-dialect" with example;
    /// A schema has more parts than a declaration may have; the rest allows everything.
    SchemaTooLarge = "schema-too-large";
    /// A server variable has no value, or one it does not allow.
    ServerVariable = "server-variable" with example;
    /// A session input stands where no value can be filled in.
    SessionInputLost = "session-input-lost" with example;
    /// An operation, or the description, takes more steps to read than the limits allow.
    TooComplex = "too-complex";
    /// The description has more operations than the limits allow.
    TooManyOperations = "too-many-operations";
    /// A variable of the path has no declaration; it is offered as a text.
    UndeclaredPathParameter = "undeclared-path-parameter" with example;
    /// A keyword that narrows values is misspelt or of an older draft; values are not checked against it.
    UnknownKeyword = "unknown-keyword" with example;
    /// A security scheme is not declared, or of an unknown type.
    UnknownSecurityScheme = "unknown-security-scheme" with example;
    /// A schema allows no value.
    UnsatisfiableSchema = "unsatisfiable-schema" with example;
    /// A pattern needs backtracking; values are not checked against it.
    UnsupportedPattern = "unsupported-pattern" with example;
    /// The description is of a version this build does not read.
    UnsupportedVersion = "unsupported-version" with example;
    /// A path parameter is not in the path; it is ignored.
    UnusedPathParameter = "unused-path-parameter" with example;
    /// The name of an operation says nothing about it.
    VagueName = "vague-name" with example;
    /// The root element of an XML body has no name; it is named after what is nearest.
    XmlRootName = "xml-root-name" with example;
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
