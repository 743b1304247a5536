//! The middleware around every call: the trait, and the fixed order. Implementations are in `policy`, or in the program
//! that callgate is a part of; running them is the business of `around`.

use std::{fmt::Debug, ops::ControlFlow, time::Duration};

use async_trait::async_trait;
use callgate_tool::{Journal, Outcome, Reached};

use crate::{backend::Backend, call::Call};

/// Stands around every call of an executor. It sees the call before it runs, may end it, and sees each call's end.
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
    /// The place in the order. Those of one stage stand in the order they were added.
    fn stage(&self) -> Stage {
        Stage::Own
    }

    /// Runs before the call, the outermost first. To break off ends the call with that outcome: neither the tool nor what
    /// stands further in hears of it. `backend` is none where no tool has the name of the call.
    async fn before(
        &self,
        _call: &mut Call<'_>,
        _backend: Option<&dyn Backend>,
        _journal: &mut Journal,
    ) -> ControlFlow<Outcome> {
        ControlFlow::Continue(())
    }

    /// Runs once for every call that came to [`Middleware::before`], the innermost first, whoever ended it. Where the
    /// caller left, nobody waits: of the future only what happens before it first waits is done.
    async fn after(&self, _call: &Call<'_>, _ended: &Ended<'_>) {}
}

/// The fixed order of what stands around a call, the outermost first.
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
/// // A call that it ends is counted and written down all the same.
/// assert!(Stage::Metrics < Hours.stage() && Stage::Audit < Hours.stage());
/// ```
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
#[non_exhaustive]
pub enum Stage {
    /// Counts and traces: it sees what the caller gets.
    Metrics,
    /// Writes down who asked for what.
    Audit,
    /// Whatever the program around callgate wants; a call that it ends is counted and written down.
    Own,
    /// Answers a repeated call with its first result.
    Idempotency,
    /// Bounds how much a principal or a toolset may do.
    Limits,
    /// Keeps calls from a service that is down.
    Breaker,
    /// Asks a person.
    Approval,
}

/// The end of a call, or of the stream it opened.
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
#[expect(clippy::exhaustive_structs, reason = "middleware makes one in its own tests")]
pub struct Ended<'a> {
    /// The way it ended.
    pub ending: Ending<'a>,
    /// The decisions made on the way.
    pub journal: &'a Journal,
    /// The time since the call was made.
    pub elapsed: Duration,
    /// True if the service was reached, as far as it is known.
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
    /// The caller left before it had the result, or before the stream was at its end. The service may have been reached.
    Dropped,
    /// With an outcome; a stream that came to its end is answered without content.
    Outcome(&'a Outcome),
}
