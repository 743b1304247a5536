//! The secret value: zeroized when its last holder is gone, and printed as `****`. It does not know its origin.

use std::{
    fmt,
    sync::{Arc, OnceLock},
};

use zeroize::Zeroizing;

use crate::{
    error::{self, Error},
    filter::Filter,
};

/// The text that is shown in place of a secret.
pub const MASK: &str = "****";

/// The number of bytes from which a secret is masked. A shorter one is a part of too many other values: `1` of `112.1`.
pub const SHORTEST: usize = 4;

/// A value that is never shown. Clones share one allocation, which is zeroized when the last clone is dropped.
///
/// ```
/// let secret = callgate_secret::Secret::new("s3cr3t".to_owned());
/// assert_eq!(format!("{secret} {secret:?}"), "**** Secret(****)");
/// assert_eq!(secret.expose(), "s3cr3t");
/// ```
///
/// Two secrets cannot be compared by `==`, which would leak through timing, and a secret cannot be serialized:
///
/// ```compile_fail
/// let secret = callgate_secret::Secret::new("s3cr3t".to_owned());
/// assert!(secret == secret);
/// ```
#[derive(Clone)]
pub struct Secret {
    held: Arc<SecretValue>,
    note: Option<&'static str>,
}

struct SecretValue {
    value: Zeroizing<String>,
    /// Made when a response is first searched for the value.
    filter: OnceLock<Option<Filter>>,
}

impl Secret {
    /// Takes the value without copying it.
    pub fn new(value: String) -> Self {
        let held = SecretValue { value: Zeroizing::new(value), filter: OnceLock::new() };
        Self { held: Arc::new(held), note: None }
    }

    /// Takes a text as it was stored, without one line break at its end, which an editor or a shell added. [`Secret::note`]
    /// reports the removal, except for PEM, which always ends with a line break.
    pub fn from_stored_text(mut text: String) -> Self {
        let kept = text.strip_suffix('\n').map(|rest| rest.strip_suffix('\r').unwrap_or(rest));
        let Some(length) = kept.map(str::len) else { return Self::new(text) };
        text.truncate(length);
        // RFC 7468 §3: the last line of PEM ends with a line break, as its other lines do.
        let is_pem = text.starts_with("-----BEGIN ") && text.ends_with("-----");
        Self { note: Some(NEWLINE_REMOVED).filter(|_| !is_pem), ..Self::new(text) }
    }

    /// The value itself. Only code that puts it on a request may use this.
    pub fn expose(&self) -> &str {
        &self.held.value
    }

    /// The value itself, if a header can hold it and carries it unchanged.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) if it holds CR, LF, NUL or another control character, begins or
    /// ends with a blank, or holds characters beyond ASCII.
    pub fn expose_for_header(&self) -> Result<&str, Error> {
        let value = self.expose_encoded()?;
        // RFC 9110 §5.5: blanks at the ends are not part of a value, and characters beyond ASCII have no meaning.
        if !value.is_ascii() {
            return Err(error::not_for_a_header(BEYOND_ASCII));
        }
        if value.starts_with(' ') || value.ends_with(' ') {
            return Err(error::not_for_a_header("a blank at its beginning or its end"));
        }
        Ok(value)
    }

    /// The value itself, if it can be a token: RFC 6750 §2.1 and all issuers of tokens allow no blank in them.
    ///
    /// # Errors
    /// The errors of [`Secret::expose_for_header`], and a blank anywhere.
    pub fn expose_as_token(&self) -> Result<&str, Error> {
        let value = self.expose_for_header()?;
        if value.contains(' ') {
            return Err(error::not_for_a_header("a blank; a token has none"));
        }
        Ok(value)
    }

    /// The value itself, if a header can hold it once it is encoded, as a password is.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) if it holds a control character: RFC 7617 §2 allows none.
    pub fn expose_encoded(&self) -> Result<&str, Error> {
        // RFC 9110 §5.5: CR, LF and NUL are dangerous; other control characters are invalid. The RFC allows the tab, but no
        // credential has one.
        if self.held.value.bytes().any(|byte| byte.is_ascii_control()) {
            return Err(error::not_for_a_header("a control character (a line break, perhaps)"));
        }
        Ok(&self.held.value)
    }

    /// Returns true if the value is empty.
    pub fn is_empty(&self) -> bool {
        self.held.value.is_empty()
    }

    /// Returns true if a [`Masker`](crate::Masker) leaves the value in texts: shorter ones than [`SHORTEST`] occur by accident.
    pub fn is_too_short_to_mask(&self) -> bool {
        (1..SHORTEST).contains(&self.held.value.len())
    }

