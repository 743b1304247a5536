//! Finds where in a text the nodes of findings stand. It runs only when there are findings: the readers keep no
//! positions. All pointers are found in one pass.

mod yaml;

use crate::diagnostic::{Diagnostic, Position};
use crate::limits::Limits;
use crate::text::{self, Wanted};

/// Fills the positions of diagnostics about the description itself that have none, as [`positions`] finds them.
pub fn locate(text: &[u8], diagnostics: &mut [Diagnostic]) {
    locate_in(None, text, diagnostics);
}

/// Fills the positions of diagnostics about one document that the description refers to ([`Diagnostic::file`]).
pub fn locate_file(file: &str, text: &[u8], diagnostics: &mut [Diagnostic]) {
    locate_in(Some(file), text, diagnostics);
}

fn locate_in(file: Option<&str>, text: &[u8], diagnostics: &mut [Diagnostic]) {
    let is_missing = |diagnostic: &Diagnostic| {
        diagnostic.position.is_none() && diagnostic.file.as_deref() == file
    };
    let missing = diagnostics.iter().filter(|diagnostic| is_missing(diagnostic));
    let found = positions(text, missing.map(|diagnostic| &*diagnostic.pointer));
    let missing = diagnostics.iter_mut().filter(|diagnostic| is_missing(diagnostic));
    for (diagnostic, position) in missing.zip(found) {
        diagnostic.position = position;
    }
}

/// The place where the nodes of these JSON pointers stand: a member where its name stands, an item where it begins, a
/// node that is not there where the nearest one above it stands. Nothing is found in a text that cannot be read or is
/// over the default limits.
pub fn positions<'a>(
    text: &[u8],
    pointers: impl Iterator<Item = &'a str>,
) -> Vec<Option<Position>> {
    let limits = Limits::default();
    let mut pointers = pointers.peekable();
    if text.len() > limits.bytes || pointers.peek().is_none() {
        return Vec::new();
    }
    let Ok(text) = text::decode(text) else { return Vec::new() };
    let mut wanted = Wanted::new(pointers);
    if text::looks_like_json(&text) {
        text::find(&text, &mut wanted, limits.depth);
    } else {
        yaml::find(&text, &mut wanted, &limits);
    }
    wanted.nearest()
}
