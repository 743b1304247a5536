//! The bounds of one turn. At each of them the model is asked once more, without tools, so that the user gets an answer.

use std::time::Duration;

/// The limits of a turn.
///
/// ```
/// use callgate_agent::TurnLimits;
///
/// let limits = TurnLimits { rounds: 4, ..TurnLimits::default() };
/// assert_eq!((limits.rounds, limits.same), (4, 3));
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(
    clippy::exhaustive_structs,
    reason = "callers build it from its default; a new field has a safe one"
)]
pub struct TurnLimits {
    /// The requests to the model, before the last one without tools.
    pub rounds: usize,
    /// The calls that are made.
    pub calls: usize,
    /// The tokens of all requests and replies, as the provider counts them.
    pub tokens: u64,
    /// The time after which no further call begins and those that run are ended.
    pub time: Duration,
    /// The rounds with an equal call and an equal result, after which the model has to do something else.
    pub same: usize,
}

impl Default for TurnLimits {
    fn default() -> Self {
        Self { rounds: 16, calls: 64, tokens: 200_000, time: Duration::from_mins(5), same: 3 }
    }
}
