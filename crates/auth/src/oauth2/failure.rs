//! The failures of a request to an authorization server, in our own words. The server's own are for the operator alone.

use std::{borrow::Cow, time::Duration};

use callgate_secret::Masker;
use callgate_tool::visible_line;

#[derive(Clone, Debug)]
pub(super) enum EndpointFailure {
    /// The endpoint refuses.
    Refused {
        /// A code of the standards.
        code: &'static str,
        /// The reason in the server's words.
        said: Option<String>,
    },
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

    /// The failure without the secrets of its request, on one line.
    pub(super) fn without_secrets(self, masker: &Masker<'_>) -> Self {
        let Self::Refused { code, said } = self else { return self };
        let shown = |said: String| -> String {
            visible_line(&masker.mask_text(&said)).chars().take(MOST_SAID).collect()
        };
        Self::Refused { code, said: said.map(shown) }
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

/// The characters of a reason: a few sentences with the ids of a request.
const MOST_SAID: usize = 500;
