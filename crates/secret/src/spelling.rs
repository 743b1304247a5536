//! The spellings in which a service may return a secret: as it is, in base64, in hexadecimal, escaped as JSON within JSON,
//! quoted for a shell, with the `+` of forms. The module `disguise` handles encodings that a reader removes first.

use base64::{
    Engine,
    prelude::{BASE64_STANDARD_NO_PAD, BASE64_URL_SAFE_NO_PAD},
};
use zeroize::Zeroizing;

/// Every spelling of a value that is not empty. Each spelling of a value's beginning is the beginning of one of the value's
/// spellings.
pub fn spellings(value: &[u8]) -> Vec<Zeroizing<Vec<u8>>> {
    let mut spellings = vec![hexadecimal(value, UPPER_DIGITS), hexadecimal(value, LOWER_DIGITS)];
    for (lead, before) in [&[][..], &[0], &[0; 2]].into_iter().enumerate() {
        let padded = Zeroizing::new([before, value].concat());
        for engine in [&BASE64_STANDARD_NO_PAD, &BASE64_URL_SAFE_NO_PAD] {
            let encoded = Zeroizing::new(engine.encode(&*padded));
            let encoded = secret_only_characters(&encoded, lead, padded.len());
            // The two base64 alphabets differ in two characters.
            if spellings.last() != Some(&encoded) {
                spellings.push(encoded);
            }
        }
    }
    // JSON within a JSON text is escaped twice; the JSON disguise removes one level.
    if memchr::memchr2(b'"', b'\\', value).is_some() {
        spellings.push(backslash_escaped_bytes(value));
    }
    // A shell word in single quotes, as in the `curl` command of a dry run.
    if memchr::memchr(b'\'', value).is_some() {
        spellings.push(shell_quoted_bytes(value));
    }
    // The spaces of a form (WHATWG URL, "urlencoded serializing"); the disguise of percent-encoding leaves `+` as it is.
    if memchr::memchr(b' ', value).is_some() {
        spellings.push(value.iter().map(|byte| if *byte == b' ' { b'+' } else { *byte }).collect());
    }
    // Media types, header names and names of hosts are read in lower case.
    if value.iter().any(u8::is_ascii_uppercase) {
        spellings.push(value.to_ascii_lowercase());
    }
    spellings.push(value.to_vec());
    spellings.into_iter().filter(|spelling| !spelling.is_empty()).map(Zeroizing::new).collect()
}

fn hexadecimal(value: &[u8], digits: &[u8; 16]) -> Vec<u8> {
    let digit = |nibble: u8| digits.get(usize::from(nibble)).copied().unwrap_or_default();
    value.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// The characters of an encoding that depend only on the secret, which `lead` bytes precede.
fn secret_only_characters(encoded: &str, lead: usize, length: usize) -> Vec<u8> {
    let start = (lead * 8).div_ceil(6);
    let end = length * 8 / 6;
    encoded.as_bytes().get(start..end).unwrap_or_default().to_vec()
}

fn shell_quoted_bytes(value: &[u8]) -> Vec<u8> {
    let parts: Vec<_> = value.split(|byte| *byte == b'\'').collect();
    parts.join(&b"'\\''"[..])
}

fn backslash_escaped_bytes(value: &[u8]) -> Vec<u8> {
    let mut escaped = Vec::with_capacity(value.len() * 2);
    for byte in value {
        if matches!(byte, b'"' | b'\\') {
            escaped.push(b'\\');
        }
        escaped.push(*byte);
    }
    escaped
}

const LOWER_DIGITS: &[u8; 16] = b"0123456789abcdef";
const UPPER_DIGITS: &[u8; 16] = b"0123456789ABCDEF";
