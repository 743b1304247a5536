//! Builds the parts of a multipart body that are bytes by their media type alone, whatever their schema says. The names of
//! these parts come from the encodings of the body.

use callgate_tool::Value;
use callgate_tree::{Node, Path};

use crate::{
    reference::{follow_references, reference_chain, reference_of},
    schema::{Builder, bytes::Bytes},
};

impl<'d> Builder<'d> {
    /// True if a value is bytes whatever its schema says, and not a list of them.
    pub(super) fn is_untyped_bytes(&self, node: &'d Node, path: &Path<'_>) -> bool {
        self.bytes == Bytes::Untyped
            && !reference_chain(self.document, node, path).any(|at| at.get("items").is_some())
    }

    /// The representation of a property with this name.
    pub(super) fn representation_at_property(&self, name: &str) -> Bytes {
        let is_untyped =
            self.bytes == Bytes::Part && self.untyped_parts.iter().any(|part| **part == *name);
        if is_untyped { Bytes::Untyped } else { self.bytes }
    }

    /// The schema behind a reference, built in place if parts are bytes by their media type: its definition is shared with
    /// bodies whose parts have other media types. `None` for any other schema.
    pub(super) fn inlined_reference_schema(
        &mut self,
        node: &'d Node,
        path: &Path<'_>,
    ) -> Option<Value> {
        let is_needed = self.bytes == Bytes::Parts && !self.untyped_parts.is_empty();
        let is_bare = |node: &Node| node.members().all(|(name, _)| SIBLINGS.contains(&&**name));
        reference_of(node).filter(|_| is_needed && is_bare(node))?;
        let left = self.left_in_place.checked_sub(1)?;
        let target = follow_references(self.document, node, path).ok()?;
        self.left_in_place = left;
        let built = self.build_schema(target.node, &target.path());
        self.left_in_place = left + 1;
        Some(built)
    }
}

/// The number of nested references to a body's schema that are built in place. Real bodies have fewer.
pub(super) const MOST_IN_PLACE: usize = 4;

/// The members that a reference may have and that restrict no value.
const SIBLINGS: [&str; 4] = ["$ref", "description", "summary", "title"];
