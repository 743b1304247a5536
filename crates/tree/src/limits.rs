//! The bounds a text is read within. Each is there because a real file or a real attack needs it; the configuration may
//! change them.

/// The bounds of what one text may cost before it is refused.
///
/// ```
/// use callgate_tree::{Limits, TextCode, read};
///
/// let limits = Limits { bytes: 1_000, ..Limits::default() };
/// let refused = read(&[b' '; 2_000], &limits).unwrap_err();
/// assert_eq!(refused[0].code, TextCode::TextTooLarge);
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "whoever builds limits must decide each of them")]
pub struct Limits {
    /// The bytes of the text. The largest description in the wild has 13 MB; a tree takes about as much again.
    pub bytes: usize,
    /// The levels of lists and objects, aliases unfolded. Real descriptions stay below 60; what walks a tree recurses
    /// once a level, and a thread's stack of 2 MiB must hold that.
    pub depth: usize,
    /// The values of the tree, aliases unfolded. The largest description in the wild has 440,000.
    pub nodes: usize,
    /// The bytes of names and texts that YAML aliases stand for, unfolded. The text may also not grow by more than
    /// ten times, though small texts get 1 MiB in any case.
    pub alias_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { bytes: 64 << 20, depth: 120, nodes: 4_000_000, alias_bytes: 64 << 20 }
    }
}
