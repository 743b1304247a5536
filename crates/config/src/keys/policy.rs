//! The keys of the middleware around calls.

use super::{Key, Kind, Table, key, required, secret, table, text};

/// The audit file of calls.
pub(crate) const AUDIT: Table = table(
    "`audit`",
    &[
        key(
            "arguments",
            Kind::Choice(&["digest", "full"]),
            "`full` writes arguments as they are, beside their digest",
        ),
        required(text("file", "The file, relative to this one")),
        required(secret("key", "The key that chains the lines, 16 bytes at least")),
        key(
            "mode",
            Kind::Choice(&["best_effort", "required"]),
            "`required` refuses calls that cannot be written down",
        ),
    ],
);

/// The limits on all calls, and on those of each principal.
pub(crate) const CALLS: Table = table(
    "`calls`",
    &[
        key(
            "concurrency",
            Kind::Count(usize::MAX),
            "How many calls of one principal run at a time",
        ),
        key("in_flight", Kind::Count(usize::MAX), "How many calls run at a time in all"),
        key("queue", Kind::Whole, "How many calls wait at one bound for another to end"),
        key("queue_wait", Kind::Duration, "How long a call waits there"),
        RATE_KEY,
    ],
);

/// The limits on kept results of calls with an idempotency key.
pub(crate) const IDEMPOTENCY: Table = table(
    "`idempotency`",
    &[
        key("bytes", Kind::Bytes, "How much the results of one principal may take together"),
        key(
            "most",
            Kind::Count(usize::MAX),
            "How many keys are kept for one principal; further ones are refused",
        ),
        key("ttl", Kind::Duration, "How long a result is kept"),
    ],
);

/// The number of calls that may start.
pub(super) const RATE_KEY: Key =
    key("rate", Kind::Table(&RATE), "How many calls may begin in a span of time");

/// A number of calls in a span of time.
pub(crate) const RATE: Table = table(
    "`rate`",
    &[
        key("burst", Kind::Count(MOST_CALLS), "How many of them at once; all unless given"),
        required(key("calls", Kind::Count(MOST_CALLS), "How many calls")),
        key("per", Kind::Duration, "In which span; a second unless given"),
    ],
);

/// The conditions under which calls to a service pause.
pub(crate) const BREAKER: Table = table(
    "`breaker`",
    &[
        key(
            "failures",
            Kind::Count(MOST_CALLS),
            "After how many calls in a row that could not reach the service",
        ),
        key("open", Kind::Duration, "For how long, before one call looks for it again"),
    ],
);

/// The largest number of calls that a rate can count.
pub(crate) const MOST_CALLS: usize = 1_000_000_000;
