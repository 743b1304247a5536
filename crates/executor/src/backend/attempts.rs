//! The attempts of one call under a policy that repeats some: their number, the time of each, and their failures. The rule of
//! `transport` decides which of them go again.

use std::time::Duration;

use callgate_call::{Plan, retry_after};
use callgate_tool::{Effect, Event, FaultCode, Reached};
use callgate_transport::{AttemptEnd, Error, ErrorKind, Repeat, RequestKind, repetition_after};
use http::{HeaderMap, Response};
use tokio::time::Instant;

use crate::{
    call::Call,
    decision::Approved,
    retry::{Retry, RetryWhen},
};

#[derive(Debug)]
pub(super) struct Attempts {
    pub(super) n_made: usize,
    kind: RequestKind,
    pub(super) lost: Option<Failure>,
    /// The progress of the earlier attempts.
    pub(super) reached: Reached,
    pub(super) ends: Instant,
    /// The repetition that waits, until its request is sent.
    pub(super) repeated: Option<Event>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Failure {
    pub(super) code: FaultCode,
    end: AttemptEnd,
    pub(super) status: Option<u16>,
    pub(super) reached: Reached,
    pub(super) asked: Option<Duration>,
}

/// The kind of a call's request. `Operation::retry_effect`: the method decides, whatever an operator says of the effect.
pub(super) fn request_kind(plan: &Plan, call: &Call<'_>) -> RequestKind {
    let is_approved = call.extensions().get::<Approved>().is_some();
    match plan.operation().retry_effect() {
        _ if is_approved => RequestKind::Approved,
        Effect::Read => RequestKind::Read,
        Effect::Idempotent | Effect::Write => RequestKind::Change,
    }
}

impl Attempts {
    /// The attempts of a call that ends by then; `None` if the policy repeats none.
    pub(super) fn new(retry: &Retry, kind: RequestKind, ends: Instant) -> Option<Box<Self>> {
        let attempts =
            Self { n_made: 0, kind, lost: None, reached: Reached::No, ends, repeated: None };
        (retry.when == RetryWhen::Safe).then(|| Box::new(attempts))
    }

    /// Begins an attempt. Returns the time by which it must have ended.
    pub(super) fn begin_attempt(&mut self, retry: &Retry) -> Instant {
        self.n_made += 1;
        self.lost = None;
        let may_follow = repetition_after(AttemptEnd::ConnectionBroken, self.kind) != Repeat::Never
            && self.n_made < retry.attempts;
        let limit = retry.attempt_timeout.filter(|_| may_follow);
        let ends = limit.and_then(|limit| Instant::now().checked_add(limit));
        ends.map_or(self.ends, |ends| ends.min(self.ends))
    }

    /// Takes the headers of the finished request, of which one may name another method.
    pub(super) fn note_method_override(&mut self, headers: &HeaderMap) {
        self.kind = self.kind.with_method_override(headers);
    }

    pub(super) fn note_failure(&mut self, error: &Error) {
        self.lost = Failure::of_retryable_error(error);
    }

    pub(super) fn is_repeatable_failure(&self, failure: Failure) -> bool {
        repetition_after(failure.end, self.kind) != Repeat::Never
    }
}

impl Failure {
    pub(super) fn of_retryable_status<T>(answer: &Response<T>) -> Option<Self> {
        let status = answer.status().as_u16();
        let asked = retry_after(answer.headers());
        let failure = Self {
            code: FaultCode::ServiceError,
            end: AttemptEnd::Busy,
            status: Some(status),
            reached: Reached::Yes,
            asked,
        };
        matches!(status, 429 | 502..=504).then_some(failure)
    }

    fn of_retryable_error(error: &Error) -> Option<Self> {
        let code = match error.kind() {
            ErrorKind::TimedOut => FaultCode::TimedOut,
            _ => FaultCode::Unreachable,
        };
        let (end, reached) = (error.attempt_end(), error.reached_service());
        let failure = Self { code, end, status: None, reached, asked: None };
        (end != AttemptEnd::Final).then_some(failure)
    }
}
