//! Keeps the meaning of `discriminator`: a branch that the mapping names requires the value that names it. Without a
//! mapping nothing is added, because real descriptions often use other values than the names of their schemas.

use serde_json::{Map, Value, json};

use crate::{
    node::{Node, Object},
    pointer::Path,
    reference::{Located, beyond, chain, reference_of},
    schema::Builder,
};

/// Adds to each branch of `oneOf` and `anyOf` the values its mapping gives it.
pub(super) fn apply<'d>(
    builder: &Builder<'d>,
    node: &'d Node,
    path: &Path<'_>,
    built: &mut Map<String, Value>,
) {
    let Some(discriminator) = node.get("discriminator") else { return };
    let property = discriminator.get("propertyName").and_then(Node::as_str);
    let mapping = discriminator.get("mapping").and_then(Node::as_object);
    let (Some(property), Some(mapping)) = (property, mapping) else { return };
    for keyword in ["anyOf", "oneOf"] {
        let branches = node.get(keyword).and_then(Node::as_array).unwrap_or_default();
        let Some(Value::Array(built)) = built.get_mut(keyword) else { continue };
        for (branch, built) in branches.iter().zip(built) {
            let values = values_of(branch, mapping);
            let branch = Located::new(branch, path);
            if let (Value::Object(built), true) =
                (built, follows(builder, branch, property, &values))
            {
                built.insert("properties".to_owned(), json!({property: {"enum": values}}));
            }
        }
    }
}

/// The values a mapping gives a branch.
fn values_of<'m>(branch: &Node, mapping: &'m Object) -> Vec<&'m str> {
    let Some(reference) = reference_of(branch) else { return Vec::new() };
    let rows = mapping.iter();
    let rows = rows.filter(|(_, to)| to.as_str().is_some_and(|to| names(to, reference)));
    rows.map(|(value, _)| &**value).collect()
}

/// Whether a mapping's target is this reference: as written, or by the schema's bare name.
fn names(to: &str, reference: &str) -> bool {
    to == reference || reference.strip_prefix("#/components/schemas/") == Some(to)
}

/// Whether the branch itself allows these values.
fn follows<'d>(
    builder: &Builder<'d>,
    branch: Located<'d>,
    property: &str,
    values: &[&str],
) -> bool {
    let mut levels = beyond(builder.document, branch.node, &branch.path());
    levels.insert(0, branch);
    let declared = levels.iter().find_map(|level| {
        let node = level.node.get("properties")?.get(property)?;
        chain(builder.document, node, &level.path()).find_map(|node| node.get("enum"))
    });
    let legal = declared.and_then(Node::as_array);
    let allows = |value: &&str| {
        legal.is_none_or(|legal| legal.iter().any(|known| known.as_str() == Some(value)))
    };
    !values.is_empty() && values.iter().all(allows)
}
