//! Resolves a `$dynamicRef`: its target is the `$dynamicAnchor` in the outermost of the schema resources that were
//! entered on the way to it (JSON Schema 2020-12 §8.2.3.2). A resource is a schema with an `$id`, or a document.

use std::{collections::BTreeMap, sync::Arc};

use callgate_tree::Path;

use crate::{
    document::{ANCHOR, Document},
    reference::LocatedNode,
};

/// The dynamic anchors that apply at one place of a schema: the pointer of each, by name. `None` before the first
/// resource is entered, and always if no schema has such an anchor.
#[derive(Clone, Debug, Default, Eq, Hash, PartialEq)]
pub(super) struct Scope(Option<Arc<BTreeMap<Arc<str>, Arc<str>>>>);

impl Scope {
    pub(super) fn is_outermost(&self) -> bool {
        self.0.is_none()
    }

    pub(super) fn enter_schema(&self, document: &Document, path: &Path<'_>) -> Self {
        if !document.has_dynamic_anchors() {
            return Self::default();
        }
        let anchors = document.dynamic_anchors(path);
        let is_known =
            |name: &Arc<str>| self.0.iter().any(|scope_anchors| scope_anchors.contains_key(name));
        if !self.is_outermost() && anchors.iter().all(|(name, _)| is_known(name)) {
            return self.clone();
        }
        let outer_anchors = self.0.iter().flat_map(|scope_anchors| scope_anchors.iter());
        let outer_anchors = document.while_affordable(outer_anchors, ANCHOR);
        let mut outer_anchors: BTreeMap<_, _> =
            outer_anchors.map(|(name, pointer)| (Arc::clone(name), Arc::clone(pointer))).collect();
        for (name, pointer) in anchors {
            outer_anchors.entry(name).or_insert(pointer);
        }
        Self(Some(Arc::new(outer_anchors)))
    }

    /// The target here of a dynamic reference that would lead to `found` without a scope.
    pub(super) fn dynamic_target<'d>(
        &self,
        document: &'d Document,
        reference: &str,
        static_target: LocatedNode<'d>,
    ) -> LocatedNode<'d> {
        let anchor = static_target.node.text("$dynamicAnchor");
        let named = reference.split_once('#').map(|(_, fragment)| fragment);
        let Some(anchor) = anchor.filter(|anchor| named == Some(*anchor)) else {
            return static_target;
        };
        let Some(pointer) = self.0.as_ref().and_then(|scope_anchors| scope_anchors.get(anchor))
        else {
            return static_target;
        };
        let node = document.node_at_text(pointer);
        node.map_or(static_target, |node| LocatedNode { node, pointer: Arc::clone(pointer) })
    }
}
