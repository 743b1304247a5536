//! Finds the members of a form's or multipart body's value that are files: by name, by a pattern of names, and among all
//! other names. `encoding` adds what the media type object says of them.

use std::sync::Arc;

use callgate_tree::{Node, Path};
use indexmap::IndexSet;

use crate::{
    body::NamePattern,
    document::Document,
    reference::{LocatedNode, reference_targets},
    schema::bytes::is_bytes,
};

/// The members of a value, as far as a schema describes them.
#[derive(Debug, Default)]
pub(super) struct MemberNames<'d> {
    pub(super) declared: IndexSet<&'d Arc<str>>,
    pub(super) files: IndexSet<&'d Arc<str>>,
    /// The names that are bytes in every schema that describes them, by their media type alone.
    pub(super) untyped: IndexSet<&'d Arc<str>>,
    pub(super) patterns: Vec<NamePattern>,
    pub(super) is_rest_binary: bool,
    typed: IndexSet<&'d Arc<str>>,
}

impl<'d> MemberNames<'d> {
    /// The names in a schema. `is_untyped` returns true for a property that is bytes by its media type alone.
    pub(super) fn from_schema(
        document: &'d Document,
        schema: LocatedNode<'d>,
        is_untyped: &dyn Fn(&str, LocatedNode<'d>) -> bool,
    ) -> Self {
        let mut names = Self::default();
        names.add_schema(document, schema, is_untyped, &mut { MOST_VISITED });
        let Self { untyped, files, typed, .. } = &mut names;
        untyped.retain(|name| !files.contains(name) && !typed.contains(name));
        names
    }

    /// True if members that the schema does not name may be files.
    pub(super) fn has_open_files(&self) -> bool {
        self.is_rest_binary || self.patterns.iter().any(|pattern| pattern.is_binary)
    }

    fn add_schema(
        &mut self,
        document: &'d Document,
        schema: LocatedNode<'d>,
        is_untyped: &dyn Fn(&str, LocatedNode<'d>) -> bool,
        left: &mut usize,
    ) {
        for at in schema_and_targets(document, schema, left) {
            let path = at.path();
            for (name, property) in document.while_affordable(at.node.members_of("properties"), 1) {
                self.declared.insert(name);
                let is_binary =
                    self.files.contains(name) || is_file_or_files(document, property, &path);
                let is_untyped = || is_untyped(name, LocatedNode::new(property, &path));
                let names = match is_binary {
                    true => &mut self.files,
                    false if is_untyped() => &mut self.untyped,
                    false => &mut self.typed,
                };
                names.insert(name);
            }
            let patterns = at.node.members_of("patternProperties");
            for (pattern, value) in document.while_affordable(patterns, 1) {
                let is_binary = is_file_or_files(document, value, &path);
                self.patterns.push(NamePattern { pattern: Arc::clone(pattern), is_binary });
            }
            let mut rest = OPEN.iter().filter_map(|keyword| at.node.get(keyword));
            self.is_rest_binary |= rest.any(|value| is_file_or_files(document, value, &path));
            for branch in composition_branches(at.node) {
                self.add_schema(document, LocatedNode::new(branch, &path), is_untyped, left);
            }
        }
    }
}

/// True if a value, or each item of it, represents bytes; one of several alternatives suffices. The path is that of the
/// schema or of one of its ancestors in its document.
pub(super) fn is_file_or_files<'d>(
    document: &'d Document,
    schema: &'d Node,
    path: &Path<'_>,
) -> bool {
    let mut left = MOST_VISITED;
    is_file_within(document, LocatedNode::new(schema, path), &mut left)
}

fn is_file_within<'d>(document: &'d Document, schema: LocatedNode<'d>, left: &mut usize) -> bool {
    schema_and_targets(document, schema, left).iter().any(|at| {
        let mut below = at.node.get("items").into_iter().chain(composition_branches(at.node));
        let path = at.path();
        is_bytes(at.node)
            || below.any(|node| is_file_within(document, LocatedNode::new(node, &path), left))
    })
}

/// A schema and all its references' targets; `None` if the limit is reached: `left` is the number of schemas that may
/// still be read.
pub(super) fn schema_and_targets<'d>(
    document: &'d Document,
    schema: LocatedNode<'d>,
    left: &mut usize,
) -> Vec<LocatedNode<'d>> {
    let rest = document.descend_to_remaining_depth(*left, 1 + schema.path().step_cost());
    *left = rest.unwrap_or_default();
    if rest.is_none() {
        return Vec::new();
    }
    let beyond = reference_targets(document, schema.node, &schema.path());
    std::iter::once(schema).chain(beyond).collect()
}

/// The schemas that apply to a schema's own value, too, or under a condition.
pub(super) fn composition_branches(node: &Node) -> impl Iterator<Item = &Node> {
    let lists = ["allOf", "anyOf", "oneOf"].iter().flat_map(|keyword| node.list(keyword));
    let conditions = ["if", "then", "else"].iter().filter_map(|keyword| node.get(keyword));
    let dependent = node.members_of("dependentSchemas").map(|(_, schema)| schema);
    lists.chain(conditions).chain(dependent)
}

/// The keywords about members of any other name.
const OPEN: [&str; 2] = ["additionalProperties", "unevaluatedProperties"];

/// The number of schemas that are visited. Nested compositions can be walked in more ways than they have parts; real
/// ones have fewer than fifty.
const MOST_VISITED: usize = 200;
