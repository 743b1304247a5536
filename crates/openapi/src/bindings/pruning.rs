//! Removes the nodes of a graph that lead to no session input: most schemas of a body do not.

use std::sync::Arc;

use crate::{
    bindings::{Alternative, SchemaNode},
    input::ValueSource,
};

/// The nodes that lead to a source, and always the first one; empty if there is no source.
pub(super) fn keep_nodes_to_sources(mut nodes: Vec<SchemaNode>) -> Vec<SchemaNode> {
    let mut is_kept: Vec<bool> =
        nodes.iter().map(|node| node.source != ValueSource::Model).collect();
    let mut above: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
    for (at, node) in nodes.iter().enumerate() {
        for below in node.child_nodes() {
            above.get_mut(below).into_iter().for_each(|above| above.push(at));
        }
    }
    let mut open: Vec<usize> =
        is_kept.iter().enumerate().filter(|(_, kept)| **kept).map(|(at, _)| at).collect();
    if open.is_empty() {
        return Vec::new();
    }
    while let Some(at) = open.pop() {
        for above in above.get(at).into_iter().flatten() {
            if let Some(kept) = is_kept.get_mut(*above).filter(|kept| !**kept) {
                *kept = true;
                open.push(*above);
            }
        }
    }
    if !is_kept.first().copied().unwrap_or_default() {
        return Vec::new();
    }
    let mut places: Vec<Option<usize>> = Vec::with_capacity(nodes.len());
    let mut n_kept = 0;
    for kept in &is_kept {
        places.push(kept.then_some(n_kept));
        n_kept += usize::from(*kept);
    }
    let place = |at: usize| places.get(at).copied().flatten();
    for node in &mut nodes {
        renumber_children(node, place);
    }
    let kept = nodes.into_iter().zip(is_kept).filter(|(_, kept)| *kept);
    kept.map(|(node, _)| node).collect()
}

fn renumber_children(node: &mut SchemaNode, place: impl Fn(usize) -> Option<usize>) {
    let take = std::mem::take::<Box<[(Arc<str>, usize)]>>;
    let named = |members: Box<[(Arc<str>, usize)]>| {
        members.into_iter().filter_map(|(name, at)| Some((name, place(at)?))).collect()
    };
    node.properties = named(take(&mut node.properties));
    node.patterns = named(take(&mut node.patterns));
    node.same = node.same.iter().filter_map(|at| place(*at)).collect();
    for branch in node.alternatives.iter_mut().flatten() {
        branch.node = branch.node.and_then(&place);
    }
    let leads = |group: &[Alternative]| group.iter().any(|branch| branch.node.is_some());
    node.alternatives =
        std::mem::take(&mut node.alternatives).into_iter().filter(|group| leads(group)).collect();
    node.leading = node.leading.iter().map(|at| at.and_then(&place)).collect();
    node.items = node.items.and_then(&place);
    node.others = node.others.and_then(&place);
    if node.others.is_none() {
        (node.declared, node.declared_patterns) = Default::default();
    }
}
