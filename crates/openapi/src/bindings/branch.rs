//! Collects the evidence that a value does not belong to a branch of a composition: required members, members with
//! fixed values, and the discriminator values of the branch.

use std::{collections::BTreeMap, sync::Arc};

use callgate_tool::Value;
use callgate_tree::Node;

use crate::{
    bindings::Alternative,
    document::Document,
    reference::{LocatedNode, follow_references, reference_chain, reference_of, reference_targets},
    session_input::session_annotation,
};

#[derive(Debug, Default)]
pub(super) struct Branch {
    required: Vec<Arc<str>>,
    fixed: BTreeMap<Arc<str>, Vec<Value>>,
    member_names: Vec<Arc<str>>,
}

impl Branch {
    pub(super) fn from_schema(document: &Document, schema: &LocatedNode<'_>) -> Self {
        let mut branch = Self::default();
        branch.read_schema(document, schema, DEEPEST);
        branch
    }

    pub(super) fn with_property_values(mut self, property: &Arc<str>, values: Vec<Value>) -> Self {
        if !values.is_empty() {
            self.fixed.insert(Arc::clone(property), values);
        }
        self
    }

    pub(super) fn into_alternative(self, node: usize) -> Alternative {
        let fixed = self.fixed.into_iter().map(|(name, values)| (name, values.into()));
        Alternative {
            node: Some(node),
            required: self.required.into(),
            fixed: fixed.collect(),
            member_names: self.member_names.into(),
        }
    }

    fn read_schema(&mut self, document: &Document, schema: &LocatedNode<'_>, depth: usize) {
        let Some(depth) = document.descend_to_remaining_depth(depth, BRANCH) else { return };
        let mut levels = reference_targets(document, schema.node, &schema.path());
        levels.insert(0, schema.clone());
        for level in &levels {
            self.read_level(document, level);
            let bases = level.member("allOf");
            let several = bases.iter().flat_map(|bases| bases.node.as_array().unwrap_or_default());
            for (at, base) in several.enumerate() {
                let path = level.path();
                let base = LocatedNode::new(base, &path.name("allOf").index(at));
                self.read_schema(document, &base, depth);
            }
        }
    }

    fn read_level(&mut self, document: &Document, level: &LocatedNode<'_>) {
        let above = level.path();
        let path = above.name("properties");
        let members = level.node.members_of("properties");
        for (name, node) in document.while_affordable(members, BRANCH) {
            self.member_names.push(Arc::clone(name));
            let values = reference_chain(document, node, &path.name(name)).find_map(legal_values);
            let Some(values) = values.filter(|_| !self.fixed.contains_key(name)) else { continue };
            self.fixed.insert(Arc::clone(name), values);
        }
        let names = level.node.list("required");
        let names = document.while_affordable(names, 1).filter_map(Node::as_shared_str);
        for name in names {
            let own = level.node.get("properties").and_then(|properties| properties.get(name));
            let is_given = own.is_none_or(|own| {
                let path = path.name(name);
                session_annotation(document, own, &path, &[]).is_none()
                    && reference_chain(document, own, &path)
                        .all(|node| node.get("default").is_none())
            });
            if is_given {
                self.required.push(Arc::clone(name));
            }
        }
    }
}

fn legal_values(node: &Node) -> Option<Vec<Value>> {
    if let Some(only) = node.get("const") {
        return Some(vec![only.to_value()]);
    }
    let values = node.get("enum").and_then(Node::as_array);
    let values = values.filter(|values| !values.is_empty() && values.len() <= MOST_VALUES)?;
    Some(values.iter().map(Node::to_value).collect())
}

/// The discriminator values of a branch: those in the mapping, else the name of its schema.
pub(super) fn discriminator_values(
    document: &Document,
    branch: &LocatedNode<'_>,
    mapping: Option<&Node>,
) -> Vec<Value> {
    let own = || {
        ["/components/schemas/", "/definitions/"]
            .iter()
            .find(|place| branch.pointer.starts_with(**place))
    };
    let reference = reference_of(branch.node).cloned();
    let Some(reference) =
        reference.or_else(|| own().map(|_| format!("#{}", branch.pointer).into()))
    else {
        return Vec::new();
    };
    let name = reference.rsplit('/').next().unwrap_or_default();
    let end = follow_references(document, branch.node, &branch.path()).ok().map(|end| end.pointer);
    let mapped = mapping.into_iter().flat_map(Node::members).filter(|(_, to)| {
        let to = to.as_str().unwrap_or_default();
        let is_end = || end.as_deref().is_some_and(|end| to.strip_prefix('#') == Some(end));
        to == &*reference || to == name || is_end()
    });
    let mut values: Vec<Value> =
        mapped.map(|(value, _)| Value::String(value.to_string())).collect();
    // OpenAPI 3.0.3 §4.7.25: a schema's own name is always a value of the discriminator, even beside a mapping.
    values.push(Value::String(name.to_owned()));
    values
}

/// Real schemas inherit over fewer than five levels.
const DEEPEST: usize = 8;

/// Longer lists of values do not distinguish branches.
const MOST_VALUES: usize = 64;

/// The cost to read a level or a member of a branch, in steps.
const BRANCH: usize = 8;
