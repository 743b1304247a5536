//! Finds the schemas that inherit from another one: a schema with a `discriminator` represents them too.

use callgate_tree::{Node, Object, Path};

use crate::{
    document::Document,
    reference::{Located, reference_of},
};

/// The schemas under `components` whose `allOf` refers to the schema at a pointer.
pub(super) fn inheriting_schemas<'d>(document: &'d Document, pointer: &str) -> Vec<Located<'d>> {
    let components = document.root().get("components").and_then(|parts| parts.get("schemas"));
    let schemas = components.or_else(|| document.root().get("definitions"));
    let above = if components.is_some() { "/components/schemas" } else { "/definitions" };
    let path = Path::at(above);
    let schemas = schemas.and_then(Node::as_object).into_iter().flat_map(Object::iter);
    let inherits = |node: &Node| {
        let bases = node.get("allOf").and_then(Node::as_array).unwrap_or_default().iter();
        let mut named = bases.filter_map(|base| reference_of(base)?.strip_prefix('#'));
        named.any(|base| base == pointer)
    };
    document
        .affordable(schemas, 1)
        .filter(|(_, node)| inherits(node))
        .map(|(name, node)| Located::new(node, &path.name(name)))
        .collect()
}
