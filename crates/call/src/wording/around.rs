//! Sentences about calls that end before they reach their tool: too many calls, a service that is down, a key that was used
//! before, an audit file that cannot be written.

use std::time::Duration;

use callgate_tool::{Fault, FaultCode, Next, Reached};

use super::{fault_after_sending, faults};

faults! {
    /// More calls were made in a short time than are allowed.
    pub fn rate_limited(wait: Duration) = RateLimited, TryLater, after(wait):
        "too many calls were made in a short time, nothing was sent; try again later";

    /// More calls are running than are allowed.
    pub fn overload(wait: Duration) = Overloaded, TryLater, after(wait):
        "too many calls are running, nothing was sent; try again later";

    /// Earlier calls did not reach the service.
    pub fn known_to_be_down(wait: Duration) = Overloaded, TryLater, after(wait):
        "the service could not be reached by the calls before this one, nothing was sent; try again later";

    /// The store of keys is full.
    pub fn too_many_keys(wait: Duration) = Overloaded, TryLater, after(wait):
        "too many idempotency keys are in use, nothing was sent; try again later, or without a key";

    /// The store of idempotency keys does not answer.
    pub fn keys_unavailable(wait: Duration) = Overloaded, TryLater, after(wait):
        "idempotency keys cannot be kept now, nothing was sent; try again later";

    /// The store that counts calls does not answer.
    pub fn rates_unavailable(wait: Duration) = Overloaded, TryLater, after(wait):
        "calls cannot be counted now, nothing was sent; try again later";

    /// The store of results does not answer, and the call names one.
    pub fn results_unavailable(wait: Duration) = Overloaded, TryLater, after(wait):
        "results of earlier calls cannot be read now, nothing was sent; try again later";

    /// The first call with this key has not ended.
    pub fn still_running(wait: Duration) = StillRunning, TryLater, after(wait):
        "the first call with this idempotency key is still running, nothing was sent; repeat it later for its result";

    /// The key was used for another call.
    pub fn key_reused() = KeyReused, CorrectArguments:
        "this idempotency key was used for a call of another tool, session or arguments, nothing was sent; use a key of its own for each call";

    /// The first call with this key was given up while it ran.
    pub fn outcome_unknown() = OutcomeUnknown, AskUser, reached Maybe:
        "the first call with this idempotency key was begun and did not come to its end; it may or may not have been executed; do not repeat it before checking whether it was";

    /// The call cannot be written into the audit file.
    pub fn audit_failed() = AuditFailed, TryLater:
        "calls are written down before they are made, and this one cannot be, so nothing was sent; try again later";
}

/// The first call with this key ended, but its answer is no longer stored.
pub fn first_answer_no_longer_kept(status: Option<u16>) -> Box<Fault> {
    let answered = match status {
        Some(status) => format!("was answered with status {status}"),
        None => "has ended".to_owned(),
    };
    let message = format!(
        "the first call with this idempotency key {answered}, and its answer is no longer kept; it was not sent again"
    );
    let mut fault = fault_after_sending(FaultCode::AnswerLost, message, Next::GiveUp, Reached::Yes);
    fault.status = status;
    fault
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wording::MAX_MESSAGE;

    #[test]
    fn a_retry_time_is_rounded_up_to_at_least_one_second() {
        for (milliseconds, seconds) in [(0, 1), (1, 1), (1000, 1), (1001, 2), (9_500, 10)] {
            let fault = rate_limited(Duration::from_millis(milliseconds));
            assert_eq!(fault.retry_after, Some(Duration::from_secs(seconds)), "{milliseconds}");
            assert_eq!((fault.next, fault.reached), (Next::TryLater, Reached::No));
        }
    }

    #[test]
    fn every_message_of_a_fault_is_short() {
        let wait = Duration::from_secs(1);
        let of_time = [
            rate_limited,
            overload,
            known_to_be_down,
            too_many_keys,
            keys_unavailable,
            results_unavailable,
            still_running,
        ]
        .map(|it| it(wait));
        let others = [
            key_reused(),
            outcome_unknown(),
            first_answer_no_longer_kept(Some(201)),
            audit_failed(),
        ];
        for fault in of_time.into_iter().chain(others) {
            assert!(fault.message.len() <= MAX_MESSAGE / 2, "{}", fault.message);
        }
    }
}
