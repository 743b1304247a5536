//! Says how the bytes of a body are made, from the name of its media type alone.

use crate::body::BodyKind;

/// How a media type is written, from its name in lower case without parameters.
pub(super) fn kind(bare: &str) -> BodyKind {
    let (general, special) = bare.split_once('/').unwrap_or((bare, ""));
    match (general, special) {
        (_, "x-ndjson" | "ndjson" | "jsonl" | "x-jsonl" | "jsonlines" | "json-seq") => {
            BodyKind::JsonLines
        }
        ("*" | "application", "*") | (_, "json") => BodyKind::Json,
        ("multipart", _) => BodyKind::Multipart,
        (_, "x-www-form-urlencoded") => BodyKind::Form,
        ("application" | "text", "xml") => BodyKind::Xml,
        _ if special.ends_with("+json") => BodyKind::Json,
        _ if special.ends_with("+xml") => BodyKind::Xml,
        // RFC 9239 §6, RFC 6922, RFC 9512: programs, queries and settings are text, though not by name.
        ("text", _)
        | (
            "application",
            "ecmascript" | "graphql" | "javascript" | "sql" | "toml" | "x-javascript" | "x-yaml"
            | "yaml",
        ) => BodyKind::Text,
        _ => BodyKind::Binary,
    }
}
