//! Facts about a description as a whole: if any of its values come from the session, and which schemas a dynamic
//! reference may refer to.

use std::sync::Arc;

use callgate_tree::{Node, Object};
use hashbrown::HashMap;

use crate::{
    address::{AGENT_INPUT, MCP_HEADER, SESSION_CONTEXT, SESSION_ID},
    document::{Document, documents::FurtherDocument, index::Index},
};

impl Document {
    pub(crate) fn approximate_bytes(&self) -> usize {
        self.document_facts().n_bytes
    }

    fn document_facts(&self) -> &Facts {
        self.parts.facts.get_or_init(|| {
            let mut walk = FactsVisitor::default();
            let n_bytes = self
                .document_roots()
                .map(|root| walk.approximate_bytes(root, false))
                .fold(0, usize::saturating_add);
            let FactsVisitor { has_session_inputs, has_mcp_headers, .. } = walk;
            Facts { n_bytes, has_session_inputs, has_mcp_headers }
        })
    }

    fn document_roots(&self) -> impl Iterator<Item = &Node> {
        let further = self.parts.documents.values().filter_map(|further| match further {
            FurtherDocument::Read(tree) => Some(&tree.root),
            FurtherDocument::Refused(_) => None,
        });
        std::iter::once(self.root()).chain(further)
    }

    /// True if any value of the description, or of a document it refers to, may come from the session. Most
    /// descriptions have no such value, and then no schema is searched for one.
    pub(crate) fn has_session_inputs(&self) -> bool {
        self.document_facts().has_session_inputs
    }

    /// True if MCP clients may repeat any value of the description in a header. Very few descriptions have such a value.
    pub(crate) fn has_mcp_headers(&self) -> bool {
        self.document_facts().has_mcp_headers
    }

    pub(crate) fn dynamic_anchors_named(&self, anchor: &str) -> Vec<Arc<str>> {
        let own = std::iter::once((None, self.index()));
        let further = self.parts.documents.iter().filter_map(|(name, further)| match further {
            FurtherDocument::Read(tree) => Some((Some(name), &tree.index)),
            FurtherDocument::Refused(_) => None,
        });
        let places =
            own.chain(further).flat_map(|(document, index): (Option<&Arc<str>>, &Index)| {
                let anchors =
                    index.dynamic.values().flatten().filter(|(name, _)| **name == *anchor);
                anchors.map(move |(_, pointer)| match document {
                    None => Arc::clone(pointer),
                    Some(document) => format!("{document}#{pointer}").into(),
                })
            });
        self.while_affordable(places, 1).collect()
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct Facts {
    /// The approximate size of the trees as JSON, in bytes.
    n_bytes: usize,
    /// True if the trees contain an annotation, even where no schema can be.
    has_session_inputs: bool,
    /// True if the trees contain `x-mcp-header`, even where no schema can be.
    has_mcp_headers: bool,
}

/// A walk over trees, which visits repeated content once.
#[derive(Debug, Default)]
struct FactsVisitor {
    has_session_inputs: bool,
    has_mcp_headers: bool,
    /// The approximate size of the visited objects in bytes, by their addresses.
    sizes: HashMap<usize, usize>,
}

impl FactsVisitor {
    /// Visits a tree, whose depth was limited when it was read, and returns its approximate size as JSON in bytes. It
    /// remembers only nodes that may occur again: those that several places share, and those in a shared list.
    #[inline]
    fn approximate_bytes(&mut self, node: &Node, is_in_shared_list: bool) -> usize {
        match node {
            Node::String(text) => text.len() + 2,
            Node::Bool(_) | Node::Null | Node::Number(_) => 4,
            Node::Array(_) | Node::Object(_) => {
                self.approximate_bytes_of_parts(node, is_in_shared_list)
            }
        }
    }

    fn approximate_bytes_of_parts(&mut self, node: &Node, is_in_shared_list: bool) -> usize {
        match node {
            Node::Array(items) => {
                let is_shared = is_in_shared_list || Arc::strong_count(items) > 1;
                let of_items = items
                    .iter()
                    .map(|item| self.approximate_bytes(item, is_shared).saturating_add(1));
                of_items.fold(2, usize::saturating_add)
            }
            Node::Object(members) => {
                let is_shared = is_in_shared_list || members.is_shared();
                let sizes = || self.sizes.get(&members.address());
                if let Some(sizes) = is_shared.then(sizes).flatten() {
                    return *sizes;
                }
                self.has_session_inputs |= has_session_annotation(members);
                self.has_mcp_headers |= members.contains(MCP_HEADER);
                let of_members = members.iter().map(|(name, member)| {
                    self.approximate_bytes(member, false).saturating_add(name.len() + 4)
                });
                let n_bytes = of_members.fold(2, usize::saturating_add);
                if is_shared {
                    self.sizes.insert(members.address(), n_bytes);
                }
                n_bytes
            }
            _ => 0,
        }
    }
}

/// True if the members of a node are a session annotation.
fn has_session_annotation(object: &Object) -> bool {
    object.iter().any(|(name, value)| match &**name {
        AGENT_INPUT | SESSION_CONTEXT => true,
        "$ref" | "format" => value.as_str() == Some(SESSION_ID),
        _ => false,
    })
}
