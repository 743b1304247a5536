//! Finds members that a view of a schema leaves out (`readOnly`, `writeOnly`), wherever in a composition they are marked.
//! A keyword that requires such a member applies to the other direction alone (OpenAPI 3.0.4 §4.7.24.2), also in another
//! part of the composition.

use callgate_tree::{Node, Path};

use crate::{
    document::Document,
    reference::{LocatedNode, reference_of, reference_targets},
    schema::{Builder, bytes::Bytes},
};

/// The composition that the schema belongs to which is being built.
#[derive(Clone, Debug, Default)]
pub(super) struct Composition<'d> {
    /// Its outermost schema; `None` for a schema without parts.
    whole: Option<LocatedNode<'d>>,
    /// True below a keyword whose schemas are parts of it.
    is_below_parts: bool,
}

/// True if a schema is marked as `readOnly`: its value occurs in responses and is never sent.
pub(crate) fn is_read_only<'d>(document: &'d Document, schema: &'d Node, path: &Path<'_>) -> bool {
    is_marked(document, schema, path, "readOnly")
}

/// True if a schema is marked as `readOnly` or `writeOnly`.
pub(super) fn is_readonly_or_writeonly<'d>(
    document: &'d Document,
    schema: &'d Node,
    path: &Path<'_>,
) -> bool {
    ["readOnly", "writeOnly"].iter().any(|mark| is_marked(document, schema, path, mark))
}

/// True if a schema has a mark, itself, by its references or by a part of `allOf`.
pub(super) fn is_marked<'d>(
    document: &'d Document,
    schema: &'d Node,
    path: &Path<'_>,
    mark: &str,
) -> bool {
    MarkSearch { document, mark }.is_marked(schema, path, DEEPEST)
}

struct MarkSearch<'d, 'm> {
    document: &'d Document,
    mark: &'m str,
}

impl<'d> MarkSearch<'d, '_> {
    fn is_marked(&self, schema: &'d Node, path: &Path<'_>, depth: usize) -> bool {
        let further = reference_targets(self.document, schema, path);
        self.is_marked_without_reference(schema, path, depth)
            || further.iter().any(|at| self.is_marked_without_reference(at.node, &at.path(), depth))
    }

    fn is_marked_without_reference(&self, schema: &'d Node, path: &Path<'_>, depth: usize) -> bool {
        let parts = schema.list("allOf");
        if schema.is_true(self.mark) || parts.is_empty() {
            return schema.is_true(self.mark);
        }
        let depth = self.document.descend_to_remaining_depth(depth, 1);
        depth.is_some_and(|depth| parts.iter().any(|part| self.is_marked(part, path, depth)))
    }
}

impl<'d> Builder<'d> {
    /// Sets what applies below a keyword; `bytes` is the representation of the value whose schema has it.
    pub(super) fn enter_keyword(&mut self, bytes: Bytes, keyword: &str) {
        self.bytes = bytes.representation_below_keyword(keyword);
        self.composition.is_below_parts = keyword == "allOf";
    }

    /// The composition that a schema belongs to: the one around it, of which it is a part, or else its own.
    pub(super) fn composition_of(&self, node: &'d Node, path: &Path<'_>) -> Composition<'d> {
        let around = self.composition.whole.clone().filter(|_| self.composition.is_below_parts);
        let has_parts = || {
            COMPOSITIONS.iter().any(|keyword| node.get(keyword).is_some())
                || (reference_of(node).is_some() && node.get("required").is_some())
        };
        let whole = around.or_else(|| has_parts().then(|| LocatedNode::new(node, path)));
        Composition { whole, is_below_parts: false }
    }

    /// True if the composition declares a member, and this view leaves out each of these declarations.
    pub(super) fn is_member_left_out(&self, name: &str) -> bool {
        let Some(whole) = self.composition.whole.clone() else { return false };
        let declared = member_declarations(self.document, whole, name, DEEPEST);
        !declared.is_empty() && !declared.iter().any(|at| self.keeps_property(at.node, &at.path()))
    }
}

/// The schemas of a member in all parts of a composition.
fn member_declarations<'d>(
    document: &'d Document,
    whole: LocatedNode<'d>,
    name: &str,
    depth: usize,
) -> Vec<LocatedNode<'d>> {
    let Some(depth) = document.descend_to_remaining_depth(depth, 1) else { return Vec::new() };
    let mut levels = reference_targets(document, whole.node, &whole.path());
    levels.insert(0, whole);
    let mut declared = Vec::new();
    for level in &levels {
        declared.extend(level.member("properties").and_then(|all| all.member(name)));
        for part in COMPOSITIONS.iter().flat_map(|keyword| level.node.list(keyword)) {
            let part = LocatedNode::new(part, &level.path());
            declared.extend(member_declarations(document, part, name, depth));
        }
    }
    declared
}

const COMPOSITIONS: [&str; 3] = ["allOf", "anyOf", "oneOf"];

/// The depth of the search. Real compositions have fewer than five levels.
const DEEPEST: usize = 5;
