//! Decides if the members of a body can be the arguments of a tool, with all rules of the body's schema: the body must
//! be a JSON object, and a model may supply no other input. `declaration` declares them.

use std::{fmt, sync::Arc};

use callgate_tool::ArgumentName;
use callgate_tree::Node;

use crate::{
    body::{BodyKind, media::DescribedBody},
    document::Document,
    input::{Input, InputLocation, ValueSource},
    reference::{LocatedNode, follow_references, reference_chain},
    schema::nullable::has_nullable_keyword,
};

/// The reason why the members of a body are not the arguments of a tool.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum NoBodyArguments {
    /// A model may supply this other input beside the body.
    Beside(ArgumentName),
    /// There is no body.
    NoBody,
    /// The preferred media type of the body is not JSON.
    NotJson(Arc<str>),
    /// The schema of the body also allows values that are not objects.
    NotObject,
    /// The session supplies the body.
    OfSession,
}

impl fmt::Display for NoBodyArguments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Beside(argument) => write!(f, "the argument `{argument}` beside it"),
            Self::NoBody => f.write_str("no body"),
            Self::NotJson(media_type) => write!(f, "a body of type `{media_type}`"),
            Self::NotObject => f.write_str("a body that need not be an object"),
            Self::OfSession => f.write_str("a body that the session gives"),
        }
    }
}

/// Reduces a body to its preferred media type: otherwise the choice would be an argument.
pub(super) fn keep_preferred_media(
    document: &Document,
    body: &mut Option<DescribedBody<'_>>,
) -> Result<(), NoBodyArguments> {
    let Some(body) = body.as_mut().filter(|body| body.fields.is_empty()) else {
        return Err(NoBodyArguments::NoBody);
    };
    let Some(media) = body.media.first() else { return Err(NoBodyArguments::NoBody) };
    if media.kind != BodyKind::Json {
        return Err(NoBodyArguments::NotJson(Arc::clone(&media.media_type)));
    }
    let schema = media.schema.as_ref().filter(|_| !media.is_item);
    if !schema.is_some_and(|schema| is_object(document, schema, DEEPEST)) {
        return Err(NoBodyArguments::NotObject);
    }
    body.media.truncate(1);
    Ok(())
}

pub(super) fn body_arguments_refusal(inputs: &[Input]) -> Option<NoBodyArguments> {
    let is_body = |input: &Input| input.place() == InputLocation::Body;
    if inputs.iter().any(|input| is_body(input) && input.source != ValueSource::Model) {
        return Some(NoBodyArguments::OfSession);
    }
    let beside = inputs.iter().find(|input| input.visible && !is_body(input));
    beside.map(|input| NoBodyArguments::Beside(input.argument.clone()))
}

/// True if a schema allows only objects. The schema itself may say so, or the target of its reference, or one of its
/// `allOf` schemas, or each of its alternatives.
fn is_object(document: &Document, schema: &LocatedNode<'_>, depth: usize) -> bool {
    let path = schema.path();
    let Some(depth) = document.descend_to_remaining_depth(depth, SCHEMA) else { return false };
    if reference_chain(document, schema.node, &path)
        .any(|node| has_nullable_keyword(document, node))
    {
        return false;
    }
    let said = reference_chain(document, schema.node, &path).find_map(|node| node.get("type"));
    if let Some(kind) = said {
        return match kind.as_array() {
            Some(kinds) => kinds.len() == 1 && kinds.iter().all(is_object_type),
            None => is_object_type(kind),
        };
    }
    let Ok(resolved_schema) = follow_references(document, schema.node, &path) else { return false };
    let each = |keyword: &str| {
        let parts = resolved_schema.node.list(keyword);
        let path = resolved_schema.path();
        let path = path.name(keyword);
        let is_object =
            |(at, part)| is_object(document, &LocatedNode::new(part, &path.index(at)), depth);
        parts.iter().enumerate().map(is_object).collect::<Vec<_>>()
    };
    let all = |of: Vec<bool>| !of.is_empty() && of.iter().all(|is| *is);
    resolved_schema.node.get("properties").is_some()
        || each("allOf").contains(&true)
        || all(each("anyOf"))
        || all(each("oneOf"))
}

fn is_object_type(kind: &Node) -> bool {
    kind.as_str() == Some("object")
}

/// The depth to which compositions are searched.
const DEEPEST: usize = 8;

/// The cost to read a schema, in steps.
const SCHEMA: usize = 8;
