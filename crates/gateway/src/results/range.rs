//! The header `Range` (RFC 9110 §14.2): one range of bytes. Any other content is ignored, as the RFC allows.

use std::ops::Range;

#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum RequestedRange {
    Nothing,
    Part(Range<usize>),
    Whole,
}

/// The bytes that `range` requests out of `length`.
pub(super) fn requested_range(range: Option<&str>, length: usize) -> RequestedRange {
    let spec = range.and_then(|text| text.trim().strip_prefix("bytes="));
    let Some((first, last)) = spec.and_then(|spec| spec.split_once('-')) else {
        return RequestedRange::Whole;
    };
    match (parse_saturating(first), parse_saturating(last)) {
        // The last bytes, at most `length`.
        (None, Some(count)) if first.trim().is_empty() => match count.min(length) {
            0 => RequestedRange::Nothing,
            count => RequestedRange::Part(length - count..length),
        },
        (Some(first), _) if first >= length => RequestedRange::Nothing,
        (Some(first), None) if last.trim().is_empty() => RequestedRange::Part(first..length),
        (Some(first), Some(last)) if first <= last => {
            RequestedRange::Part(first..last.saturating_add(1).min(length))
        }
        _ => RequestedRange::Whole,
    }
}

fn parse_saturating(text: &str) -> Option<usize> {
    let text = text.trim();
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().unwrap_or(usize::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(range: &str, length: usize, expected: &RequestedRange) {
        assert_eq!(requested_range(Some(range), length), *expected, "{range} of {length}");
    }

    #[test]
    fn one_range_of_bytes_yields_its_part() {
        check("bytes=0-0", 10, &RequestedRange::Part(0..1));
        check("bytes=2-4", 10, &RequestedRange::Part(2..5));
        check("bytes=2-", 10, &RequestedRange::Part(2..10));
        check("bytes=2-99999999999999999999", 10, &RequestedRange::Part(2..10));
        check("bytes=-3", 10, &RequestedRange::Part(7..10));
        check("bytes=-30", 10, &RequestedRange::Part(0..10));
    }

    #[test]
    fn a_range_after_the_end_is_not_satisfiable() {
        check("bytes=10-", 10, &RequestedRange::Nothing);
        check("bytes=0-", 0, &RequestedRange::Nothing);
        check("bytes=-0", 10, &RequestedRange::Nothing);
    }

    #[test]
    fn other_ranges_than_a_single_one_of_bytes_yield_the_whole() {
        for range in ["lines=1-2", "bytes=", "bytes=a-b", "bytes=4-2", "bytes=0-1,3-4", "bytes=--1"]
        {
            check(range, 10, &RequestedRange::Whole);
        }
        assert_eq!(requested_range(None, 10), RequestedRange::Whole);
    }
}
