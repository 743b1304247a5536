//! A description before and after its overlays. A finding about the corrected description is shown in the original
//! text, if the node it is about exists there.

use callgate_tree::{
    Diagnostic, Node, fill_positions,
    pointer::{array_index, segments},
};

/// A description before and after overlays.
#[derive(Clone, Debug)]
pub struct Overlaid {
    before: Node,
    after: Node,
}

impl Overlaid {
    pub(super) fn new(before: Node, after: Node) -> Self {
        Self { before, after }
    }

    /// The corrected description.
    pub fn root(&self) -> &Node {
        &self.after
    }

    /// Fills the positions of diagnostics about the corrected description from `text`, the original description. A node
    /// that an overlay added, or moved within its list, has no position.
    pub fn fill_original_positions(&self, text: &[u8], diagnostics: &mut [Diagnostic]) {
        let mut written = Vec::new();
        let stands = |diagnostic: &Diagnostic| {
            let is_here = diagnostic.file.is_none() && diagnostic.position.is_none();
            is_here && self.is_unmoved_at(&diagnostic.pointer)
        };
        written.extend(diagnostics.iter().filter(|diagnostic| stands(diagnostic)).cloned());
        fill_positions(text, &mut written);
        let standing = diagnostics.iter_mut().filter(|diagnostic| stands(diagnostic));
        for (diagnostic, located) in standing.zip(written) {
            diagnostic.position = located.position;
        }
    }

    /// Returns true if a pointer leads to one node before and after, perhaps with other members.
    fn is_unmoved_at(&self, pointer: &str) -> bool {
        let Some(mut steps) = segments(pointer) else { return false };
        let walked = steps.try_fold((&self.before, &self.after), |(before, after), step| {
            match (before, after) {
                (Node::Object(before), Node::Object(after)) => {
                    Some((before.get(&step)?, after.get(&step)?))
                }
                (Node::Array(before), Node::Array(after)) => {
                    let at = array_index(&step)?;
                    let (was, is) = (before.get(at)?, after.get(at)?);
                    // Items after a removed one have moved.
                    (before.len() == after.len() || was == is).then_some((was, is))
                }
                _ => None,
            }
        });
        walked.is_some()
    }
}
