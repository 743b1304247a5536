//! Decides if a body is a plain object whose properties can be arguments: declared properties, no composition at its
//! root, no map, and a property that shows if the body is present.

use std::{collections::BTreeSet, sync::Arc};

use callgate_tree::{Node, Object, Path};

use crate::{
    body::{BodyKind, media::DescribedBody},
    document::Document,
    reference::{LocatedNode, follow_references, reference_chain, reference_of},
    schema::{is_read_only, legal_default, nullable::has_nullable_keyword, only_value_of},
    session_input::session_annotation,
};

#[derive(Debug)]
pub(super) struct Property<'d> {
    pub(super) name: Arc<str>,
    pub(super) required: bool,
    pub(super) schema: LocatedNode<'d>,
}

pub(super) fn flat_properties<'d>(
    document: &'d Document,
    body: &DescribedBody<'d>,
) -> Option<Vec<Property<'d>>> {
    let media = body.media.first()?;
    let has_members = matches!(media.kind, BodyKind::Form | BodyKind::Json | BodyKind::Multipart);
    let schema = media.schema.as_ref().filter(|_| has_members && !media.is_item)?;
    let path = schema.path();
    let root = follow_references(document, schema.node, &path).ok()?;
    let object = root.node.as_object()?;
    // Without a required property the arguments would not show if the body is present (`shows_body_presence`).
    object.get("required").and_then(Node::as_array).filter(|required| !required.is_empty())?;
    // An annotation beside a reference would be lost.
    if session_annotation(document, schema.node, &path, &[body.object.node, media.object.node])
        .is_some()
        || legal_default(document, schema.node, &path).is_some()
        || !reference_chain(document, schema.node, &path)
            .all(|node| has_no_object_rules(document, node))
        || reference_chain(document, schema.node, &path)
            .any(|node| has_rules_beside_reference(document, node))
    {
        return None;
    }
    let mut properties = declared_properties(document, &root, object)?;
    properties.retain(|property| !body.withheld.contains(&property.name));
    shows_body_presence(document, &properties).then_some(properties)
}

/// Returns true if a schema has no rules about the object as a whole, which its properties alone would lose.
fn has_no_object_rules(document: &Document, node: &Node) -> bool {
    let Some(object) = node.as_object() else { return false };
    let is_object = match object.get("type") {
        None => true,
        Some(Node::Array(names)) => {
            names.len() == 1 && names.iter().all(|name| name.as_str() == Some("object"))
        }
        Some(kind) => kind.as_str() == Some("object"),
    };
    let is_closed = object
        .get("additionalProperties")
        .is_none_or(|more| matches!(more, Node::Bool(false) | Node::Null));
    let is_nullable = has_nullable_keyword(document, node);
    is_object && is_closed && !is_nullable && WHOLE.iter().all(|keyword| !object.contains(keyword))
}

/// Returns true if there are rules of members beside a reference, which count since 3.1 (JSON Schema 2020-12 §8.2.3.1).
fn has_rules_beside_reference(document: &Document, node: &Node) -> bool {
    document.version().is_at_least(3, 1)
        && reference_of(node).is_some()
        && BESIDE_REFERENCE.iter().any(|keyword| node.get(keyword).is_some())
}

fn declared_properties<'d>(
    document: &'d Document,
    root: &LocatedNode<'d>,
    object: &'d Object,
) -> Option<Vec<Property<'d>>> {
    let members = object.get("properties")?.as_object().filter(|members| !members.is_empty())?;
    let required = object.list("required").iter().filter_map(Node::as_str);
    let required: BTreeSet<&str> = required.collect();
    // A name that is required but not declared can only be supplied in a whole body.
    if !required.iter().all(|name| members.contains(name)) {
        return None;
    }
    let above = root.path();
    let path = above.name("properties");
    let steps = |member: &(&Arc<str>, _)| PROPERTY + path.name(member.0).step_cost();
    let affordable = document.meter().affordable_by(members.iter(), steps);
    let kept = affordable.filter(|(_, node)| !is_read_only(document, node, &path));
    let properties: Vec<_> = kept
        .map(|(name, node)| Property {
            name: Arc::clone(name),
            required: required.contains(&**name),
            schema: LocatedNode::new(node, &path.name(name)),
        })
        .collect();
    Some(properties).filter(|properties| !properties.is_empty())
}

/// Returns true if the arguments of a body show if it is present: one is required and comes only from the model.
/// Otherwise "no body" and an empty body would have equal arguments.
fn shows_body_presence<'d>(document: &'d Document, properties: &[Property<'d>]) -> bool {
    let comes_by_itself = |property: &Property<'d>| {
        let LocatedNode { node, pointer } = &property.schema;
        let path = Path::at(pointer);
        session_annotation(document, node, &path, &[]).is_some()
            || legal_default(document, node, &path).is_some()
            || only_value_of(document, node, &path).is_some()
    };
    properties.iter().any(|property| property.required && !comes_by_itself(property))
}

/// The total cost to examine a property, in steps.
const PROPERTY: usize = 8;

const BESIDE_REFERENCE: [&str; 3] = ["additionalProperties", "properties", "required"];
const WHOLE: &[&str] = &[
    "allOf",
    "anyOf",
    "const",
    "dependentRequired",
    "dependentSchemas",
    "discriminator",
    "else",
    "enum",
    "if",
    "maxProperties",
    "minProperties",
    "not",
    "oneOf",
    "patternProperties",
    "propertyNames",
    "then",
    "unevaluatedProperties",
];
