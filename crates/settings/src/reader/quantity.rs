//! Spans of time, numbers of bytes and whole numbers, as a configuration writes them.

use std::{ops::RangeInclusive, time::Duration};

use callgate_tool::Number;

use super::{FOR_DEFAULT, Mapping, Reader, member_pointer};
use crate::code::SettingCode;

impl Reader {
    /// A span of time: `30s`, `500ms`, `2m`, `24h`.
    pub fn duration(&mut self, mapping: Mapping<'_>, key: &str) -> Option<Duration> {
        self.duration_with_help(mapping, key, "for example `30s` or `500ms`")
    }

    /// A span of time; `help` has one that the key takes.
    pub fn duration_with_help(
        &mut self,
        mapping: Mapping<'_>,
        key: &str,
        help: &str,
    ) -> Option<Duration> {
        let node = mapping.object.get(key)?;
        let span = node.as_str().and_then(parse_duration).filter(|span| !span.is_zero());
        if span.is_none() {
            self.report_wrong_type_with_value(
                &member_pointer(mapping, key),
                "a span of time",
                node,
                help,
            );
        }
        span
    }

    /// A number of bytes within a range: `1MiB`, `64KiB`, `4096`.
    pub fn byte_count(
        &mut self,
        mapping: Mapping<'_>,
        key: &str,
        range: RangeInclusive<usize>,
    ) -> Option<usize> {
        let node = mapping.object.get(key)?;
        let plain = node.as_number().and_then(Number::as_i64);
        let size = match plain {
            Some(number) => usize::try_from(number).ok(),
            None => node.as_str().and_then(parse_byte_count),
        };
        let Some(size) = size.filter(|size| *size > 0) else {
            let help = if range.contains(&4096) {
                "for example `1MiB` or `4096`"
            } else {
                "for example `1MiB`"
            };
            self.report_wrong_type_with_value(
                &member_pointer(mapping, key),
                "a number of bytes",
                node,
                help,
            );
            return None;
        };
        if !range.contains(&size) {
            let (least, most) = (range.start(), range.end());
            let message = format!("expected {least} to {most} bytes, got: {size}");
            self.report_fault(
                SettingCode::WrongValue,
                member_pointer(mapping, key),
                message,
                FOR_DEFAULT,
            );
        }
        Some(size)
    }

    /// A whole number within a range.
    pub fn whole_number(
        &mut self,
        mapping: Mapping<'_>,
        key: &str,
        range: RangeInclusive<usize>,
    ) -> Option<usize> {
        let node = mapping.object.get(key)?;
        let number = node.as_number().and_then(Number::as_i64);
        let count = number.and_then(|number| usize::try_from(number).ok());
        let count = count.filter(|count| range.contains(count));
        if count.is_none() {
            let (least, most) = (range.start(), range.end());
            let upper = if *most == usize::MAX { String::new() } else { format!(" to {most}") };
            let expected = format!("a whole number from {least}{upper}");
            self.report_wrong_type(&member_pointer(mapping, key), &expected, node, FOR_DEFAULT);
        }
        count
    }
}

/// A span of time: `30s`.
pub(super) fn parse_duration(text: &str) -> Option<Duration> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let number: u64 = digits.parse().ok()?;
    match text.strip_prefix(digits)? {
        "ms" => Some(Duration::from_millis(number)),
        "s" => Some(Duration::from_secs(number)),
        "m" => number.checked_mul(60).map(Duration::from_secs),
        "h" => number.checked_mul(3600).map(Duration::from_secs),
        _ => None,
    }
}

/// A number of bytes: `1MiB`.
pub(super) fn parse_byte_count(text: &str) -> Option<usize> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let number: usize = digits.trim_end().parse().ok()?;
    let unit = match text.strip_prefix(digits)? {
        "" | "B" => 1,
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        "GiB" => 1 << 30,
        _ => return None,
    };
    number.checked_mul(unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_needs_a_unit() {
        let rows = [
            ("30s", Some(30_000)),
            ("500ms", Some(500)),
            ("2m", Some(120_000)),
            ("30", None),
            ("s", None),
            ("-1s", None),
            ("1h", Some(3_600_000)),
            ("1d", None),
            ("99999999999999999999s", None),
        ];
        for (text, milliseconds) in rows {
            assert_eq!(parse_duration(text), milliseconds.map(Duration::from_millis), "{text}");
        }
    }

    #[test]
    fn a_size_has_a_binary_unit_or_no_unit() {
        let rows = [
            ("4096", Some(4096)),
            ("1KiB", Some(1024)),
            ("1 MiB", Some(1 << 20)),
            ("1MB", None),
            ("x", None),
            ("99999999999GiB", None),
        ];
        for (text, bytes) in rows {
            assert_eq!(parse_byte_count(text), bytes, "{text}");
        }
    }
}
