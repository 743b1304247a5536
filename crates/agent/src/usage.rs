//! The tokens that a turn took, as providers count them.

#![warn(clippy::arithmetic_side_effects)]

use callgate_tool::Value;
use serde::{Deserialize, Deserializer, Serialize};

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

    /// The usage of a request and a reply of so many bytes whose tokens nobody counted: four bytes each.
    pub(crate) fn estimate(n_request: usize, n_reply: usize) -> Self {
        let tokens = |n_bytes: usize| u64::try_from(n_bytes.div_ceil(4)).unwrap_or(u64::MAX);
        Self { input: tokens(n_request), output: tokens(n_reply) }
    }

    /// Adds the tokens of one request.
    pub fn add(&mut self, other: Self) {
        self.input = self.input.saturating_add(other.input);
        self.output = self.output.saturating_add(other.output);
    }
}

/// A number of tokens as a provider states it: bounded, so that no sum of them overflows, and zero if it is no number.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) struct Tokens(u64);

impl Tokens {
    pub(crate) fn get(self) -> u64 {
        self.0
    }

    pub(crate) fn sum<const N: usize>(tokens: [Self; N]) -> u64 {
        tokens.into_iter().map(Self::get).fold(0, u64::saturating_add)
    }
}

impl<'de> Deserialize<'de> for Tokens {
    fn deserialize<D: Deserializer<'de>>(stated: D) -> Result<Self, D::Error> {
        let stated = Value::deserialize(stated)?;
        let Some(number) = stated.as_number() else { return Ok(Self(0)) };
        if number.digits().starts_with('-') {
            return Ok(Self(0));
        }
        // Some servers write a fraction: `12.0`.
        let whole = number.as_u64().or_else(|| format!("{:.0}", number.as_f64()?).parse().ok());
        Ok(Self(whole.unwrap_or(MOST_TOKENS).min(MOST_TOKENS)))
    }
}

/// More than any reply takes, and so few that the sums of a budget's whole life fit.
const MOST_TOKENS: u64 = 1 << 40;
