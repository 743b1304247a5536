//! The meaning of a plain YAML scalar: the core schema of YAML 1.2 (YAML 1.2.2 §10.3.2); numbers stay digits. `no`,
//! `on`, `yes`, `0777` and dates stay texts.

use std::borrow::Cow;

#[derive(Debug, Eq, PartialEq)]
pub(super) enum Meaning<'a> {
    Bool(bool),
    /// Infinity or not-a-number, which JSON does not have.
    NonFinite,
    Null,
    Number(Cow<'a, str>),
    Text,
}

pub(super) fn plain_scalar_meaning(text: &str) -> Meaning<'_> {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Meaning::Null,
        "true" | "True" | "TRUE" => Meaning::Bool(true),
        "false" | "False" | "FALSE" => Meaning::Bool(false),
        ".nan" | ".NaN" | ".NAN" => Meaning::NonFinite,
        _ if text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.')) => {
            number_or_text(text)
        }
        _ => Meaning::Text,
    }
}

fn number_or_text(text: &str) -> Meaning<'_> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") {
        return Meaning::NonFinite;
    }
    if let Some(digits) = hex_octal_as_decimal(text) {
        return Meaning::Number(Cow::Owned(digits));
    }
    let (mantissa, exponent) = match unsigned.find(['e', 'E']) {
        Some(at) => unsigned.split_at_checked(at).unwrap_or((unsigned, "")),
        None => (unsigned, ""),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    if !is_decimal(whole, fraction) || !is_empty_or_exponent(exponent) {
        return Meaning::Text;
    }
    if !text.starts_with('+') && !whole.is_empty() && fraction != Some("") {
        return Meaning::Number(Cow::Borrowed(text));
    }
    // `+1`, `.5` and `1.` are numbers in YAML, but not in JSON's grammar.
    let sign = if text.starts_with('-') { "-" } else { "" };
    let whole = if whole.is_empty() { "0" } else { whole };
    let digits = match fraction {
        None => format!("{sign}{whole}{exponent}"),
        Some("") => format!("{sign}{whole}.0{exponent}"),
        Some(fraction) => format!("{sign}{whole}.{fraction}{exponent}"),
    };
    Meaning::Number(Cow::Owned(digits))
}

/// `0x1F` and `0o17` in decimal digits; numbers beyond 128 bits stay texts.
fn hex_octal_as_decimal(text: &str) -> Option<String> {
    let (digits, base) = match (text.strip_prefix("0x"), text.strip_prefix("0o")) {
        (Some(digits), _) => (digits, 16),
        (None, Some(digits)) => (digits, 8),
        (None, None) => return None,
    };
    let value = u128::from_str_radix(digits, base).ok().filter(|_| !digits.starts_with('+'))?;
    Some(value.to_string())
}

/// Digits around a point, at least one. A number with a leading zero is a text: OpenAPI descriptions keep to the JSON
/// schema of YAML (OpenAPI 3.0.4 §4.2), where it is not a number, and as an example it is a code whose zeros count.
fn is_decimal(whole: &str, fraction: Option<&str>) -> bool {
    let fraction = fraction.unwrap_or_default();
    let leading_zero = whole.len() > 1 && whole.starts_with('0');
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    !leading_zero && digits(whole) && digits(fraction) && !(whole.is_empty() && fraction.is_empty())
}

/// The empty text, or `e` with digits.
fn is_empty_or_exponent(exponent: &str) -> bool {
    let Some(digits) = exponent.strip_prefix(['e', 'E']) else { return exponent.is_empty() };
    let digits = digits.strip_prefix(['+', '-']).unwrap_or(digits);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &Meaning<'_>) {
        assert_eq!(plain_scalar_meaning(text), *expected, "{text}");
    }

    #[test]
    fn numbers_keep_their_digits() {
        for text in ["0", "-0", "12", "-7", "1.10", "1e400", "1.5E-07", "12345678901234567890.10"] {
            check(text, &Meaning::Number(text.into()));
        }
    }

    #[test]
    fn yaml_numbers_that_json_cannot_write_are_rewritten() {
        let rows = [
            ("+1", "1"),
            (".5", "0.5"),
            ("-.5e3", "-0.5e3"),
            ("1.", "1.0"),
            ("+1.e2", "1.0e2"),
            ("0x1F", "31"),
            ("0o17", "15"),
            ("0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF", "340282366920938463463374607431768211455"),
        ];
        for (text, digits) in rows {
            check(text, &Meaning::Number(digits.into()));
        }
    }

    #[test]
    fn null_and_booleans_have_three_spellings_in_yaml() {
        for text in ["", "~", "null", "Null", "NULL"] {
            check(text, &Meaning::Null);
        }
        for (text, value) in [("true", true), ("True", true), ("FALSE", false)] {
            check(text, &Meaning::Bool(value));
        }
    }

    #[test]
    fn infinity_and_not_a_number_are_recognized() {
        for text in [".inf", "-.INF", "+.Inf", ".nan", ".NaN"] {
            check(text, &Meaning::NonFinite);
        }
    }

    #[test]
    fn other_plain_yaml_scalars_are_text() {
        let texts =
            "no on yes off y nUll tRUE 0777 090 01.10 1_000 1.2.3 2020-01-01 12:30:45 . - + e3 1e
            1e+ --1 +-1 -0x1 0x 0x+1 0b1 inf nan ١";
        for text in texts.split_whitespace() {
            check(text, &Meaning::Text);
        }
    }
}
