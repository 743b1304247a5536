//! The stable codes of findings, one for each kind. A code never changes its meaning and is never used again for
//! another one.

mod explanation;
mod name;

use callgate_tree::CodeName;

/// The kinds of findings about a description, beyond those about its text ([`TextCode`](callgate_tree::TextCode)).
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
#[non_exhaustive]
pub enum Code {
    /// Lists in a list are written with the separator of the list they are in.
    AmbiguousList,
    /// A body has no media type this build writes: calls that need it are refused.
    BodyMediaNotWritten,
    /// A parameter names the place of a credential and is not offered.
    CredentialParameter,
    /// A reference leads in a circle and stands for nothing.
    CyclicReference,
    /// A keyword of a schema has a value of a wrong type and was left out.
    DroppedKeyword,
    /// A list of parameters has one twice; the first one counts.
    DuplicateParameter,
    /// What is filled in behind a dynamic reference is looked for as if it were a plain one.
    DynamicReference,
    /// A part of a multipart body is itself divided, or a form is one by position: calls that need it are refused.
    EncodingNotWritten,
    /// A reference leads to a document that may not be read.
    ExternalReference,
    /// A header parameter that arguments may never set; it is not offered.
    ForbiddenHeader,
    /// An operation has a server of its own that credentials may not go to; it cannot be called.
    ForeignServer,
    /// Tokens for a security scheme are asked for at an origin that credentials may not go to.
    ForeignTokenEndpoint,
    /// A path key that could lead elsewhere than below the server.
    HostilePath,
    /// The description has webhooks, which are no tools.
    IgnoredWebhooks,
    /// A default is no value that its own schema allows; it is not sent.
    IllegalDefault,
    /// The `$self` of a document is no address it can be known by, and is ignored.
    InvalidSelf,
    /// A server is not a plain http or https address.
    InvalidServer,
    /// A session annotation names nothing the session has.
    InvalidSessionInput,
    /// A style that the place of the parameter does not allow; the default is used.
    InvalidStyle,
    /// Two inputs would write one key.
    KeyCollision,
    /// A declaration costs more tokens than a model should pay for one tool.
    LargeTool,
    /// A part of the description has a wrong type or lacks what makes it one.
    MalformedNode,
    /// All declarations together cost more tokens than a context should hold.
    ManyTokens,
    /// A body is described for a range of media types; JSON is taken.
    MediaRange,
    /// No credential at hand meets what an operation asks for; it cannot be called.
    MissingCredential,
    /// A reference names nothing in the document.
    MissingReference,
    /// There are more findings than are shown.
    MoreFindings,
    /// An operation says nothing about what it is for.
    NoDescription,
    /// No absolute server is known.
    NoServer,
    /// The text is no OpenAPI description.
    NotADescription,
    /// A path parameter is not marked as required; it is required all the same.
    OptionalPathParameter,
    /// An overlay changes a node in a way that its kind does not allow.
    OverlayConflict,
    /// A document is no legal overlay of a version this build applies.
    OverlayInvalid,
    /// An action of an overlay selects nothing and changes nothing.
    OverlayNoMatch,
    /// A target is no `JSONPath` expression, or is read as it was meant.
    OverlayPath,
    /// Overlays make the description larger than the limits allow.
    OverlayTooLarge,
    /// A header of a part has no fixed value; it is not sent.
    PartHeader,
    /// The key of a path item has a fragment, which is not sent.
    PathFragment,
    /// The key of a path item has variables in its query, which are written as values of the query.
    PathQuery,
    /// A provider of models is known to refuse or lose a part of the declarations.
    ProviderLimit,
    /// A keyword of a schema was read as it was meant; nothing is lost.
    RepairedKeyword,
    /// A header parameter `Accept`, `Authorization` or `Content-Type`, which is ignored.
    ReservedHeader,
    /// The description names a dialect of JSON Schema that is not known.
    SchemaDialect,
    /// A schema has more parts than a declaration may have; the rest allows everything.
    SchemaTooLarge,
    /// A server variable has no value, or one it does not allow.
    ServerVariable,
    /// A session input stands where no value can be filled in.
    SessionInputLost,
    /// An operation, or the description, takes more steps to read than the limits allow.
    TooComplex,
    /// The description has more operations than the limits allow.
    TooManyOperations,
    /// A variable of the path has no declaration; it is offered as a text.
    UndeclaredPathParameter,
    /// A keyword that narrows values is misspelt or of an older draft; values are not checked against it.
    UnknownKeyword,
    /// A security scheme is not declared, or of an unknown type.
    UnknownSecurityScheme,
    /// A schema allows no value.
    UnsatisfiableSchema,
    /// A pattern needs backtracking; values are not checked against it.
    UnsupportedPattern,
    /// The description is of a version this build does not read.
    UnsupportedVersion,
    /// A path parameter is not in the path; it is ignored.
    UnusedPathParameter,
    /// The name of an operation says nothing about it.
    VagueName,
    /// The root element of an XML body has no name; it is named after what is nearest.
    XmlRootName,
}

impl Code {
    /// Every code, in alphabetical order.
    pub const ALL: [Self; 57] = [
        Self::AmbiguousList,
        Self::BodyMediaNotWritten,
        Self::CredentialParameter,
        Self::CyclicReference,
        Self::DroppedKeyword,
        Self::DuplicateParameter,
        Self::DynamicReference,
        Self::EncodingNotWritten,
        Self::ExternalReference,
        Self::ForbiddenHeader,
        Self::ForeignServer,
        Self::ForeignTokenEndpoint,
        Self::HostilePath,
        Self::IgnoredWebhooks,
        Self::IllegalDefault,
        Self::InvalidSelf,
        Self::InvalidServer,
        Self::InvalidSessionInput,
        Self::InvalidStyle,
        Self::KeyCollision,
        Self::LargeTool,
        Self::MalformedNode,
        Self::ManyTokens,
        Self::MediaRange,
        Self::MissingCredential,
        Self::MissingReference,
        Self::MoreFindings,
        Self::NoDescription,
        Self::NoServer,
        Self::NotADescription,
        Self::OptionalPathParameter,
        Self::OverlayConflict,
        Self::OverlayInvalid,
        Self::OverlayNoMatch,
        Self::OverlayPath,
        Self::OverlayTooLarge,
        Self::PartHeader,
        Self::PathFragment,
        Self::PathQuery,
        Self::ProviderLimit,
        Self::RepairedKeyword,
        Self::ReservedHeader,
        Self::SchemaDialect,
        Self::SchemaTooLarge,
        Self::ServerVariable,
        Self::SessionInputLost,
        Self::TooComplex,
        Self::TooManyOperations,
        Self::UndeclaredPathParameter,
        Self::UnknownKeyword,
        Self::UnknownSecurityScheme,
        Self::UnsatisfiableSchema,
        Self::UnsupportedPattern,
        Self::UnsupportedVersion,
        Self::UnusedPathParameter,
        Self::VagueName,
        Self::XmlRootName,
    ];

    /// A paragraph for whoever asks what the code means.
    pub fn explanation(self) -> &'static str {
        explanation::explanation(self)
    }

    /// The code as it is shown: lower-case words with dashes.
    pub fn as_str(self) -> &'static str {
        name::name(self)
    }
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
            assert!(code.explanation().ends_with('.'), "{code:?}");
        }
    }
}
