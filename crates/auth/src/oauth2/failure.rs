//! The failures of a request to an authorization server, in our own words. The server's own are for the operator alone.

use std::{borrow::Cow, time::Duration};

use callgate_secret::Masker;
use callgate_tool::escape_invisible_in_line;

#[derive(Clone, Debug)]
pub(super) enum EndpointFailure {
    /// The endpoint refuses.
    Refused {
        /// A code of the standards.
        code: &'static str,
        /// The reason in the server's words, in each of these failures.
        said: Option<String>,
    },
    /// The endpoint did not respond, or asked to retry later.
    Unavailable {
        why: &'static str,
        retry: Retry,
        said: Option<String>,
    },
    Unreadable {
        why: Cow<'static, str>,
        said: Option<String>,
    },
}

impl EndpointFailure {
    pub(super) fn unreadable(why: impl Into<Cow<'static, str>>) -> Self {
        Self::Unreadable { why: why.into(), said: None }
    }

    /// The failure of an endpoint that says nothing about it.
    pub(super) fn unavailable(why: &'static str, retry: Retry) -> Self {
        Self::Unavailable { why, retry, said: None }
    }

    /// The reason in the server's words.
    pub(super) fn server_words(&self) -> Option<&str> {
        match self {
            Self::Refused { said, .. }
            | Self::Unavailable { said, .. }
            | Self::Unreadable { said, .. } => said.as_deref(),
        }
    }

    /// The failure without the secrets of its request, on one line.
    pub(super) fn without_secrets(mut self, masker: &Masker<'_>) -> Self {
        match &mut self {
            Self::Refused { said, .. }
            | Self::Unavailable { said, .. }
            | Self::Unreadable { said, .. } => {
                *said = said.take().map(|said| shortened_visible_line(&masker.mask_text(&said)));
            }
        }
        self
    }
}

/// The words of a server as they are shown: one line, not too long.
pub(super) fn shortened_visible_line(said: &str) -> String {
    escape_invisible_in_line(said).chars().take(MOST_SAID).collect()
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

/// The characters of a reason: a few sentences with the ids of a request.
const MOST_SAID: usize = 500;
