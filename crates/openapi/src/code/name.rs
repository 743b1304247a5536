//! The name of each code, as it is shown and asked for.

use crate::code::Code;

/// Lower-case words with dashes.
pub(super) fn name(code: Code) -> &'static str {
    let row = NAMES.iter().find(|(named, _)| *named == code);
    row.map_or("", |(_, name)| name)
}

const NAMES: [(Code, &str); 50] = [
    (Code::AmbiguousList, "ambiguous-list"),
    (Code::BodyMediaNotWritten, "body-media-not-written"),
    (Code::CredentialParameter, "credential-parameter"),
    (Code::CyclicReference, "cyclic-reference"),
    (Code::DroppedKeyword, "dropped-keyword"),
    (Code::DuplicateParameter, "duplicate-parameter"),
    (Code::DynamicReference, "dynamic-reference"),
    (Code::EncodingNotWritten, "encoding-not-written"),
    (Code::ExternalReference, "external-reference"),
    (Code::ForbiddenHeader, "forbidden-header"),
    (Code::ForeignServer, "foreign-server"),
    (Code::HostilePath, "hostile-path"),
    (Code::IgnoredWebhooks, "ignored-webhooks"),
    (Code::InvalidSelf, "invalid-self"),
    (Code::InvalidServer, "invalid-server"),
    (Code::InvalidSessionInput, "invalid-session-input"),
    (Code::InvalidStyle, "invalid-style"),
    (Code::LargeTool, "large-tool"),
    (Code::MalformedNode, "malformed-node"),
    (Code::ManyTokens, "many-tokens"),
    (Code::MediaRange, "media-range"),
    (Code::MissingCredential, "missing-credential"),
    (Code::MissingReference, "missing-reference"),
    (Code::MoreFindings, "more-findings"),
    (Code::NoDescription, "no-description"),
    (Code::NoServer, "no-server"),
    (Code::NotADescription, "not-a-description"),
    (Code::OptionalPathParameter, "optional-path-parameter"),
    (Code::OverlayConflict, "overlay-conflict"),
    (Code::OverlayInvalid, "overlay-invalid"),
    (Code::OverlayNoMatch, "overlay-no-match"),
    (Code::OverlayPath, "overlay-path"),
    (Code::OverlayTooLarge, "overlay-too-large"),
    (Code::PartHeader, "part-header"),
    (Code::PathFragment, "path-fragment"),
    (Code::ProviderLimit, "provider-limit"),
    (Code::RepairedKeyword, "repaired-keyword"),
    (Code::ReservedHeader, "reserved-header"),
    (Code::SchemaDialect, "schema-dialect"),
    (Code::SchemaTooLarge, "schema-too-large"),
    (Code::ServerVariable, "server-variable"),
    (Code::SessionInputLost, "session-input-lost"),
    (Code::TooComplex, "too-complex"),
    (Code::TooManyOperations, "too-many-operations"),
    (Code::UndeclaredPathParameter, "undeclared-path-parameter"),
    (Code::UnknownSecurityScheme, "unknown-security-scheme"),
    (Code::UnsupportedPattern, "unsupported-pattern"),
    (Code::UnsupportedVersion, "unsupported-version"),
    (Code::UnusedPathParameter, "unused-path-parameter"),
    (Code::VagueName, "vague-name"),
];
