//! Checks the path of an address (RFC 3986 §3.3), and compares a written path with the one that a parser read.

use percent_encoding::percent_decode_str;

use super::{InvalidAddress, wrong_address};

/// Refuses a path with brackets, or with a `%` that begins no escape.
pub(super) fn check_path_characters(path: &str, text: &str) -> Result<(), InvalidAddress> {
    if path.contains(['[', ']']) {
        return Err(wrong_address("expected a server whose path has no `[` and `]`", text));
    }
    let is_escape = |piece: &str| {
        piece.get(..2).is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
    };
    if !path.split('%').skip(1).all(is_escape) {
        return Err(wrong_address(
            "expected a server whose path has `%` before two digits alone",
            text,
        ));
    }
    Ok(())
}

/// The expectation that a usable path does not meet: without segments that parsers resolve, or that are empty.
pub(super) fn unmet_path_expectation(path: &str) -> Option<&'static str> {
    if path.split('/').any(|segment| dots_of_segment(&decoded_segment(segment)) != Dots::None) {
        return Some("expected a server whose path has no dot segments");
    }
    path.contains("//").then_some("expected a server whose path has no empty segments")
}

/// Returns true if two paths are equal apart from escapes and dot segments (RFC 3986 §6.2.2).
pub(super) fn are_equivalent_paths(written: &str, read: &str) -> bool {
    let written = if written.is_empty() { "/" } else { written };
    normalized_segments(written) == normalized_segments(read)
}

/// The decoded segments without dot segments (RFC 3986 §5.2.4).
fn normalized_segments(path: &str) -> Vec<Vec<u8>> {
    let mut segments = Vec::new();
    let mut ends_in_dots = false;
    for segment in path.strip_prefix('/').unwrap_or(path).split('/').map(decoded_segment) {
        let dots = dots_of_segment(&segment);
        ends_in_dots = dots != Dots::None;
        match dots {
            Dots::Above => drop(segments.pop()),
            Dots::Here => {}
            Dots::None => segments.push(segment),
        }
    }
    if ends_in_dots {
        segments.push(Vec::new());
    }
    segments
}

#[derive(Clone, Copy, Eq, PartialEq)]
enum Dots {
    Above,
    Here,
    None,
}

fn dots_of_segment(segment: &[u8]) -> Dots {
    match segment {
        b"." => Dots::Here,
        b".." => Dots::Above,
        _ => Dots::None,
    }
}

fn decoded_segment(segment: &str) -> Vec<u8> {
    percent_decode_str(segment).collect()
}
