//! The bounds a description is read within, beyond those of its text. Each is there because a real file or a real attack
//! needs it; the configuration may change them.

use callgate_tree::Limits as TextLimits;

/// How much one description may cost before it is refused.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "whoever builds limits must decide each of them")]
pub struct Limits {
    /// The bounds of its text.
    pub text: TextLimits,
    /// The operations of a description.
    pub operations: usize,
    /// The steps it may take to make tools of the description: parts that are looked at, references that are followed,
    /// values that are kept. Real descriptions take fewer than a million, GitHub's 300,000; a million take a fifth of a
    /// second and, kept, ten megabytes.
    pub effort: usize,
    /// The steps for each byte of a description whose size gives it more than those: no description is cut short by its
    /// size alone. Real ones take a fiftieth of it.
    pub effort_per_byte: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            text: TextLimits::default(),
            operations: 100_000,
            effort: 4_000_000,
            effort_per_byte: 1,
        }
    }
}
