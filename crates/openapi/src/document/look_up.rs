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
        self.facts().n_bytes
    }

    fn facts(&self) -> &Facts {
        self.parts.facts.get_or_init(|| {
            let mut facts = Facts::default();
            self.roots().for_each(|root| facts.look_at(root));
            facts
        })
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
        self.facts().has_session_inputs
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

/// What is known of all trees together, from one walk over them.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts {
    /// About how many bytes they have as JSON.
    n_bytes: usize,
    /// Whether an annotation stands in them, even where no schema can stand.
    has_session_inputs: bool,
}

impl Facts {
    /// Goes over a tree, whose depth was bounded when it was read.
    fn look_at(&mut self, node: &Node) {
        match node {
            Node::Array(items) => {
                self.n_bytes += items.len() + 2;
                items.iter().for_each(|item| self.look_at(item));
            }
            Node::Object(members) => {
                self.n_bytes += 2;
                self.has_session_inputs |= is_annotated(members);
                for (name, member) in members.iter() {
                    self.n_bytes += name.len() + 4;
                    self.look_at(member);
                }
            }
            Node::String(text) => self.n_bytes += text.len() + 2,
            Node::Bool(_) | Node::Null | Node::Number(_) => self.n_bytes += 4,
        }
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
