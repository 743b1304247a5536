//! Reads the strings of JSON: finds their end, eight bytes at a time, and replaces escapes.

use super::fault::Reason;

#[derive(Clone, Copy, Debug)]
pub(super) enum Text<'t> {
    Plain(&'t str),
    /// The string had escapes; its unescaped text is in the buffer.
    Unescaped,
}

/// A fault and its byte offset.
type Fault = (Reason, usize);

impl<'t> Text<'t> {
    pub(super) fn plain_or_unescaped<'r>(self, unescaped: &'r str) -> &'r str
    where
        't: 'r,
    {
        match self {
            Self::Plain(text) => text,
            Self::Unescaped => unescaped,
        }
    }
}

/// Writes the unescaped string, which begins at `start` after its quote, to `unescaped`. Returns the byte after the closing quote.
pub(super) fn unescape(
    whole: &str,
    start: usize,
    mut end: usize,
    unescaped: &mut String,
) -> Result<usize, Fault> {
    let bytes = whole.as_bytes();
    unescaped.clear();
    let mut from = start;
    loop {
        unescaped.push_str(whole.get(from..end).unwrap_or_default());
        match bytes.get(end) {
            Some(b'"') => return Ok(end + 1),
            Some(b'\\') => {}
            Some(_) => return Err((Reason::ControlCharacter, end)),
            None => return Err((Reason::OpenText, end)),
        }
        let (character, after) = escaped_character(bytes, end)?;
        unescaped.push(character);
        from = after;
        end = special_position(bytes, from);
    }
}

/// The first quote, backslash or control character from `at` on, or the end. Most texts are short.
#[inline]
pub(crate) fn special_position(bytes: &[u8], at: usize) -> usize {
    for at in [at, at + 8] {
        let chunk = bytes.get(at..).and_then(<[u8]>::first_chunk);
        let special_bits = chunk.map_or(0, |chunk| special_bits(u64::from_le_bytes(*chunk)));
        if special_bits != 0 {
            return at + special_bits.trailing_zeros() as usize / 8;
        }
    }
    special_position_after_16_bytes(bytes, at)
}

/// The first quote, backslash or control character of a long text, or the end. The search goes on behind the first 16
/// bytes.
fn special_position_after_16_bytes(bytes: &[u8], mut at: usize) -> usize {
    at += if bytes.len() > at + 16 { 16 } else { 0 };
    while is_plain_block::<32>(bytes, at) {
        at += 32;
    }
    if is_plain_block::<16>(bytes, at) {
        at += 16;
    }
    while let Some(chunk) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
        let special_bits = special_bits(u64::from_le_bytes(*chunk));
        if special_bits != 0 {
            return at + special_bits.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    let rest = bytes.get(at..).unwrap_or_default();
    at + rest.iter().position(|byte| nonzero_if_special(*byte) != 0).unwrap_or(rest.len())
}

/// Reports whether the next `N` bytes exist and none of them ends a plain text. The compiler vectorizes the check.
fn is_plain_block<const N: usize>(bytes: &[u8], at: usize) -> bool {
    let block = bytes.get(at..).and_then(<[u8]>::first_chunk::<N>);
    block.is_some_and(|block| {
        block.iter().fold(0, |marks, byte| marks | nonzero_if_special(*byte)) == 0
    })
}

/// Not zero for a quote, a backslash or a control character; without a branch, so that the compiler vectorizes it. Flipping
/// one bit moves the quote right behind the control characters.
fn nonzero_if_special(byte: u8) -> u8 {
    0x21_u8.saturating_sub(byte ^ 2) | 1_u8.saturating_sub(byte ^ b'\\')
}

/// The highest bit of each byte that is a quote, a backslash or a control character. The borrow may set further bits above
/// the lowest match, so only the lowest one counts.
fn special_bits(chunk: u64) -> u64 {
    const EACH: u64 = 0x0101_0101_0101_0101;
    let below = |chunk: u64, bound: u64| chunk.wrapping_sub(EACH * bound) & !chunk;
    // Flips a bit as `mark` does.
    let control_or_quote = below(chunk ^ (EACH * 2), 0x21);
    let backslash = below(chunk ^ (EACH * u64::from(b'\\')), 1);
    (control_or_quote | backslash) & (EACH << 7)
}

/// The character that the escape at `at` stands for, and the byte after the escape.
fn escaped_character(bytes: &[u8], at: usize) -> Result<(char, usize), Fault> {
    let character = match bytes.get(at + 1) {
        Some(byte @ (b'"' | b'\\' | b'/')) => char::from(*byte),
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(b'u') => return unicode_escape_character(bytes, at),
        Some(_) => return Err((Reason::Escape, at)),
        None => return Err((Reason::OpenText, at + 1)),
    };
    Ok((character, at + 2))
}

/// The character of an escape like `\u00e9`, or of the two halves of a surrogate pair (RFC 8259 §7).
fn unicode_escape_character(bytes: &[u8], at: usize) -> Result<(char, usize), Fault> {
    let first = escaped_utf16_unit(bytes, at)?;
    if let Some(character) = char::from_u32(first) {
        return Ok((character, at + 6));
    }
    let is_pair = first < 0xDC00 && bytes.get(at + 6..at + 8) == Some(b"\\u");
    let second = if is_pair { escaped_utf16_unit(bytes, at + 6)? } else { 0 };
    if !(0xDC00..0xE000).contains(&second) {
        return Err((Reason::Surrogate, at));
    }
    let number = 0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00);
    char::from_u32(number).map(|character| (character, at + 12)).ok_or((Reason::Surrogate, at))
}

/// The value of the four hexadecimal digits after `\u`.
fn escaped_utf16_unit(bytes: &[u8], at: usize) -> Result<u32, Fault> {
    let digits = bytes.get(at + 2..at + 6).ok_or((Reason::OpenText, bytes.len()))?;
    digits.iter().try_fold(0, |unit, digit| {
        let digit = char::from(*digit).to_digit(16).ok_or((Reason::Escape, at))?;
        Ok(unit << 4 | digit)
    })
}
