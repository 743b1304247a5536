//! Sentences about connections that were not made, or broke. The next step depends on whether the call may have been
//! executed.

use std::time::Duration;

use callgate_tool::{Effect, Fault, FaultCode, Next, Reached};

use super::{clipped_text, fault, fault_after_sending, faults};

/// The call did not end within `limit`.
pub fn timed_out(limit: Duration, effect: Effect) -> Box<Fault> {
    let message = format!("the service did not answer within {} s", limit.as_secs_f64());
    unknown_outcome_fault(FaultCode::TimedOut, &message, effect, Reached::Maybe)
}

faults! {
    /// The time of the call ended before anything was sent.
    pub fn timed_out_before_sending(limit: Duration) = TimedOut, TryLater:
        "the call was not ready to be sent within {limit} s, nothing was sent; try again later", limit = limit.as_secs_f64();

    /// The service accepted the connection and then rejected it: `why` names the problem and the operator's remedy.
    pub fn connection_refused(why: &str) = Unreachable, GiveUp, reached Yes:
        "the service turned the call down and did nothing: {why}", why = clipped_text(why, 300);
}

/// The call was stopped before it ended: its caller left, or the program ended.
pub fn stopped_call(reached: Reached, effect: Effect) -> Box<Fault> {
    if reached == Reached::No {
        let message = "the call was stopped before it was made, nothing was sent; try again later";
        return fault(FaultCode::Stopped, message, Next::TryLater);
    }
    let message = "the call was stopped before it ended";
    unknown_outcome_fault(FaultCode::Stopped, message, effect, reached)
}

/// The service could not be reached, or the connection broke.
pub fn unreachable(reached: Reached, effect: Effect) -> Box<Fault> {
    if reached == Reached::No {
        let message = "the service could not be reached, nothing was sent; try again later";
        return fault(FaultCode::Unreachable, message, Next::TryLater);
    }
    let message = "the connection broke before the answer was complete";
    unknown_outcome_fault(FaultCode::Unreachable, message, effect, reached)
}

/// There is no secure connection: `why` names the problem and the operator's remedy.
pub fn no_secure_connection(why: &str, reached: Reached, effect: Effect) -> Box<Fault> {
    let why = clipped_text(why, 300);
    if reached == Reached::No {
        let message = format!("no secure connection to the service, nothing was sent: {why}");
        return fault(FaultCode::Unreachable, message, Next::GiveUp);
    }
    let message = format!("the service ended the secure connection: {why}");
    unknown_outcome_fault(FaultCode::Unreachable, &message, effect, reached)
}

fn unknown_outcome_fault(
    code: FaultCode,
    what: &str,
    effect: Effect,
    reached: Reached,
) -> Box<Fault> {
    let (outcome, next) = match effect {
        Effect::Read => ("it only reads, so it may be tried again later", Next::TryLater),
        Effect::Idempotent => (
            "it may or may not have been executed; the same call may be tried again",
            Next::TryLater,
        ),
        Effect::Write => (
            "it may or may not have been executed; do not repeat it before checking whether it was",
            Next::AskUser,
        ),
    };
    fault_after_sending(code, format!("{what}; {outcome}"), next, reached)
}
