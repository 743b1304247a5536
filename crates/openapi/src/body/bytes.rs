//! Compares how the media types of a body carry bytes: unchanged, or as base64 in a text. It examines the properties of
//! a body, through references, compositions and lists.

use callgate_tree::Node;

use crate::{
    body::{
        BodyKind, PropertyEncoding,
        files::{composition_branches, schema_and_targets},
    },
    document::Document,
    reference::LocatedNode,
    schema::bytes::is_bytes,
};

/// Returns true if a media type carries bytes unchanged.
pub(super) fn carries_bytes(kind: BodyKind, encodings: &[PropertyEncoding]) -> bool {
    match kind {
        BodyKind::Binary => true,
        BodyKind::Multipart => encodings.iter().any(|encoding| encoding.is_binary),
        _ => false,
    }
}

/// Returns true if a media type holds bytes as a text: no value of JSON is bytes, and no field of a form.
pub(super) fn holds_encoded_bytes(
    document: &Document,
    kind: BodyKind,
    schema: Option<&LocatedNode<'_>>,
) -> bool {
    let schema = schema.filter(|_| matches!(kind, BodyKind::Form | BodyKind::Json));
    schema.is_some_and(|schema| has_encoded_part(document, schema.clone(), &mut { MOST_VISITED }))
}

fn has_encoded_part<'d>(document: &'d Document, schema: LocatedNode<'d>, left: &mut usize) -> bool {
    schema_and_targets(document, schema, left).iter().any(|at| {
        let path = at.path();
        let properties = at.node.members_of("properties").map(|(_, node)| node);
        let mut below = properties.chain(at.node.get("items")).chain(composition_branches(at.node));
        is_encoded_bytes_schema(at.node)
            || below.any(|node| has_encoded_part(document, LocatedNode::new(node, &path), left))
    })
}

fn is_encoded_bytes_schema(node: &Node) -> bool {
    is_bytes(node)
        || matches!(node.text("format"), Some("base64" | "base64url" | "byte"))
        || matches!(node.text("contentEncoding"), Some("base64" | "base64url"))
}

/// The number of schemas that are examined. Bodies have some hundred properties.
const MOST_VISITED: usize = 500;
