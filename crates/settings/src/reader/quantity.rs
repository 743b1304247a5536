//! Spans of time and numbers of bytes, as a configuration writes them.

use std::time::Duration;

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
