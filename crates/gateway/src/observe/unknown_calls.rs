//! The calls that an earlier process began and did not end, according to its audit file. Nobody knows whether they were
//! executed, so a sidecar lists them at its start for the people who run their services.

use callgate_config::Built;
use callgate_policy::UnknownCall;
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

pub(crate) fn log_unknown_calls(built: &Built) {
    let unknown = unfinished_calls(built);
    unknown.iter().take(MOST_LISTED).for_each(warn_of_unfinished_call);
    if let more @ 1.. = unknown.len().saturating_sub(MOST_LISTED) {
        tracing::warn!(more, "further calls of an earlier process may have been executed");
    }
}

/// The calls within the time to live of idempotency keys.
pub(crate) fn unfinished_calls(built: &Built) -> &[UnknownCall] {
    built.audit().map(|audit| audit.calls_without_end()).unwrap_or_default()
}

fn warn_of_unfinished_call(call: &UnknownCall) {
    let begun = OffsetDateTime::from(call.time).format(&Rfc3339).unwrap_or_default();
    tracing::warn!(
        begun,
        id = call.id,
        principal = call.principal,
        target = call.target,
        "a call of `{}` was begun by an earlier process and not ended: it may have been executed",
        call.tool
    );
}

/// The number of calls that a sidecar runs at once by default; further calls are only counted.
const MOST_LISTED: usize = 1024;
