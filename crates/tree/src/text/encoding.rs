//! Turns bytes into Unicode text: UTF-8, or UTF-16 with a byte order mark. Other encodings are refused with the place
//! of the first byte that cannot be decoded; no byte is replaced.

use std::borrow::Cow;

use super::fault::{self, Fault};

/// The text without its byte order mark. Bytes that are not text fail, and a NUL, which neither JSON nor YAML allows.
pub(crate) fn decode(bytes: &[u8]) -> Result<Cow<'_, str>, Fault> {
    let text = match bytes {
        [0xFF, 0xFE, rest @ ..] => Cow::Owned(decode_utf16(rest, u16::from_le_bytes)?),
        [0xFE, 0xFF, rest @ ..] => Cow::Owned(decode_utf16(rest, u16::from_be_bytes)?),
        [0xEF, 0xBB, 0xBF, rest @ ..] => Cow::Borrowed(decode_utf8(rest)?),
        _ => Cow::Borrowed(decode_utf8(bytes)?),
    };
    match memchr::memchr(0, text.as_bytes()) {
        None => Ok(text),
        Some(at) => Err(fault::nul_fault(fault::position_of(&text, at), at)),
    }
}

fn decode_utf8(bytes: &[u8]) -> Result<&str, Fault> {
    str::from_utf8(bytes).map_err(|error| {
        let good = bytes.get(..error.valid_up_to()).unwrap_or_default();
        let good = str::from_utf8(good).unwrap_or_default();
        fault::not_utf8(fault::position_of(good, good.len()), good.len())
    })
}

fn decode_utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Result<String, Fault> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let mut text = String::with_capacity(bytes.len());
    for decoded in char::decode_utf16(pairs.iter().map(|pair| unit(*pair))) {
        match decoded {
            Ok(c) => text.push(c),
            Err(_) => return Err(fault::not_utf16(fault::position_of(&text, text.len()))),
        }
    }
    if rest.is_empty() {
        Ok(text)
    } else {
        Err(fault::not_utf16(fault::position_of(&text, text.len())))
    }
}
