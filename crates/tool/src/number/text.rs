//! The digits of a number as text: borrowed digits that are checked, and the digits of a 64-bit number, written on the
//! stack.

use std::{fmt, ops::Deref};

/// Digits that are known to follow JSON's grammar of a number (RFC 8259 §6).
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[doc(hidden)]
pub struct Digits<'t>(&'t str);

/// The digits of a number, as text.
#[derive(Clone, Copy)]
pub struct NumberText<'n>(TextForm<'n>);

#[derive(Clone, Copy)]
enum TextForm<'n> {
    Stack { digits: [u8; LONGEST], start: usize },
    Text(&'n str),
}

/// The length of `-9223372036854775808`, the longest `i64`.
const LONGEST: usize = 20;

impl<'t> Digits<'t> {
    /// A text that is exactly a number; `None` for any other text.
    pub fn new(text: &'t str) -> Option<Self> {
        (number_length(text.as_bytes())? == text.len()).then_some(Self(text))
    }

    /// The number at the beginning of a text; `None` if the text does not begin with one.
    pub(crate) fn number_at_start(text: &'t str) -> Option<Self> {
        text.get(..number_length(text.as_bytes())?).map(Self)
    }

    /// The digits.
    pub fn as_str(&self) -> &'t str {
        self.0
    }

    /// The number, if an `i64` holds it and writes it with these digits; `-0` is not such a number.
    pub(super) fn as_exact_i64(self) -> Option<i64> {
        self.0.parse().ok().filter(|_| self.0 != "-0")
    }
}

impl<'n> NumberText<'n> {
    pub(super) fn from_text(text: &'n str) -> Self {
        Self(TextForm::Text(text))
    }

    pub(super) fn from_i64(value: i64) -> Self {
        let mut digits = [0; LONGEST];
        let mut start = LONGEST;
        let mut left = value.unsigned_abs();
        for byte in digits.iter_mut().rev() {
            *byte = b'0' + u8::try_from(left % 10).unwrap_or_default();
            left /= 10;
            start -= 1;
            if left == 0 {
                break;
            }
        }
        let sign = start.checked_sub(1).filter(|_| value < 0);
        if let Some((start_of_all, byte)) = sign.and_then(|at| Some((at, digits.get_mut(at)?))) {
            *byte = b'-';
            start = start_of_all;
        }
        Self(TextForm::Stack { digits, start })
    }
}

impl Deref for NumberText<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        match &self.0 {
            TextForm::Stack { digits, start } => {
                let digits = digits.get(*start..).unwrap_or_default();
                str::from_utf8(digits).unwrap_or_default()
            }
            TextForm::Text(text) => text,
        }
    }
}

impl AsRef<str> for NumberText<'_> {
    fn as_ref(&self) -> &str {
        self
    }
}

impl fmt::Debug for NumberText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

impl fmt::Display for NumberText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

/// The length of the number at the beginning of `bytes`; `None` if they do not begin with one.
fn number_length(bytes: &[u8]) -> Option<usize> {
    let start = usize::from(bytes.first() == Some(&b'-'));
    let mut at = digits_end(bytes, start)?;
    if bytes.get(start) == Some(&b'0') && at > start + 1 {
        return None;
    }
    if bytes.get(at) == Some(&b'.') {
        at = digits_end(bytes, at + 1)?;
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        let is_signed = matches!(bytes.get(at + 1), Some(b'+' | b'-'));
        at = digits_end(bytes, at + 1 + usize::from(is_signed))?;
    }
    Some(at)
}

/// The end of the digits that begin at `start`; `None` if there are none.
fn digits_end(bytes: &[u8], start: usize) -> Option<usize> {
    let rest = bytes.get(start..)?;
    let n_digits = rest.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(rest.len());
    (n_digits > 0).then_some(start + n_digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_are_formatted_as_by_the_standard_library() {
        for value in [0, 7, -7, 10, -10, 99, 100, i64::MAX, i64::MIN, i64::MIN + 1] {
            assert_eq!(&*NumberText::from_i64(value), value.to_string());
        }
    }

    #[test]
    fn the_length_of_a_number_in_a_text_follows_the_json_grammar() {
        for (text, expected) in [
            ("1,", Some(1)),
            ("-0.50e-3]", Some(8)),
            ("1.x", None),
            ("1ex", None),
            ("-", None),
            ("00", None),
            ("0", Some(1)),
        ] {
            assert_eq!(number_length(text.as_bytes()), expected, "{text}");
        }
    }
}
