//! Recognizes the parts of a multipart body that are bytes by their media type alone: the media type that their encoding
//! names, or the default for a schema without a type. Schemas that state bytes themselves are recognized in `files`.

use std::sync::Arc;

use callgate_tree::Node;

use crate::{
    body::{BodyKind, files::schema_and_targets, kind::body_kind},
    document::Document,
    reference::{LocatedNode, reference_of},
};

/// Returns true if a part, or each item of its list, is bytes although its schema does not state that: all its content
/// types are of bytes and the schema allows any value or any text, or it has no content type and no type, which means
/// `application/octet-stream` (OpenAPI 3.1.1 §4.8.14.1, §4.8.15.1.1).
pub(super) fn is_untyped_bytes<'d>(
    document: &'d Document,
    part: LocatedNode<'d>,
    content_types: &[Arc<str>],
) -> bool {
    let has_types = !content_types.is_empty();
    let is_candidate = if has_types {
        content_types.iter().all(|media_type| is_binary_type(media_type))
    } else {
        document.version().is_at_least(3, 1)
    };
    if !is_candidate {
        return false;
    }
    let chain = schema_and_targets(document, part, &mut { DEEPEST });
    let Some(items) = chain.iter().find_map(|at| at.member("items")) else {
        return has_only_allowed_keywords(&chain, |keyword, value| {
            may_restrict_text(has_types, keyword, value)
        });
    };
    let items = schema_and_targets(document, items, &mut { DEEPEST });
    has_only_allowed_keywords(&chain, is_list_keyword)
        && has_only_allowed_keywords(&items, |keyword, value| {
            may_restrict_text(has_types, keyword, value)
        })
}

/// True if a schema and its references' targets have no other keywords than annotations and these.
fn has_only_allowed_keywords(
    chain: &[LocatedNode<'_>],
    is_allowed: impl Fn(&str, &Node) -> bool,
) -> bool {
    let is_whole = chain.last().is_some_and(|at| reference_of(at.node).is_none());
    is_whole
        && chain.iter().all(|at| match at.node {
            Node::Bool(allows) => *allows,
            Node::Object(members) => members.iter().all(|(keyword, value)| {
                SILENT.contains(&&**keyword)
                    || keyword.starts_with("x-")
                    || is_allowed(keyword, value)
            }),
            _ => false,
        })
}

fn may_restrict_text(has_types: bool, keyword: &str, value: &Node) -> bool {
    has_types
        && match keyword {
            "maxLength" | "minLength" => true,
            "type" => is_text_type(value),
            _ => false,
        }
}

fn is_text_type(kinds: &Node) -> bool {
    let is_text = |kind: &Node| matches!(kind.as_str(), Some("null" | "string"));
    match kinds.as_array() {
        Some(list) => list.iter().all(is_text),
        None => kinds.as_str() == Some("string"),
    }
}

fn is_list_keyword(keyword: &str, value: &Node) -> bool {
    match keyword {
        "items" | "maxItems" | "minItems" => true,
        "type" => value.as_str() == Some("array"),
        _ => false,
    }
}

/// True if a media type is neither text nor a format of structured values.
fn is_binary_type(media_type: &str) -> bool {
    let bare = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    body_kind(&bare) == BodyKind::Binary
}

/// The keywords that restrict no value.
const SILENT: [&str; 10] = [
    "$comment",
    "$ref",
    "deprecated",
    "description",
    "example",
    "examples",
    "nullable",
    "readOnly",
    "title",
    "writeOnly",
];

/// The depth of the search. Only references are followed.
const DEEPEST: usize = 8;

#[cfg(test)]
mod tests {
    use callgate_testkit::rows;
    use callgate_tool::{Value, json};

    use super::*;
    use crate::sample::node;

    #[test]
    fn only_a_media_type_or_a_missing_type_makes_a_part_bytes() {
        for [row, expected] in rows(
            r##"
            3.1.1 {} => true
            3.0.3 {} => false
            3.1.1 {"description": "a"} => true
            3.1.1 {"type": "string"} => false
            3.1.1 {"enum": ["a"]} => false
            3.1.1 {"$ref": "#/components/schemas/Any"} => true
            3.1.1 {"$ref": "#/components/schemas/None"} => false
            3.1.1 {"type": "array", "items": {}} => true
            3.1.1 {"type": "array", "items": {"type": "string"}} => false
            3.1.1 {"type": "array"} => false
            3.0.3 {} image/png => true
            3.0.3 {"type": "string"} image/png,image/* => true
            3.1.1 {"type": "array", "items": {"type": "string"}} application/pdf => true
            3.1.1 {"type": "string", "contentEncoding": "base64"} image/png => false
            3.0.3 {"type": "string", "format": "byte"} image/png => false
            3.0.3 {"type": "object"} image/png => false
            3.1.1 {} application/json => false
            3.1.1 {} text/plain => false
            3.1.1 {} image/svg+xml => false
            3.1.0 {"type": "string"} application/sdp => false
            3.1.1 {"type": "string"} image/png,text/plain => false
            "##,
        ) {
            let (version, rest) = row.split_once(' ').unwrap();
            let end = rest.rfind('}').unwrap() + 1;
            let (part, content_types) = rest.split_at(end);
            let part: Value = part.parse().unwrap();
            let content_types: Vec<Arc<str>> = content_types
                .trim()
                .split(',')
                .filter(|media_type| !media_type.is_empty())
                .map(Arc::from)
                .collect();
            let document = json!({"openapi": version, "part": part,
                "components": {"schemas": {"Any": {"title": "Any"}}}});
            let document = Document::new(node(&document)).unwrap();
            let part = document.root().get("part").unwrap();
            let part = LocatedNode { node: part, pointer: "/part".into() };
            let is_bytes = is_untyped_bytes(&document, part, &content_types);
            assert_eq!(is_bytes.to_string(), expected, "{row}");
        }
    }
}
