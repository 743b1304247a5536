//! The keys of `sessions`.

use super::{Kind, Table, key, table};

/// The sidecar's settings for sessions.
pub(crate) const SESSIONS: Table = table(
    "`sessions`",
    &[
        key("approval_time", Kind::Duration, "How long calls wait for the approval of a person"),
        key("bytes", Kind::Bytes, "How much the sessions may take together"),
        key(
            "claims",
            Kind::Map(&Kind::Text),
            "Parameters that come from claims of verified tokens, and from nowhere else",
        ),
        key("client_time", Kind::Duration, "How long calls wait for the client that runs them"),
        key(
            "headers",
            Kind::Map(&Kind::Text),
            "Parameters that come from headers of requests, in place of what their session says",
        ),
        key(
            "most",
            Kind::Count(usize::MAX),
            "How many sessions are kept; the oldest of the principal that holds most makes room",
        ),
        key("ttl", Kind::Duration, "How long a session is kept after its last change"),
    ],
);
