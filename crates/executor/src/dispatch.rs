//! Hands a call to the backend of its tool, which takes a permission.

use std::time::Duration;

use callgate_call::wording;
use callgate_tool::{Effect, Fault, Journal, Outcome, Reached};
use tokio::time::{error::Elapsed, timeout_at};

use crate::{
    backend::{Opened, stop_fault},
    call::Call,
    catalog::Permit,
    side,
    stop::Stop,
};

pub(crate) async fn run(
    permit: Result<Permit<'_>, Outcome>,
    call: &Call<'_>,
    journal: &mut Journal,
) -> Outcome {
    let backend = match permit {
        Ok(permit) => permit.backend(),
        Err(outcome) => return outcome,
    };
    if call.is_unjudged() {
        return Outcome::Failed(wording::approval::unknown());
    }
    let reached = reach_if_stopped_later(call);
    let running = Stop::unless(call.stop(), side::run(backend, call, journal));
    let effect = backend.retry_effect();
    match until_late(call, running).await {
        Ok(Some(outcome)) => outcome,
        Ok(None) => Outcome::Failed(stop_fault(reached, effect, journal)),
        Err(_) => Outcome::Failed(late_fault(call, effect)),
    }
}

pub(crate) async fn open(
    permit: Result<Permit<'_>, Outcome>,
    call: &Call<'_>,
    journal: &mut Journal,
) -> Opened {
    let backend = match permit {
        Ok(permit) => permit.backend(),
        Err(outcome) => return Opened::Ended(outcome),
    };
    if call.is_unjudged() {
        return Opened::Ended(Outcome::Failed(wording::approval::unknown()));
    }
    let reached = reach_if_stopped_later(call);
    let opening = Stop::unless(call.stop(), side::open(backend, call, journal));
    let effect = backend.retry_effect();
    let fault = match until_late(call, opening).await {
        Ok(Some(opened)) => return opened,
        Ok(None) => stop_fault(reached, effect, journal),
        Err(_) => late_fault(call, effect),
    };
    Opened::Ended(Outcome::Failed(fault))
}

/// Ends a call whose backend does not look at the caller's deadline. One that does ends itself, and knows what it reached.
async fn until_late<F: Future>(call: &Call<'_>, running: F) -> Result<F::Output, Elapsed> {
    match call.deadline() {
        None => Ok(running.await),
        Some(deadline) => {
            timeout_at(deadline.checked_add(GRACE).unwrap_or(deadline), running).await
        }
    }
}

fn late_fault(call: &Call<'_>, effect: Effect) -> Box<Fault> {
    wording::timed_out(call.time_within(Duration::MAX), effect)
}

/// The reach of a call that is stopped before an answer. A call that was stopped before it begins sends nothing.
fn reach_if_stopped_later(call: &Call<'_>) -> Reached {
    if call.stop().is_some_and(Stop::is_stopped) { Reached::No } else { Reached::Maybe }
}

/// The time in which a backend that obeys the deadline says how its call ended.
const GRACE: Duration = Duration::from_secs(1);
