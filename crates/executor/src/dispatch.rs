//! Hands a call to the backend of its tool, which takes a permission.

use callgate_call::wording;
use callgate_tool::{Journal, Outcome, Reached};

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
    let outcome = Stop::unless(call.stop(), side::run(backend, call, journal)).await;
    outcome.unwrap_or_else(|| Outcome::Failed(stop_fault(reached, backend.retry_effect(), journal)))
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
    let opened = Stop::unless(call.stop(), side::open(backend, call, journal)).await;
    opened.unwrap_or_else(|| {
        Opened::Ended(Outcome::Failed(stop_fault(reached, backend.retry_effect(), journal)))
    })
}

/// The reach of a call that is stopped before an answer. A call that was stopped before it begins sends nothing.
fn reach_if_stopped_later(call: &Call<'_>) -> Reached {
    if call.stop().is_some_and(Stop::is_stopped) { Reached::No } else { Reached::Maybe }
}
