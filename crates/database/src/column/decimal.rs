//! The digits of a number before and after its point, without an exponent. No digit is lost, and none is rounded.

use callgate_tool::Number;

/// A number in plain digits.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Decimal {
    is_negative: bool,
    /// The digits before the point, without zeros at the front; empty for none.
    whole: String,
    /// The digits after the point, as many as were written.
    fraction: String,
}

/// The most zeros that an exponent may stand for.
const MOST_ZEROS: usize = 1000;

impl Decimal {
    /// The number's digits; `None` if its exponent stands for too many zeros.
    pub(super) fn from_number(number: &Number) -> Option<Self> {
        let digits = number.digits();
        let unsigned = digits.strip_prefix('-').unwrap_or(&digits);
        let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let is_zero = mantissa.bytes().all(|digit| matches!(digit, b'0' | b'.'));
        let (whole, fraction) = if is_zero {
            (String::new(), fraction.to_owned())
        } else {
            shifted_digits(whole, fraction, exponent.parse().ok()?)?
        };
        let whole = whole.trim_start_matches('0').to_owned();
        Some(Self { is_negative: digits.starts_with('-') && !is_zero, whole, fraction })
    }

    /// The whole number, if it is one and fits.
    pub(super) fn whole_number(&self) -> Option<i128> {
        if !self.significant_fraction().is_empty() {
            return None;
        }
        let sign = if self.is_negative { "-" } else { "" };
        let whole = if self.whole.is_empty() { "0" } else { &self.whole };
        format!("{sign}{whole}").parse().ok()
    }

    pub(super) fn is_negative(&self) -> bool {
        self.is_negative
    }

    /// The number without the digits behind so many after the point, if there are such digits other than zeros.
    pub(super) fn lossy_truncation(&self, n_digits: usize) -> Option<Self> {
        let (kept, rest) = self.significant_fraction().split_at_checked(n_digits)?;
        (!rest.is_empty()).then(|| Self { fraction: kept.to_owned(), ..self.clone() })
    }

    /// True if a type of this precision and scale holds the number exactly.
    pub(super) fn fits(&self, precision: Option<u32>, scale: Option<i32>) -> bool {
        let scale = scale.map(i64::from);
        let first = if self.whole.is_empty() {
            let zeros = self.fraction.bytes().take_while(|digit| *digit == b'0').count();
            0_i64.saturating_sub(saturating_i64(zeros))
        } else {
            saturating_i64(self.whole.len())
        };
        let fraction = saturating_i64(self.significant_fraction().len());
        let zeros = self.whole.len() - self.whole.trim_end_matches('0').len();
        let last =
            if fraction > 0 { fraction } else { 0_i64.saturating_sub(saturating_i64(zeros)) };
        let most = precision.map(|precision| i64::from(precision) - scale.unwrap_or(0));
        self.n_significant() == 0
            || (most.is_none_or(|most| first <= most) && scale.is_none_or(|scale| last <= scale))
    }

    /// The number of digits from the first to the last that is not zero.
    pub(super) fn n_significant(&self) -> usize {
        let digits = format!("{}{}", self.whole, self.fraction);
        digits.trim_matches('0').len()
    }

    fn significant_fraction(&self) -> &str {
        self.fraction.trim_end_matches('0')
    }
}

impl std::fmt::Display for Decimal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let sign = if self.is_negative { "-" } else { "" };
        let whole = if self.whole.is_empty() { "0" } else { &self.whole };
        let point = if self.fraction.is_empty() { "" } else { "." };
        write!(f, "{sign}{whole}{point}{}", self.fraction)
    }
}

/// The digits before and after the point once the exponent has moved it.
fn shifted_digits(whole: &str, fraction: &str, exponent: i64) -> Option<(String, String)> {
    let by = usize::try_from(exponent.unsigned_abs()).ok().filter(|by| *by <= MOST_ZEROS)?;
    if exponent >= 0 {
        let zeros = "0".repeat(by.saturating_sub(fraction.len()));
        let digits = format!("{fraction}{zeros}");
        let (moved, rest) = digits.split_at_checked(by)?;
        return Some((format!("{whole}{moved}"), rest.to_owned()));
    }
    let digits = format!("{}{whole}", "0".repeat(by));
    let (rest, moved) = digits.split_at_checked(digits.len() - by)?;
    Some((rest.to_owned(), format!("{moved}{fraction}")))
}

fn saturating_i64(n_digits: usize) -> i64 {
    i64::try_from(n_digits).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use callgate_tool::Number;

    use super::Decimal;

    fn decimal(digits: &str) -> Option<Decimal> {
        Decimal::from_number(&Number::from_digits(digits).unwrap())
    }

    #[test]
    fn a_number_is_written_in_plain_digits() {
        for (digits, plain) in [
            ("0", "0"),
            ("-0", "0"),
            ("0e99999", "0"),
            ("1.10", "1.10"),
            ("-12e2", "-1200"),
            ("1.25e1", "12.5"),
            ("1.25e4", "12500"),
            ("12.5e-3", "0.0125"),
            ("1e-2", "0.01"),
            ("9007199254740993", "9007199254740993"),
        ] {
            assert_eq!(decimal(digits).unwrap().to_string(), plain, "{digits}");
        }
        assert_eq!(decimal("1e1001"), None);
        assert_eq!(decimal("1e-999999999999999999999"), None);
    }

    #[test]
    fn a_whole_number_may_have_a_point_or_an_exponent() {
        for (digits, whole) in [
            ("7", Some(7)),
            ("-7.00", Some(-7)),
            ("1e3", Some(1000)),
            ("0.5", None),
            ("-0.0", Some(0)),
        ] {
            assert_eq!(decimal(digits).unwrap().whole_number(), whole, "{digits}");
        }
        assert_eq!(decimal(&"9".repeat(60)).unwrap().whole_number(), None);
    }

    #[test]
    fn digits_that_a_scale_has_not_are_left_out() {
        for (digits, n_digits, truncated) in [
            ("1.105", 2, Some("1.10")),
            ("-1.105", 2, Some("-1.10")),
            ("393599.21", 0, Some("393599")),
            ("-0.5", 0, Some("-0")),
            ("1.10", 2, None),
            ("1.100", 2, None),
            ("7", 0, None),
            ("7.0", 0, None),
        ] {
            let shown =
                decimal(digits).unwrap().lossy_truncation(n_digits).map(|it| it.to_string());
            assert_eq!(shown.as_deref(), truncated, "{digits}");
        }
    }

    #[test]
    fn a_number_fits_its_precision_and_scale() {
        for (digits, precision, scale, fits) in [
            ("123.45", 5, 2, true),
            ("123.450", 5, 2, true),
            ("123.456", 5, 2, false),
            ("1234.5", 5, 2, false),
            ("0", 2, 2, true),
            ("0.00", 2, 1, true),
            ("0.99", 2, 2, true),
            ("1.0", 2, 2, false),
            ("12300", 3, -2, true),
            ("12310", 3, -2, false),
            ("0.00123", 3, 5, true),
            ("0.01", 3, 5, false),
        ] {
            let decimal = decimal(digits).unwrap();
            assert_eq!(decimal.fits(Some(precision), Some(scale)), fits, "{digits}");
        }
    }
}
