//! The failures of a request to an authorization server, in our own words: they contain none of the server's text.

use std::{borrow::Cow, time::Duration};

#[derive(Clone, Debug)]
pub(super) enum EndpointFailure {
    /// The endpoint refuses, with a code of the standards.
    Refused(&'static str),
    /// The endpoint did not respond, or asked to retry later.
    Unavailable {
        why: &'static str,
        retry: Retry,
    },
    Unreadable(Cow<'static, str>),
}

impl EndpointFailure {
    pub(super) fn unreadable(why: &'static str) -> Self {
        Self::Unreadable(why.into())
    }
}

impl callgate_secret::single_flight::FetchFailure for EndpointFailure {
    fn is_transient(&self) -> bool {
        matches!(self, Self::Unavailable { .. })
    }
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Retry {
    /// The endpoint says after how long (RFC 9110 §10.2.3).
    After(Duration),
    Later,
    /// The endpoint is not reachable: it may be starting.
    Soon,
}

pub(super) const UNTRUSTED: &str = "the description or the export names a token endpoint that is not public https; \
    an operator who trusts it names it with `token_url:`, or lists its origin under `credential_origins:`";

/// The size limit of a response: a token and a few words about it; the largest tokens have some kibibytes.
pub(super) const MAX_ANSWER_BYTES: usize = 64 * 1024;
