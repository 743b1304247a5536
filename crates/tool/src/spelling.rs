//! The ways in which texts and bytes stand in other texts: cut short, as a part of a JSON pointer, in hexadecimal digits.

use std::borrow::Cow;

/// The first characters of a text, with `…` if more follow.
#[doc(hidden)]
pub fn shortened_text(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()).into(),
        None => text.into(),
    }
}

/// A name as a part of a JSON pointer (RFC 6901 §3).
#[doc(hidden)]
pub fn pointer_segment(name: &str) -> Cow<'_, str> {
    if name.contains(['~', '/']) {
        return Cow::Owned(name.replace('~', "~0").replace('/', "~1"));
    }
    Cow::Borrowed(name)
}

/// The name that is a part of a JSON pointer (RFC 6901 §4).
#[doc(hidden)]
pub fn name_from_pointer_segment(segment: &str) -> Cow<'_, str> {
    if !segment.contains('~') {
        return Cow::Borrowed(segment);
    }
    // `~1` is replaced before `~0`, so that `~01` means `~1`.
    Cow::Owned(segment.replace("~1", "/").replace("~0", "~"))
}

/// Bytes in hexadecimal digits.
#[doc(hidden)]
pub fn hexadecimal(bytes: &[u8]) -> String {
    let digit = |half: u8| char::from(if half < 10 { b'0' + half } else { b'a' - 10 + half });
    let mut text = String::with_capacity(bytes.len() * 2);
    text.extend(bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]));
    text
}
