//! Finds where in a text the nodes of findings stand. It runs only when there are findings: the readers keep no
//! positions. All pointers are found in one pass.

mod yaml;

use crate::diagnostic::Diagnostic;
use crate::limits::Limits;
use crate::text::{self, Wanted};

/// Fills the positions of diagnostics that have none from their pointers: of a member where its name stands, of an item
/// where it begins, of a node that is not there the nearest one above it. A text that cannot be read, or is over the
/// default limits, leaves them empty.
pub fn locate(text: &[u8], diagnostics: &mut [Diagnostic]) {
    let limits = Limits::default();
    let missing = || diagnostics.iter().filter(|diagnostic| diagnostic.position.is_none());
    if text.len() > limits.bytes || missing().next().is_none() {
        return;
    }
    let Ok(text) = text::decode(text) else { return };
    let mut wanted = Wanted::new(missing().map(|diagnostic| &*diagnostic.pointer));
    if text::looks_like_json(&text) {
        text::find(&text, &mut wanted, limits.depth);
    } else {
        yaml::find(&text, &mut wanted, &limits);
    }
    let found = wanted.nearest();
    let missing = diagnostics.iter_mut().filter(|diagnostic| diagnostic.position.is_none());
    for (diagnostic, position) in missing.zip(found) {
        diagnostic.position = position;
    }
}
