//! What a text looks like: a number, an identifier, a date.

use std::collections::BTreeMap;

use time::{Date, Month, OffsetDateTime, format_description::well_known::Rfc3339};
use url::Url;

/// A format of texts that a schema can name.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Format {
    Date,
    DateTime,
    Email,
    Uri,
    Uuid,
}

impl Format {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Date => "date",
            Self::DateTime => "date-time",
            Self::Email => "email",
            Self::Uri => "uri",
            Self::Uuid => "uuid",
        }
    }

    /// The format of a text, if it has one.
    pub(crate) fn recognize(text: &str) -> Option<Self> {
        if is_uuid(text) {
            Some(Self::Uuid)
        } else if is_date(text) {
            Some(Self::Date)
        } else if OffsetDateTime::parse(text, &Rfc3339).is_ok() {
            Some(Self::DateTime)
        } else if is_email(text) {
            Some(Self::Email)
        } else {
            is_uri(text).then_some(Self::Uri)
        }
    }
}

fn is_uuid(text: &str) -> bool {
    let mut parts = text.split('-');
    let has_lengths = [8, 4, 4, 4, 12].iter().all(|n| {
        parts
            .next()
            .is_some_and(|part| part.len() == *n && part.bytes().all(|b| b.is_ascii_hexdigit()))
    });
    has_lengths && parts.next().is_none()
}

fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let [year, month, day] = parts.as_slice() else { return false };
    if (year.len(), month.len(), day.len()) != (4, 2, 2) {
        return false;
    }
    let month = month.parse::<u8>().ok().and_then(|month| Month::try_from(month).ok());
    let (Ok(year), Some(month), Ok(day)) = (year.parse(), month, day.parse()) else { return false };
    Date::from_calendar_date(year, month, day).is_ok()
}

fn is_email(text: &str) -> bool {
    let is_plain =
        !text.contains(|c: char| c.is_whitespace() || c.is_control() || c == ':' || c == '/');
    let parts = text.split_once('@').filter(|_| is_plain && text.is_ascii());
    parts.is_some_and(|(name, host)| {
        let labels: Vec<&str> = host.split('.').collect();
        let is_label = |label: &&str| {
            !label.is_empty() && label.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
        };
        !name.is_empty() && labels.len() > 1 && labels.iter().all(is_label)
    })
}

fn is_uri(text: &str) -> bool {
    let is_plain = text.is_ascii() && !text.contains(|c: char| c.is_ascii_whitespace());
    is_plain && text.contains("://") && Url::parse(text).is_ok()
}

/// True for a whole number as JSON writes it.
pub(crate) fn is_integer(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_plain = digits == "0" || !digits.starts_with('0');
    is_plain && !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// True for a number with a fraction as JSON writes it.
pub(crate) fn is_fraction(text: &str) -> bool {
    text.split_once('.').is_some_and(|(whole, fraction)| {
        is_integer(whole) && !fraction.is_empty() && fraction.bytes().all(|b| b.is_ascii_digit())
    })
}

/// True for what stands for one thing among many: a number, a UUID, a hash, a date, a word with a number (`PET-123`).
pub(crate) fn is_identifier(text: &str) -> bool {
    let bytes = text.as_bytes();
    let n_digits = bytes.iter().filter(|byte| byte.is_ascii_digit()).count();
    let is_word =
        bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    let is_hash = text.len() >= 8 && n_digits > 0 && bytes.iter().all(u8::is_ascii_hexdigit);
    is_integer(text)
        || matches!(
            Format::recognize(text),
            Some(Format::Uuid | Format::Date | Format::DateTime | Format::Email)
        )
        || is_hash
        || (is_word && is_word_with_number(text))
        || has_kind_and_token(text)
        || (is_word && text.len() >= 16 && n_digits >= 2 && !text.contains('-'))
        || looks_random(text)
}

/// True for `PET-123`, `o_95` and `abc12345`, and not for `v1`, `oauth2` and `sha256`.
fn is_word_with_number(text: &str) -> bool {
    let word = text.trim_end_matches(|c: char| c.is_ascii_digit());
    let n_digits = text.len() - word.len();
    let begins_with_letter = word.starts_with(|c: char| c.is_ascii_alphabetic());
    let joined = word.ends_with(['-', '_']);
    let n_words = word.split(['-', '_']).filter(|word| !word.is_empty()).count();
    begins_with_letter && n_words == 1 && n_digits > 0 && (joined || n_digits >= 4)
}

/// True for `asst_abc123` and `file-9x8y7z`, and not for `us-east1` and `api_v1beta1`: the kind of a thing, and one among many.
fn has_kind_and_token(text: &str) -> bool {
    let Some((kind, token)) = text.split_once(['_', '-']) else { return false };
    let is_kind = !kind.is_empty() && kind.bytes().all(|byte| byte.is_ascii_lowercase());
    let is_token = token.len() >= 4 && token.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let n_digits = token.bytes().filter(u8::is_ascii_digit).count();
    let is_version =
        token.strip_prefix('v').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    is_kind && is_token && !is_version && n_digits >= 2 && n_digits < token.len()
}

/// True for a text that nobody types: long, with digits and letters of both cases mixed, such as a key, and without words.
pub(crate) fn looks_random(text: &str) -> bool {
    let is_plain =
        text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.+/=~:".contains(&byte));
    let n_digits = text.bytes().filter(u8::is_ascii_digit).count();
    let is_other = Format::recognize(text).is_some() || text.contains("://");
    let n_changes = text.as_bytes().windows(2).filter(|pair| changes_kind(pair)).count();
    let is_mixed = n_digits >= 3 && n_changes.saturating_mul(4) >= text.len();
    is_plain && text.len() >= 20 && is_mixed && !is_other && bits_per_character(text) >= 3.0
}

/// True for two characters of which one is a digit, or a letter of the other case, and not the first of a word.
fn changes_kind(pair: &[u8]) -> bool {
    let &[before, after] = pair else { return false };
    let kind = |byte: u8| (byte.is_ascii_digit(), byte.is_ascii_uppercase());
    let are_plain = before.is_ascii_alphanumeric() && after.is_ascii_alphanumeric();
    are_plain && kind(before) != kind(after)
}

/// True for a JSON Web Token (RFC 7519), whose header begins so in base64.
pub(crate) fn is_web_token(text: &str) -> bool {
    text.starts_with("eyJ") && text.len() >= 20 && text.split('.').count() >= 2
}

/// The entropy of the characters of a text, in bits for each (Shannon).
#[expect(clippy::cast_precision_loss, reason = "texts are shorter than 2^52")]
fn bits_per_character(text: &str) -> f64 {
    let mut counts = BTreeMap::<u8, usize>::new();
    for byte in text.bytes() {
        *counts.entry(byte).or_default() += 1;
    }
    let length = text.len() as f64;
    counts.values().map(|count| *count as f64 / length).map(|share| -share * share.log2()).sum()
}
