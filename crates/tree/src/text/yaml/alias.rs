//! Aliases and the nodes that their anchors name, with their expanded size, so that a few bytes of text cannot become
//! gigabytes. Also the merge keys, which copy members.

use std::collections::BTreeMap;
use std::slice;

use hashbrown::HashSet;

use super::super::members::Member;
use crate::diagnostic::Position;
use crate::node::{Node, Object};

/// The place of a name, and a flag for merge keys.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    pub(super) at: Position,
    pub(super) merge: bool,
}

#[derive(Debug)]
pub(super) struct Anchored {
    pub(super) node: Node,
    pub(super) size: Size,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Size {
    pub(super) nodes: usize,
    pub(super) bytes: usize,
    pub(super) height: usize,
}

impl Size {
    pub(super) fn add_size(&mut self, inner: Self) {
        self.nodes = self.nodes.saturating_add(inner.nodes);
        self.bytes = self.bytes.saturating_add(inner.bytes);
        self.height = self.height.max(inner.height + 1);
    }
}

/// The anchors by the number that the parser gave them.
pub(super) type Anchors = BTreeMap<usize, Anchored>;

/// Returns true if a value may follow `<<`: an object, or a list of objects (the YAML merge key, 2005).
pub(super) fn is_merge_key_value(node: &Node) -> bool {
    match node {
        Node::Array(items) => items.iter().all(|item| item.as_object().is_some()),
        Node::Object(_) => true,
        _ => false,
    }
}

/// The members with merge keys expanded: own members win over merged ones, and earlier objects of a list win over later
/// ones.
pub(super) fn expand_merge_keys(members: Vec<Member<Mark>>) -> Vec<Member<Mark>> {
    let own = members.iter().filter(|member| !member.at.merge);
    let mut names: HashSet<_> = own.map(|member| member.name.clone()).collect();
    let mut merged = Vec::with_capacity(members.len());
    for member in members {
        if !member.at.merge {
            merged.push(member);
            continue;
        }
        let at = Mark { merge: false, ..member.at };
        let objects = member.node.as_array().unwrap_or_else(|| slice::from_ref(&member.node));
        for (name, node) in objects.iter().filter_map(Node::as_object).flat_map(Object::iter) {
            if names.insert(name.clone()) {
                merged.push(Member { name: name.clone(), node: node.clone(), at });
            }
        }
    }
    merged
}
