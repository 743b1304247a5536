//! The two places of a turn at which a program may look and end it: before the request of a round, and after its calls.

use std::{fmt::Debug, ops::ControlFlow};

use async_trait::async_trait;

use crate::usage::Usage;

/// What is known of a turn at the beginning or the end of a round.
///
/// ```
/// use callgate_agent::{Round, Usage};
///
/// fn is_dear(round: &Round) -> bool {
///     round.usage.total() > 100_000
/// }
/// assert!(!is_dear(&Round { n_rounds: 1, n_calls: 2, usage: Usage::default() }));
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "programs make one in their own tests")]
pub struct Round {
    /// The rounds that have ended.
    pub n_rounds: usize,
    /// The calls that were made.
    pub n_calls: usize,
    /// The tokens so far.
    pub usage: Usage,
}

/// A program's own rules around the rounds of a turn. The rules around single calls are
/// [`Middleware`](callgate_executor::Middleware).
///
/// ```
/// use std::ops::ControlFlow;
///
/// use callgate_agent::{Round, Rounds};
///
/// /// Ends turns that become dear.
/// #[derive(Debug)]
/// struct Purse(u64);
///
/// #[async_trait::async_trait]
/// impl Rounds for Purse {
///     async fn before(&self, round: &Round) -> ControlFlow<String> {
///         match round.usage.total() > self.0 {
///             true => ControlFlow::Break("the purse is empty".to_owned()),
///             false => ControlFlow::Continue(()),
///         }
///     }
/// }
/// ```
#[async_trait]
pub trait Rounds: Debug + Send + Sync {
    /// Runs before the request of a round. `Break` ends the turn as cancelled, with the reason.
    async fn before(&self, _round: &Round) -> ControlFlow<String> {
        ControlFlow::Continue(())
    }

    /// Runs after the calls of a round, whose results are in the transcript. `Break` ends the turn as cancelled, with the
    /// reason.
    async fn after(&self, _round: &Round) -> ControlFlow<String> {
        ControlFlow::Continue(())
    }
}
