//! The JSON forms of headers and times in what callgate writes.

#![expect(clippy::ref_option, reason = "serde passes the fields of a type like this")]

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{
    Serialize, Serializer,
    ser::{SerializeMap, SerializeSeq},
};

/// Headers as an object; a header with several values becomes a list.
pub(crate) struct Headers<'a>(pub(crate) &'a [(String, String)]);

impl Serialize for Headers<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut members = serializer.serialize_map(None)?;
        for (at, (name, value)) in self.0.iter().enumerate() {
            let is_named = |(entry, _): &(String, String)| entry == name;
            if self.0.iter().take(at).any(is_named) {
                continue;
            }
            if self.0.iter().skip(at + 1).any(is_named) {
                members.serialize_entry(name, &Values { headers: self.0, name })?;
            } else {
                members.serialize_entry(name, value)?;
            }
        }
        members.end()
    }
}

struct Values<'a> {
    headers: &'a [(String, String)],
    name: &'a str,
}

impl Serialize for Values<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut items = serializer.serialize_seq(None)?;
        for (_, value) in self.headers.iter().filter(|(name, _)| name == self.name) {
            items.serialize_element(value)?;
        }
        items.end()
    }
}

pub(crate) fn write_headers<S: Serializer>(
    headers: &[(String, String)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    Headers(headers).serialize(serializer)
}

pub(crate) fn write_seconds<S: Serializer>(
    time: &Option<Duration>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    time.map(|time| time.as_secs()).serialize(serializer)
}

pub(crate) fn write_time<S: Serializer>(
    time: &Option<SystemTime>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    time.map(rfc_3339).serialize(serializer)
}

/// A time by RFC 3339, in whole seconds of UTC; times before 1970 become 1970.
#[doc(hidden)]
pub fn rfc_3339(time: SystemTime) -> String {
    let seconds = time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let (days, seconds) = (seconds / 86_400, seconds % 86_400);
    // Years begin in March here, so that a leap day is the last day of its year.
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = era * 400 + year + u64::from(month <= 2);
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hours:02}:{minutes:02}:{seconds:02}Z")
}