    /// Returns true if both values are equal. The time depends only on their lengths. A store uses this to check whether a
    /// service rejected the secret that it still holds.
    pub fn is_same_value(&self, other: &Self) -> bool {
        let (left, right) = (self.held.value.as_bytes(), other.held.value.as_bytes());
        let difference = left
            .iter()
            .zip(right)
            .fold(0, |differing_bits, (left, right)| differing_bits | (left ^ right));
        std::hint::black_box(difference) == 0 && left.len() == right.len()
    }

    /// Returns true if a text may hold a spelling of the value; never returns false for a text that holds one.
    pub(crate) fn may_be_in(&self, text: &[u8]) -> bool {
        let filter = self.held.filter.get_or_init(|| Filter::new(self.held.value.as_bytes()));
        filter.as_ref().is_none_or(|filter| filter.may_be_in(text))
    }

    /// The change that was made to the value when it was read, for the operator.
    pub fn note(&self) -> Option<&'static str> {
        self.note
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Secret({MASK})")
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(MASK)
    }
}

const BEYOND_ASCII: &str = "a character beyond ASCII (a typographic quote or dash, perhaps)";
const NEWLINE_REMOVED: &str = "the line break at the end of a stored secret was removed";

#[cfg(test)]
mod tests {
    use zeroize::ZeroizeOnDrop;

    use super::*;
    use crate::ErrorKind;

    #[test]
    fn equal_values_match_and_others_do_not() {
        let is_same = |left: &str, right: &str| {
            Secret::new(left.to_owned()).is_same_value(&Secret::new(right.to_owned()))
        };
        assert!(is_same("abc", "abc") && is_same("", ""));
        for (left, right) in
            [("abc", "abd"), ("abc", "ab"), ("ab", "abc"), ("", "a"), ("xbc", "abc")]
        {
            assert!(!is_same(left, right), "{left} {right}");
        }
    }

    #[test]
    fn debug_output_of_a_secret_shows_no_value() {
        let secret = Secret::from_stored_text("canary\n".to_owned());
        let shown = format!("{secret} {secret:?} {secret:#?} {:?}", Some(&secret));
        assert!(shown.contains(MASK) && !shown.contains("canary"), "{shown}");
    }

    #[test]
    fn the_value_is_zeroized_when_dropped() {
        fn needs<T: ZeroizeOnDrop>(_: &T) {}
        needs(&Secret::new("canary".to_owned()).held.value);
    }

    #[track_caller]
    fn check_file_text(text: &str, expected: &str, noted: Option<&str>) {
        let secret = Secret::from_stored_text(text.to_owned());
        assert_eq!(secret.expose(), expected);
        assert_eq!(secret.note(), noted);
    }

    #[test]
    fn one_line_break_at_the_end_of_a_secret_file_is_removed() {
        check_file_text("abc", "abc", None);
        check_file_text("abc\n", "abc", Some(NEWLINE_REMOVED));
        check_file_text("abc\r\n", "abc", Some(NEWLINE_REMOVED));
        check_file_text("abc\n\n", "abc\n", Some(NEWLINE_REMOVED));
        check_file_text("abc\r", "abc\r", None);
        check_file_text("\n", "", Some(NEWLINE_REMOVED));
        check_file_text("", "", None);
        let pem = "-----BEGIN PRIVATE KEY-----\nMIG\n-----END PRIVATE KEY-----";
        check_file_text(&format!("{pem}\n"), pem, None);
        check_file_text("-----BEGIN\n", "-----BEGIN", Some(NEWLINE_REMOVED));
    }

    /// Checks the value as a password, in a header and as a token.
    #[track_caller]
    fn check_header(value: &str, expected: [bool; 3]) {
        let secret = Secret::new(value.to_owned());
        let exposed =
            [secret.expose_encoded(), secret.expose_for_header(), secret.expose_as_token()];
        for refused in exposed.iter().filter_map(|exposed| exposed.as_ref().err()) {
            assert_eq!(refused.kind(), ErrorKind::Invalid);
            assert!(!refused.to_string().contains(value), "{refused}");
        }
        assert_eq!(exposed.map(|exposed| exposed.is_ok()), expected, "{value:?}");
    }

    #[test]
    fn a_secret_is_legal_in_a_header_only_if_it_is_sent_unchanged() {
        for value in ["abc.-_~+/9==", ":;<=>?@[]^`{|}"] {
            check_header(value, [true, true, true]);
        }
        check_header("Token abc", [true, true, false]);
        for value in
            [" abc", "abc ", "p\u{e4}ssword", "\u{201c}abc\u{201d}", "a\u{a0}b", "a\u{200b}"]
        {
            check_header(value, [true, false, false]);
        }
        for value in ["a\r\nx-evil: 1", "a\n", "a\r", "a\0b", "a\tb", "a\u{7f}"] {
            check_header(value, [false, false, false]);
        }
    }
}
