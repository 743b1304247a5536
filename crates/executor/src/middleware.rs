//! The middleware around every call: the trait and the fixed order. Implementations are in `policy`, or in the program
//! that embeds callgate; `around` runs them.

use std::{fmt::Debug, ops::ControlFlow, time::Duration};

use async_trait::async_trait;
use callgate_tool::{Journal, Outcome, Reached};

use crate::{backend::Backend, call::Call};

/// Wraps every call of an executor. Middleware sees a call before it runs, may end it, and sees its end.
///
/// ```
/// use std::ops::ControlFlow;
///
/// use callgate_executor::{Backend, Call, Middleware};
/// use callgate_tool::{Effect, Fault, FaultCode, Journal, Next, Outcome};
///
/// /// Lets nothing be changed.
/// #[derive(Debug)]
/// struct ReadOnly;
///
/// #[async_trait::async_trait]
/// impl Middleware for ReadOnly {
///     async fn before(
///         &self,
///         _: &mut Call<'_>,
///         backend: Option<&dyn Backend>,
///         _: &mut Journal,
///     ) -> ControlFlow<Outcome> {
///         if backend.is_none_or(|backend| backend.effect() == Effect::Read) {
///             return ControlFlow::Continue(());
///         }
///         let fault = Fault::new(FaultCode::Refused, "this agent only reads", Next::GiveUp);
///         ControlFlow::Break(Outcome::Failed(Box::new(fault)))
///     }
/// }
/// ```
#[async_trait]
pub trait Middleware: Debug + Send + Sync {
    /// The middleware's stage in the order. Middleware of one stage keeps the order in which it was added.
    fn stage(&self) -> Stage {
        Stage::Own
    }

    /// Runs before the call, the outermost middleware first. A `Break` ends the call with that outcome: neither the tool
    /// nor the inner middleware sees it. `backend` is `None` if no tool has the name of the call.
    async fn before(
        &self,
        _call: &mut Call<'_>,
        _backend: Option<&dyn Backend>,
        _journal: &mut Journal,
    ) -> ControlFlow<Outcome> {
        ControlFlow::Continue(())
    }

    /// Runs once for every call that came to [`Middleware::before`], the innermost middleware first, whoever ended
    /// the call. If the caller left, nobody waits: the future is polled only until it first waits.
    async fn after(&self, _call: &Call<'_>, _ended: &Ended<'_>) {}
}

/// The fixed order of the middleware around a call, the outermost first.
///
/// ```
/// use callgate_executor::{Middleware, Stage};
///
/// /// Keeps the shop's hours.
/// #[derive(Debug)]
/// struct Hours;
///
/// impl Middleware for Hours {
///     fn stage(&self) -> Stage {
///         Stage::Limits
///     }
/// }
/// // A call that it ends is still counted and audited.
/// assert!(Stage::Metrics < Hours.stage() && Stage::Audit < Hours.stage());
/// ```
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
#[non_exhaustive]
pub enum Stage {
    /// Counts and traces: it sees the caller's result.
    Metrics,
    /// Records who asked for which call.
    Audit,
    /// Middleware of the program that embeds callgate; calls that it ends are counted and audited.
    Own,
    /// Answers a repeated call with its first result.
    Idempotency,
    /// Limits the calls of a principal or a toolset.
    Limits,
    /// Keeps calls from a service that cannot be reached.
    Breaker,
    /// Asks a person.
    Approval,
}

/// The end of a call, or of the stream that it opened.
///
/// ```
/// use std::time::Duration;
///
/// use callgate_executor::{Call, Ended, Middleware};
///
/// /// Names the calls that take longer.
/// #[derive(Debug)]
/// struct Slow(Duration);
///
/// #[async_trait::async_trait]
/// impl Middleware for Slow {
///     async fn after(&self, call: &Call<'_>, ended: &Ended<'_>) {
///         if ended.elapsed > self.0 {
///             println!("{} took {:?}", call.tool(), ended.elapsed);
///         }
///     }
/// }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Ended<'a> {
    /// The way the call ended.
    pub ending: Ending<'a>,
    /// The decisions made during the call.
    pub journal: &'a Journal,
    /// The time since the call was made.
    pub elapsed: Duration,
    /// Says whether the call reached the service, as far as known.
    pub reached: Reached,
}

/// The way a call ended.
///
/// ```
/// use callgate_executor::Ending;
/// use callgate_tool::{Outcome, json};
///
/// fn word(ending: Ending<'_>) -> &'static str {
///     match ending {
///         Ending::Dropped => "dropped",
///         Ending::Outcome(outcome) if outcome.is_failed() => "failed",
///         Ending::Outcome(_) => "done",
///     }
/// }
/// assert_eq!(word(Ending::Outcome(&Outcome::from(json!("12:00")))), "done");
/// assert_eq!(word(Ending::Dropped), "dropped");
/// ```
#[derive(Clone, Copy, Debug)]
#[expect(clippy::exhaustive_enums, reason = "a call has an outcome or its caller has left")]
pub enum Ending<'a> {
    /// The caller left before it had the result, or before the end of the stream. The call may have reached the service.
    Dropped,
    /// The call ended with an outcome; the answer of a stream that was read to its end has no content.
    Outcome(&'a Outcome),
}

impl Ending<'_> {
    /// `answered`, `pending`, `planned`, `dropped` or the code of a fault.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Dropped => "dropped",
            Self::Outcome(Outcome::Answered(_)) => "answered",
            Self::Outcome(Outcome::Failed(fault)) => fault.code.as_str(),
            Self::Outcome(Outcome::Pending(_)) => "pending",
            Self::Outcome(Outcome::Planned(_)) => "planned",
        }
    }
}
