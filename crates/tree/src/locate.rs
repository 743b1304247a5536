//! Finds the places in a text of the nodes that findings are about. It runs only when there are findings, because the
//! readers keep no positions. One pass finds all pointers.

mod yaml;

use crate::diagnostic::{Diagnostic, Position};
use crate::limits::Limits;
use crate::text::{self, WantedPointers};

/// Fills in missing positions of diagnostics about the description itself, as [`nearest_positions`] finds them.
pub fn fill_positions(text: &[u8], diagnostics: &mut [Diagnostic]) {
    fill_missing_positions(None, text, diagnostics);
}

/// Fills in missing positions of diagnostics about one document that the description refers to ([`Diagnostic::file`]).
pub fn fill_file_positions(file: &str, text: &[u8], diagnostics: &mut [Diagnostic]) {
    fill_missing_positions(Some(file), text, diagnostics);
}

fn fill_missing_positions(file: Option<&str>, text: &[u8], diagnostics: &mut [Diagnostic]) {
    let is_missing = |diagnostic: &Diagnostic| {
        diagnostic.position.is_none() && diagnostic.file.as_deref() == file
    };
    let missing = diagnostics.iter().filter(|diagnostic| is_missing(diagnostic));
    let found_positions = nearest_positions(text, missing.map(|diagnostic| &*diagnostic.pointer));
    let missing = diagnostics.iter_mut().filter(|diagnostic| is_missing(diagnostic));
    for (diagnostic, position) in missing.zip(found_positions) {
        diagnostic.position = position;
    }
}

/// The places of the nodes of these JSON pointers. The place of a member is its name, the place of an item is its
/// start, and the place of a missing node is that of its nearest existing ancestor. A text that cannot be read or
/// exceeds the default limits yields no places.
pub fn nearest_positions<'a>(
    text: &[u8],
    pointers: impl Iterator<Item = &'a str>,
) -> Vec<Option<Position>> {
    let limits = Limits::default();
    let mut pointers = pointers.peekable();
    if text.len() > limits.bytes || pointers.peek().is_none() {
        return Vec::new();
    }
    let Ok(text) = text::decode(text) else { return Vec::new() };
    let mut wanted = WantedPointers::new(pointers);
    if text::looks_like_json(&text) {
        text::find_positions(&text, &mut wanted, limits.depth);
    } else {
        yaml::find_positions(&text, &mut wanted, &limits);
    }
    wanted.nearest_positions()
}
