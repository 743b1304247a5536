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

pub(crate) async fn run_permitted_call(
    permit: Result<Permit<'_>, Outcome>,
    call: &Call<'_>,
    journal: &mut Journal,
) -> Outcome {
    let backend = match permit {
        Ok(permit) => permit.backend(),
        Err(outcome) => return outcome,
    };
    if call.has_decision_or_approval() {
        return Outcome::Failed(wording::approval::unknown());
    }
    let reached = reach_if_stopped_later(call);
    let running = Stop::run_unless_stopped(
        call.stop_signal(),
        side::run_or_ask_client(backend, call, journal),
    );
    let effect = backend.retry_effect();
    match run_with_deadline_grace(call, running).await {
        Ok(Some(outcome)) => outcome,
        Ok(None) => Outcome::Failed(stop_fault(reached, effect, journal)),
        Err(_) => Outcome::Failed(timed_out_fault(call, effect)),
    }
}

pub(crate) async fn open_permitted_call(
    permit: Result<Permit<'_>, Outcome>,
    call: &Call<'_>,
    journal: &mut Journal,
) -> Opened {
    let backend = match permit {
        Ok(permit) => permit.backend(),
        Err(outcome) => return Opened::Ended(outcome),
    };
    if call.has_decision_or_approval() {
        return Opened::Ended(Outcome::Failed(wording::approval::unknown()));
    }
    let reached = reach_if_stopped_later(call);
    let opening = Stop::run_unless_stopped(
        call.stop_signal(),
        side::open_or_ask_client(backend, call, journal),
    );
    let effect = backend.retry_effect();
    let fault = match run_with_deadline_grace(call, opening).await {
        Ok(Some(opened)) => return opened,
        Ok(None) => stop_fault(reached, effect, journal),
        Err(_) => timed_out_fault(call, effect),
    };
    Opened::Ended(Outcome::Failed(fault))
}

/// Ends a call whose backend does not look at the caller's deadline. One that does ends itself, and knows what it reached.
async fn run_with_deadline_grace<F: Future>(
    call: &Call<'_>,
    running: F,
) -> Result<F::Output, Elapsed> {
    match call.deadline() {
        None => Ok(running.await),
        Some(deadline) => {
            timeout_at(deadline.checked_add(GRACE).unwrap_or(deadline), running).await
        }
    }
}

fn timed_out_fault(call: &Call<'_>, effect: Effect) -> Box<Fault> {
    wording::timed_out(call.duration_within(Duration::MAX), effect)
}

/// The reach of a call that is stopped before an answer. A call that was stopped before it begins sends nothing.
fn reach_if_stopped_later(call: &Call<'_>) -> Reached {
    if call.stop_signal().is_some_and(Stop::is_stopped) { Reached::No } else { Reached::Maybe }
}

/// The time in which a backend that obeys the deadline says how its call ended.
const GRACE: Duration = Duration::from_secs(1);
