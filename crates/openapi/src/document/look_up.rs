//! Questions about a description as a whole: whether anything in it comes from the session, and which schemas a dynamic
//! reference may mean.

use std::sync::Arc;

use callgate_tree::{Node, Object};

use crate::{
    address::{AGENT_INPUT, SESSION_CONTEXT, SESSION_ID},
    document::{Document, further::Further, index::Index},
};

impl Document {
    /// About how many bytes the description and the documents it refers to have.
    pub(crate) fn n_bytes(&self) -> usize {
        *self.parts.n_bytes.get_or_init(|| self.roots().map(n_bytes).sum())
    }

    fn roots(&self) -> impl Iterator<Item = &Node> {
        let further = self.parts.documents.values().filter_map(|further| match further {
            Further::Read(tree) => Some(&tree.root),
            Further::Refused(_) => None,
        });
        std::iter::once(self.root()).chain(further)
    }

    /// Whether any value of the description, or of a document it refers to, may come from the session. Most descriptions
    /// have none; then nobody has to look for them below each schema.
    pub(crate) fn has_session_inputs(&self) -> bool {
        *self.parts.has_session_inputs.get_or_init(|| self.roots().any(holds_annotation))
    }

    /// The places of all schemas with this dynamic anchor, in any document.
    pub(crate) fn dynamic_anchors_named(&self, anchor: &str) -> Vec<Arc<str>> {
        let own = std::iter::once((None, self.index()));
        let further = self.parts.documents.iter().filter_map(|(name, further)| match further {
            Further::Read(tree) => Some((Some(name), &tree.index)),
            Further::Refused(_) => None,
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
        places.take_while(|_| self.spend(1)).collect()
    }
}

/// About how many bytes a tree has as JSON. Its depth is bounded when it is read.
fn n_bytes(node: &Node) -> usize {
    match node {
        Node::Array(items) => items.iter().map(|item| 1 + n_bytes(item)).sum::<usize>() + 2,
        Node::Object(members) => {
            members.iter().map(|(name, member)| name.len() + 4 + n_bytes(member)).sum::<usize>() + 2
        }
        Node::String(text) => text.len() + 2,
        Node::Bool(_) | Node::Null | Node::Number(_) => 4,
    }
}

/// Whether an annotation stands in a tree, even where no schema can stand. The depth of a tree is bounded when it is
/// read.
fn holds_annotation(node: &Node) -> bool {
    match node {
        Node::Array(items) => items.iter().any(holds_annotation),
        Node::Object(members) => {
            is_annotated(members) || members.iter().any(|(_, member)| holds_annotation(member))
        }
        _ => false,
    }
}

/// Whether the members of a node are a session annotation.
fn is_annotated(object: &Object) -> bool {
    object.iter().any(|(name, value)| match &**name {
        AGENT_INPUT | SESSION_CONTEXT => true,
        "$ref" | "format" => value.as_str() == Some(SESSION_ID),
        _ => false,
    })
}
