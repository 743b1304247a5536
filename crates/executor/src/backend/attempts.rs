//! The attempts of one call under a policy that repeats some: their number, the time of each, and the failures that may be
//! repeated, as the method of the request decides (RFC 9110 §9.2.1).

use std::time::Duration;

use callgate_call::retry_after;
use callgate_tool::{Effect, FaultCode, Reached};
use callgate_transport::{ConnectFailure, Error, ErrorKind, overrides_method};
use http::{HeaderMap, Response};
use tokio::time::Instant;

use crate::retry::{Retry, RetryWhen};

#[derive(Debug)]
pub(super) struct Attempts {
    pub(super) n_made: usize,
    /// True if repeating the request changes nothing, even if the service has executed it.
    is_safe: bool,
    pub(super) lost: Option<Failure>,
    /// The progress of the earlier attempts.
    pub(super) reached: Reached,
    pub(super) ends: Instant,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Failure {
    pub(super) code: FaultCode,
    pub(super) status: Option<u16>,
    pub(super) reached: Reached,
    pub(super) asked: Option<Duration>,
}

impl Attempts {
    /// The attempts of a call that ends by then; `None` if the policy repeats none.
    pub(super) fn new(retry: &Retry, ends: Instant) -> Option<Box<Self>> {
        let attempts = Self { n_made: 0, is_safe: false, lost: None, reached: Reached::No, ends };
        (retry.when == RetryWhen::Safe).then(|| Box::new(attempts))
    }

    /// Begins an attempt of an operation with this effect. Returns the time by which it must have ended.
    pub(super) fn begin(&mut self, effect: Effect, retry: &Retry) -> Instant {
        self.n_made += 1;
        self.lost = None;
        // `Operation::retry_effect`: the method decides, whatever an operator says of the effect.
        self.is_safe = effect == Effect::Read;
        let may_follow = self.is_safe && self.n_made < retry.attempts;
        let limit = retry.attempt_timeout.filter(|_| may_follow);
        let ends = limit.and_then(|limit| Instant::now().checked_add(limit));
        ends.map_or(self.ends, |ends| ends.min(self.ends))
    }

    /// Takes the headers of the finished request, of which one may name another method.
    pub(super) fn send(&mut self, headers: &HeaderMap) {
        self.is_safe &= !overrides_method(headers);
    }

    pub(super) fn lose(&mut self, error: &Error) {
        self.lost = Failure::of_error(error);
    }

    pub(super) fn may_repeat(&self, failure: Failure) -> bool {
        self.is_safe || failure.reached == Reached::No
    }
}

impl Failure {
    pub(super) fn of_answer<T>(answer: &Response<T>) -> Option<Self> {
        let status = answer.status().as_u16();
        let asked = retry_after(answer.headers());
        let failure = Self {
            code: FaultCode::ServiceError,
            status: Some(status),
            reached: Reached::Yes,
            asked,
        };
        matches!(status, 429 | 502..=504).then_some(failure)
    }

    fn of_error(error: &Error) -> Option<Self> {
        let code = match error.kind() {
            ErrorKind::TimedOut => FaultCode::TimedOut,
            _ => FaultCode::Unreachable,
        };
        let is_http = error.connect_failure() != Some(ConnectFailure::NotHttp);
        let failure = Self { code, status: None, reached: error.reached(), asked: None };
        (error.is_transient() && is_http).then_some(failure)
    }
}
