//! Decides how a body becomes bytes, from the name of its media type and from its schema.

use std::sync::Arc;

use crate::{
    body::{BodyKind, files},
    code::Code,
    cursor::Cursor,
    document::Document,
    reference::{LocatedNode, reference_chain},
};

/// The kind of encoding of a media type, from its name in lower case without parameters.
pub(super) fn body_kind(bare: &str) -> BodyKind {
    let (general, special) = bare.split_once('/').unwrap_or((bare, ""));
    match (general, special) {
        (_, "x-ndjson" | "ndjson" | "jsonl" | "x-jsonl" | "jsonlines" | "json-seq") => {
            BodyKind::JsonLines
        }
        ("*" | "application", "*") | (_, "json" | "x-json") => BodyKind::Json,
        ("multipart", _) => BodyKind::Multipart,
        (_, "x-www-form-urlencoded") => BodyKind::Form,
        ("application" | "text", "xml") => BodyKind::Xml,
        _ if special.ends_with("+json") => BodyKind::Json,
        _ if special.ends_with("+xml") => BodyKind::Xml,
        // RFC 9239 §6, RFC 6922, RFC 9512, RFC 8866 §8.1: programs, queries, settings and descriptions of sessions are text, although
        // their media types do not begin with `text/`.
        ("text", _)
        | (
            "application",
            "ecmascript" | "graphql" | "javascript" | "n-quads" | "n-triples" | "sdp"
            | "sparql-query" | "sparql-update" | "sql" | "toml" | "trig" | "x-javascript" | "x-sh"
            | "x-yaml" | "yaml",
        ) => BodyKind::Text,
        _ => BodyKind::Binary,
    }
}

/// The kind of encoding of a body with a known schema: bytes only if the schema means bytes, text otherwise.
pub(super) fn kind_with_schema(
    document: &Document,
    kind: BodyKind,
    schema: Option<&LocatedNode<'_>>,
) -> BodyKind {
    let Some(schema) = schema else { return kind };
    let says = |name: &str| {
        reference_chain(document, schema.node, &schema.path()).any(|node| node.get(name).is_some())
    };
    let is_bytes = files::is_file_or_files(document, schema.node, &schema.path());
    match kind {
        BodyKind::Binary if !is_bytes && RESTRICTING.iter().any(|name| says(name)) => {
            BodyKind::Text
        }
        // A body that the schema names as an element is one, and its content is text.
        BodyKind::Xml if says("xml") => kind,
        BodyKind::Text | BodyKind::Xml if is_bytes && !says("items") => BodyKind::Binary,
        kind => kind,
    }
}

/// True if JSON is of one of the media types of a member; without any, it is the default of an object.
pub(super) fn allows_json(content_types: &[Arc<str>]) -> bool {
    let takes = |media_type: &Arc<str>| {
        let bare = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        body_kind(&bare) == BodyKind::Json || bare == "application/octet-stream"
    };
    content_types.is_empty() || content_types.iter().any(takes)
}

/// True if the schema describes an object, or a list of objects.
pub(super) fn holds_objects(document: &Document, schema: &LocatedNode<'_>) -> bool {
    is_object(document, schema, DEEPEST)
        || schema.member("items").is_some_and(|items| is_object(document, &items, DEEPEST))
}

/// True if the schema describes an object although the media type holds only bytes. This is reported, and bytes are sent.
pub(super) fn report_object_under_bytes(
    cursor: Cursor<'_, '_>,
    media_type: &str,
    kind: BodyKind,
    schema: &LocatedNode<'_>,
) -> bool {
    let bare = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    // The model may not fill session values inside an object.
    let is_free = kind == BodyKind::Text && !cursor.document.has_session_inputs();
    if !is_free || !is_bytes_only_type(&bare) || !is_object(cursor.document, schema, DEEPEST) {
        return false;
    }
    report_non_bytes_schema(cursor, schema, &bare, "an object");
    true
}

/// Reports a schema of other values than bytes under a media type that holds only bytes.
pub(super) fn report_non_bytes_schema(
    cursor: Cursor<'_, '_>,
    schema: &LocatedNode<'_>,
    bare: &str,
    noun: &str,
) {
    let message = format!("expected a schema of bytes under `{bare}`, got one of {noun}");
    let help = "write `type: string, format: binary`; bytes are asked for";
    cursor.with_report_pointer(&schema.pointer).note(Code::DroppedKeyword, message, help);
}

/// True if the schema describes an object or a list, and the media type has no form for one: only plain text and YAML
/// may hold JSON beside the media types of JSON.
pub(super) fn is_unwritable_structure(
    document: &Document,
    media_type: &str,
    schema: &LocatedNode<'_>,
) -> bool {
    let bare = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let may_hold_json = bare == "text/plain" || bare.ends_with("yaml") || bare.ends_with('*');
    !may_hold_json && is_object_or_list(document, schema, DEEPEST)
}

fn is_object_or_list(document: &Document, schema: &LocatedNode<'_>, depth: usize) -> bool {
    let is_list = reference_chain(document, schema.node, &schema.path()).any(|node| {
        let kind = node.text("type");
        kind == Some("array") || (kind.is_none() && node.get("items").is_some())
    });
    is_list || is_object(document, schema, depth)
}

/// True if a schema states that its value is an object, directly or by composition.
fn is_object(document: &Document, schema: &LocatedNode<'_>, depth: usize) -> bool {
    let Some(depth) = document.descend_to_remaining_depth(depth, 1) else { return false };
    reference_chain(document, schema.node, &schema.path()).any(|node| {
        let kind = node.text("type");
        let branches = |keyword: &str| {
            let branches = node.list(keyword);
            branches.iter().map(|branch| LocatedNode::new(branch, &schema.path()))
        };
        let says = |branch: LocatedNode<'_>| is_object(document, &branch, depth);
        let are_all =
            |keyword: &str| branches(keyword).next().is_some() && branches(keyword).all(says);
        kind == Some("object")
            || (kind.is_none() && node.get("properties").is_some())
            || branches("allOf").any(says)
            || are_all("anyOf")
            || are_all("oneOf")
    })
}

/// The depth of the search. Real bodies have fewer levels of composition.
const DEEPEST: usize = 8;

/// True if a media type holds only bytes, by its name in lower case without parameters.
pub(super) fn is_bytes_only_type(bare: &str) -> bool {
    let (general, special) = bare.split_once('/').unwrap_or((bare, ""));
    match general {
        "audio" | "font" | "video" => true,
        // SVG is XML.
        "image" => !special.contains("svg"),
        "application" => matches!(
            special,
            "gzip" | "octet-stream" | "pdf" | "x-gzip" | "x-tar" | "x-zip-compressed" | "zip"
        ),
        _ => false,
    }
}

const RESTRICTING: [&str; 7] = ["allOf", "anyOf", "enum", "items", "oneOf", "properties", "type"];
