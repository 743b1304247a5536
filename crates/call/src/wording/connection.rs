//! Sentences about connections that were not made, or broke. The next step depends on whether the call may have been
//! executed.

use std::time::Duration;

use callgate_tool::{Effect, Fault, FaultCode, Next, Reached};

use super::clipped;

/// The call did not end within `limit`.
pub fn timed_out(limit: Duration, effect: Effect) -> Box<Fault> {
    let message = format!(
        "the service did not answer within {} s; {}",
        limit.as_secs_f64(),
        unknown_outcome(effect)
    );
    let fault = Fault::new(FaultCode::TimedOut, message, after_unknown(effect));
    Box::new(fault.with_reached(Reached::Maybe))
}

/// The time of the call ended before anything was sent.
pub fn late(limit: Duration) -> Box<Fault> {
    let message = format!(
        "the call was not ready to be sent within {} s, nothing was sent; try again later",
        limit.as_secs_f64()
    );
    Box::new(Fault::new(FaultCode::TimedOut, message, Next::TryLater))
}

/// The program that made the call was stopped before the call ended.
pub fn stopped(reached: Reached, effect: Effect) -> Box<Fault> {
    let (message, next) = match reached {
        Reached::No => (
            "the gateway was stopped before the call was made, nothing was sent; try again later"
                .to_owned(),
            Next::TryLater,
        ),
        Reached::Maybe | Reached::Yes => (
            format!("the gateway was stopped before the call ended; {}", unknown_outcome(effect)),
            after_unknown(effect),
        ),
    };
    Box::new(Fault::new(FaultCode::Stopped, message, next).with_reached(reached))
}

/// The service could not be reached, or the connection broke.
pub fn unreachable(reached: Reached, effect: Effect) -> Box<Fault> {
    let (message, next) = match reached {
        Reached::No => (
            "the service could not be reached, nothing was sent; try again later".to_owned(),
            Next::TryLater,
        ),
        Reached::Maybe | Reached::Yes => (
            format!(
                "the connection broke before the answer was complete; {}",
                unknown_outcome(effect)
            ),
            after_unknown(effect),
        ),
    };
    Box::new(Fault::new(FaultCode::Unreachable, message, next).with_reached(reached))
}

/// There is no secure connection: `why` names the problem and the operator's remedy.
pub fn no_secure_connection(why: &str, reached: Reached, effect: Effect) -> Box<Fault> {
    let why = clipped(why, 300);
    let (message, next) = match reached {
        Reached::No => {
            (format!("no secure connection to the service, nothing was sent: {why}"), Next::GiveUp)
        }
        Reached::Maybe | Reached::Yes => {
            let outcome = unknown_outcome(effect);
            (
                format!("the service ended the secure connection: {why}; {outcome}"),
                after_unknown(effect),
            )
        }
    };
    Box::new(Fault::new(FaultCode::Unreachable, message, next).with_reached(reached))
}

/// The service accepted the connection and then rejected it: `why` names the problem and the operator's remedy.
pub fn connection_refused(why: &str) -> Box<Fault> {
    let message =
        format!("the service turned the call down and did nothing: {}", clipped(why, 300));
    let fault = Fault::new(FaultCode::Unreachable, message, Next::GiveUp);
    Box::new(fault.with_reached(Reached::Yes))
}

fn unknown_outcome(effect: Effect) -> &'static str {
    match effect {
        Effect::Read => "it only reads, so it may be tried again later",
        Effect::Idempotent => {
            "it may or may not have been executed; the same call may be tried again"
        }
        Effect::Write => {
            "it may or may not have been executed; do not repeat it before checking whether it was"
        }
    }
}

fn after_unknown(effect: Effect) -> Next {
    match effect {
        Effect::Idempotent | Effect::Read => Next::TryLater,
        Effect::Write => Next::AskUser,
    }
}
