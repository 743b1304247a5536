//! The tags of an operation with their parents: OpenAPI 3.2.0 §4.22 lets a tag name its `parent`, and a selection of a
//! tag includes the tags below it.

use std::sync::Arc;

use callgate_tree::Node;
use hashbrown::HashMap;

use crate::{code::Code, cursor::Cursor, findings::Findings, operation::Operation};

/// The tags of each operation, each followed by those above it. The operations are of one description.
#[doc(hidden)]
pub fn tags_with_ancestors(operations: &[Arc<Operation>]) -> Vec<Vec<&str>> {
    let Some(first) = operations.first() else { return Vec::new() };
    // Loading reported what is wrong with them.
    let mut findings = Findings::default();
    let tags = Tags::from_root(Cursor::new(&first.blueprint.common.document, &mut findings));
    let nodes = operations.iter().map(|operation| &operation.blueprint.operation.node);
    nodes.map(|operation| tags.operation_tags(operation)).collect()
}

#[derive(Debug, Default)]
pub(super) struct Tags<'d> {
    parents: HashMap<&'d str, &'d str>,
}

impl<'d> Tags<'d> {
    /// Reads the declared tags; a parent that does not exist is reported and left out. `root` is that of the description.
    pub(super) fn from_root(root: Cursor<'d, '_>) -> Self {
        let is_known = root.document.version().is_at_least(3, 2);
        let Some(declared) = root.unresolved_member("tags").filter(|_| is_known) else {
            return Self::default();
        };
        let tags = declared.node.as_array().unwrap_or_default();
        let name = |tag: &'d Node| tag.text("name");
        let mut parents: HashMap<&str, Option<&str>> = HashMap::with_capacity(tags.len());
        parents.extend(tags.iter().filter_map(|tag| Some((name(tag)?, None))));
        for tag in declared.affordable_items(0) {
            let Some((name, parent)) =
                tag.text_without_report("name").zip(tag.unresolved_member("parent"))
            else {
                continue;
            };
            let fault = match parent.node.as_str() {
                Some(parent) if !parents.contains_key(parent) => "the name of a declared tag",
                Some(parent) if is_tag_or_descendant(&parents, parent, name) => {
                    "a tag that is not below it"
                }
                Some(parent) => {
                    parents.insert(name, Some(parent));
                    continue;
                }
                None => "the name of a tag",
            };
            let got = parent.node.as_str().unwrap_or_else(|| parent.node.kind());
            let message = format!("expected the parent of tag `{name}` to be {fault}, got: {got}");
            let help = "declare the parent under `tags`, or leave `parent` out";
            parent.warning(Code::MalformedNode, message, help);
        }
        let parents = parents.into_iter().filter_map(|(name, parent)| Some((name, parent?)));
        Self { parents: parents.collect() }
    }

    /// The tags of an operation, each followed by its ancestors.
    pub(super) fn operation_tags(&self, operation: &'d Node) -> Vec<&'d str> {
        let named = operation.list("tags").iter().filter_map(Node::as_str).take(MOST_TAGS);
        if self.parents.is_empty() {
            return named.collect();
        }
        let mut tags_with_parents = Vec::new();
        for tag in named {
            let above = |tag: &&'d str| self.parents.get(tag).copied();
            tags_with_parents.extend(std::iter::successors(Some(tag), above).take(MOST_LEVELS));
        }
        tags_with_parents
    }
}

/// True if `tag` is `above` or one of its descendants. A tree that is deeper than real ones counts as a circle.
fn is_tag_or_descendant(parents: &HashMap<&str, Option<&str>>, tag: &str, above: &str) -> bool {
    let mut next = Some(tag);
    for _ in 0..MOST_LEVELS {
        match next {
            Some(tag) if tag == above => return true,
            Some(tag) => next = parents.get(tag).copied().flatten(),
            None => return false,
        }
    }
    true
}

/// The number of tags that are read. Operations may share their nodes; real ones have fewer than ten tags.
const MOST_TAGS: usize = 100;

/// The depth of a tree of tags. Real trees have two or three levels.
const MOST_LEVELS: usize = 32;
