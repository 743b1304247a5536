//! The way asking an authorization server fails, in our own words: nothing it wrote is in them.

use std::borrow::Cow;

/// The reason why there is no token.
#[derive(Clone, Debug)]
pub(super) enum Failure {
    /// The endpoint refuses, with a code of the standards.
    Refused(&'static str),
    /// No answer, or one that says to come later.
    Unavailable { why: &'static str, retry: Retry },
    /// An answer that is no token.
    Unreadable(Cow<'static, str>),
}

impl Failure {
    pub(super) fn unreadable(why: &'static str) -> Self {
        Self::Unreadable(why.into())
    }
}

impl callgate_secret::single_flight::Failure for Failure {
    fn is_transient(&self) -> bool {
        matches!(self, Self::Unavailable { .. })
    }
}

/// True if asking again at once may help.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Retry {
    /// The endpoint is not there: it may be starting.
    Soon,
    Later,
}

/// The transport refuses what a description names and an operator does not.
pub(super) const UNTRUSTED: &str = "the description names a token endpoint that is not public https; \
    an operator who trusts it names it with `token_url:`";

/// A token and a few words about it; the largest tokens are of some kibibytes.
pub(super) const MAX_ANSWER_BYTES: usize = 64 * 1024;
