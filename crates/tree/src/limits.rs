//! The limits on a text that is read. A real file or a real attack justifies each limit; the configuration may change
//! them.

/// The limits on the cost of one text; a text over a limit is refused.
///
/// ```
/// use callgate_tree::{Limits, TextCode, read};
///
/// let limits = Limits { bytes: 1_000, ..Limits::default() };
/// let refused = read(&[b' '; 2_000], &limits).unwrap_err();
/// assert_eq!(refused[0].code, TextCode::TextTooLarge);
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Limits {
    /// The size of the text in bytes. The largest description in the wild has 13 MB; its tree takes about as much
    /// memory again.
    pub bytes: usize,
    /// The nesting depth of lists and objects, with aliases expanded. Real descriptions stay below 60. Code that walks
    /// a tree recurses once for each level, and a thread's stack of 2 MiB must hold that.
    pub depth: usize,
    /// The number of values in the tree, with aliases expanded. The largest description in the wild has 440,000.
    pub nodes: usize,
    /// The bytes of names and texts that YAML aliases add when they are expanded. The text may also grow at most
    /// tenfold, but small texts may always grow to 1 MiB.
    pub alias_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { bytes: 64 << 20, depth: 120, nodes: 4_000_000, alias_bytes: 64 << 20 }
    }
}
