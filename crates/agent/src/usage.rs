//! The tokens that a turn took, as providers count them.

use serde::Serialize;

/// Tokens that were read and written.
///
/// ```
/// use callgate_agent::Usage;
///
/// let mut usage = Usage::default();
/// usage.add(Usage { input: 120, output: 30 });
/// assert_eq!(usage.total(), 150);
/// ```
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Serialize)]
#[expect(clippy::exhaustive_structs, reason = "callers build it, and providers count these two")]
pub struct Usage {
    /// The tokens of requests, with those that the provider had cached.
    pub input: u64,
    /// The tokens of replies, with those of thoughts.
    pub output: u64,
}

impl Usage {
    /// All tokens.
    pub fn total(self) -> u64 {
        self.input.saturating_add(self.output)
    }

    /// Adds the tokens of one request.
    pub fn add(&mut self, other: Self) {
        self.input = self.input.saturating_add(other.input);
        self.output = self.output.saturating_add(other.output);
    }
}
