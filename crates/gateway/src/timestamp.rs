//! Times in responses: whole seconds in the form of RFC 3339.

use std::time::SystemTime;

use time::{OffsetDateTime, format_description::well_known::Rfc3339};

pub(crate) fn timestamp(time: SystemTime) -> String {
    let time = OffsetDateTime::from(time);
    let seconds = time.replace_nanosecond(0).unwrap_or(time);
    seconds.format(&Rfc3339).unwrap_or_default()
}
