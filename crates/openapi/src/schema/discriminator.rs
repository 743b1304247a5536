//! Tells a model the meaning of `discriminator`: each branch requires its value, from the mapping or from the name of
//! its schema. A branch that itself declares other values is unchanged: then the description contradicts itself. It is
//! a hint (OpenAPI 3.1.1 §4.8.25): requests and responses are checked without it, and a failed check names the branch by it.

use callgate_tool::{Object, Value, json};
use callgate_tree::{Node, Path};
use hashbrown::{HashMap, HashSet};

use crate::{
    reference::{LocatedNode, reference_chain, reference_of, reference_targets},
    schema::{Builder, View},
};

/// Adds to each branch of `oneOf` and `anyOf` its discriminator values.
pub(super) fn add_discriminator_values<'d>(
    builder: &Builder<'d>,
    node: &'d Node,
    path: &Path<'_>,
    built: &mut Object,
) {
    let Some(discriminator) = node.get("discriminator") else { return };
    if builder.view == View::Output {
        return;
    }
    // A model learns the value of a branch; a check uses it only to say which branch an invalid value was meant for.
    let own = |property: &str, values: Vec<&str>| match builder.view {
        View::Complete => (TAG.to_owned(), json!({property: values})),
        _ => ("properties".to_owned(), json!({property: {"enum": values}})),
    };
    // Swagger 2.0 §Schema Object: only the name of the property.
    let property = discriminator.as_str();
    let property = property.or_else(|| discriminator.text("propertyName"));
    let mapping = discriminator.get("mapping").and_then(Node::as_object).map(values_by_target);
    let Some(property) = property else { return };
    for keyword in ["anyOf", "oneOf"] {
        let branches = node.list(keyword);
        let Some(Value::Array(built)) = built.get_mut(keyword) else { continue };
        for (branch, built) in builder.document.while_affordable(branches, BRANCH).zip(built) {
            let values = discriminator_values(branch, mapping.as_ref());
            let branch = LocatedNode::new(branch, path);
            if let (Value::Object(built), true) =
                (built, branch_allows_values(builder, branch, property, &values))
            {
                let (keyword, values) = own(property, values);
                built.insert(keyword, values);
            }
        }
    }
}

/// The values of a mapping by their targets: a reference, or a schema's bare name.
fn values_by_target(mapping: &callgate_tree::Object) -> HashMap<&str, Vec<&str>> {
    let mut by_target: HashMap<&str, Vec<&str>> = HashMap::new();
    for (value, to) in mapping.iter() {
        if let Some(to) = to.as_str() {
            by_target.entry(to).or_default().push(value);
        }
    }
    by_target
}

/// The discriminator values of a branch: those in the mapping, and without any mapping the name of its schema (OpenAPI
/// 3.0.3 §4.7.25).
fn discriminator_values<'m>(
    branch: &'m Node,
    mapping: Option<&HashMap<&str, Vec<&'m str>>>,
) -> Vec<&'m str> {
    let Some(reference) = reference_of(branch) else { return Vec::new() };
    let name = reference.strip_prefix(SCHEMAS);
    let Some(mapping) = mapping else {
        return name.filter(|name| !name.contains('/')).into_iter().collect();
    };
    let mapped = [Some(&**reference), name].into_iter().flatten();
    mapped.flat_map(|to| mapping.get(to).into_iter().flatten().copied()).collect()
}

fn branch_allows_values<'d>(
    builder: &Builder<'d>,
    branch: LocatedNode<'d>,
    property: &str,
    values: &[&str],
) -> bool {
    !values.is_empty() && levels_allow_values(builder, branch, property, values, DEEPEST)
}

/// True if all values are legal in the declarations of the property in the branch and in its inherited schemas.
fn levels_allow_values<'d>(
    builder: &Builder<'d>,
    branch: LocatedNode<'d>,
    property: &str,
    values: &[&str],
    depth: usize,
) -> bool {
    let Some(depth) = builder.document.descend_to_remaining_depth(depth, 1) else { return true };
    let mut levels = reference_targets(builder.document, branch.node, &branch.path());
    levels.insert(0, branch);
    levels.iter().all(|level| {
        let declared = level.node.get("properties").and_then(|members| members.get(property));
        let is_legal = declared.is_none_or(|node| {
            reference_chain(builder.document, node, &level.path())
                .all(|node| has_enum_values(node, values))
        });
        let bases = level.node.list("allOf");
        let mut bases = bases.iter().map(|base| LocatedNode::new(base, &level.path()));
        is_legal && bases.all(|base| levels_allow_values(builder, base, property, values, depth))
    })
}

fn has_enum_values(schema: &Node, values: &[&str]) -> bool {
    let legal = schema.get("enum").and_then(Node::as_array);
    let legal = legal.map(|legal| legal.iter().filter_map(Node::as_str).collect::<HashSet<_>>());
    let only = schema.get("const");
    values.iter().all(|value| {
        legal.as_ref().is_none_or(|legal| legal.contains(value))
            && only.is_none_or(|only| only.as_str() == Some(value))
    })
}

/// The keyword for the values of a discriminator in a branch of the schema that is checked, by the name of its property.
const TAG: &str = "x-callgate-tag";
const SCHEMAS: &str = "#/components/schemas/";

/// Real schemas inherit over fewer than five levels.
const DEEPEST: usize = 8;

/// The cost to describe the value of a branch, in steps.
const BRANCH: usize = 64;
