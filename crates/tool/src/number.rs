//! A number that keeps its digits as they were written: `1.10`, `1e400` and `9007199254740993` keep their exact text. `==`
//! compares the text; [`Number::is_equal_to`] and [`Number::order`] compare the numeric values, exactly. Digits come from
//! `reader`, or are checked here.

mod decimal;
mod text;

use std::fmt;
use std::ops::Deref;
use std::str::FromStr;
use std::sync::Arc;

pub use self::text::{Digits, NumberText};

/// A number of JSON's grammar (RFC 8259 §6), with its digits as written.
///
/// ```
/// use callgate_tool::Number;
///
/// let price = Number::from_digits("1.10").ok_or("no number")?;
/// assert_eq!(price.to_string(), "1.10");
/// assert!(price.is_equal_to(&Number::from_digits("1.1").ok_or("no number")?));
/// # Ok::<(), &str>(())
/// ```
#[derive(Clone, Eq, Hash, PartialEq)]
pub struct Number(NumberForm);

/// The error for a text that is not a JSON number.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct InvalidNumber;

#[derive(Clone, Eq, Hash, PartialEq)]
enum NumberForm {
    Small(i64),
    /// A number that [`Form::Small`] cannot hold or would write differently.
    Text(Arc<str>),
}

impl Number {
    /// A whole number that fits in 64 bits.
    pub const fn small(value: i64) -> Self {
        Self(NumberForm::Small(value))
    }

    /// A number from its digits; `None` for a text that does not follow JSON's grammar.
    pub fn from_digits(digits: &str) -> Option<Self> {
        Digits::new(digits).map(Self::from)
    }

    /// A number from its checked digits; `share` makes the stored text if an `i64` cannot hold the number exactly as
    /// written.
    #[doc(hidden)]
    pub fn from_checked_digits(digits: Digits<'_>, share: impl FnOnce(&str) -> Arc<str>) -> Self {
        digits
            .as_exact_i64()
            .map_or_else(|| Self(NumberForm::Text(share(digits.as_str()))), Self::small)
    }

    /// The 64-bit floating-point number as a [`Number`]; `None` if it is not finite.
    pub fn from_f64(value: f64) -> Option<Self> {
        let digits = serde_json::Number::from_f64(value)?.to_string();
        Self::from_digits(&digits)
    }

    /// The digits as they were written, without a heap allocation.
    pub fn digits(&self) -> impl Deref<Target = str> + Copy + fmt::Display {
        match &self.0 {
            NumberForm::Small(value) => NumberText::from_i64(*value),
            NumberForm::Text(text) => NumberText::from_text(text),
        }
    }

    /// The number, if it is written as a whole number and fits `i64`.
    pub fn as_i64(&self) -> Option<i64> {
        match &self.0 {
            NumberForm::Small(value) => Some(*value),
            NumberForm::Text(text) => text.parse().ok(),
        }
    }

    /// The number, if it is written as a whole number, is not negative and fits `u64`.
    pub fn as_u64(&self) -> Option<u64> {
        match &self.0 {
            NumberForm::Small(value) => u64::try_from(*value).ok(),
            NumberForm::Text(text) => text.parse().ok(),
        }
    }

    /// The nearest floating-point number; `None` if the number is too large for one.
    pub fn as_f64(&self) -> Option<f64> {
        let nearest = self.digits().parse::<f64>().ok();
        nearest.filter(|nearest| nearest.is_finite())
    }

    /// True for a number that is written as a whole number and fits `i64`.
    pub fn is_i64(&self) -> bool {
        self.as_i64().is_some()
    }

    /// True for a number that is written as a whole number and fits `u64`.
    pub fn is_u64(&self) -> bool {
        self.as_u64().is_some()
    }

    /// True for a number that is written with a fraction or an exponent.
    pub fn is_f64(&self) -> bool {
        match &self.0 {
            NumberForm::Small(_) => false,
            NumberForm::Text(text) => text.bytes().any(|byte| matches!(byte, b'.' | b'e' | b'E')),
        }
    }
}

impl From<Digits<'_>> for Number {
    fn from(digits: Digits<'_>) -> Self {
        Self::from_checked_digits(digits, |digits| digits.into())
    }
}

impl FromStr for Number {
    type Err = InvalidNumber;

    fn from_str(digits: &str) -> Result<Self, InvalidNumber> {
        Self::from_digits(digits).ok_or(InvalidNumber)
    }
}

callgate_secret::text!(error InvalidNumber: _ => "expected a number as JSON writes it");

impl fmt::Debug for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Number({self})")
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.digits())
    }
}

macro_rules! from_whole {
    ($($whole:ty),*) => {
        $(impl From<$whole> for Number {
            fn from(value: $whole) -> Self {
                match i64::try_from(value) {
                    Ok(value) => Self::small(value),
                    Err(_) => Self(NumberForm::Text(value.to_string().into())),
                }
            }
        })*
    };
}

from_whole!(i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_keeps_its_digits() {
        for digits in ["0", "-1", "1.10", "1e400", "9007199254740993", "-9223372036854776000", "-0"]
        {
            assert_eq!(Number::from_digits(digits).unwrap().to_string(), digits);
        }
        for bad in
            ["", "-", "01", "-01", "1.", ".5", "1e", "1e+", "1.e1", "+1", "0x10", "NaN", "1 "]
        {
            assert!(Number::from_digits(bad).is_none(), "{bad}");
        }
    }

    #[test]
    fn numbers_with_equal_digits_are_equal() {
        let number = |digits| Number::from_digits(digits).unwrap();
        assert_eq!(number("7"), Number::from(7_u8));
        assert_eq!(number("18446744073709551615"), Number::from(u64::MAX));
        assert_ne!(number("1.0"), number("1"));
        assert_ne!(number("-0"), number("0"));
    }

    #[test]
    fn whole_numbers_are_read_in_64_bits() {
        for (digits, signed, unsigned) in [
            ("0", Some(0), Some(0)),
            ("-0", Some(0), None),
            ("-1", Some(-1), None),
            ("9223372036854775808", None, Some(1 << 63)),
            ("-9223372036854775808", Some(i64::MIN), None),
            ("18446744073709551616", None, None),
            ("1.0", None, None),
            ("1e2", None, None),
        ] {
            let number = Number::from_digits(digits).unwrap();
            assert_eq!(number.as_i64(), signed, "{digits}");
            assert_eq!(number.as_u64(), unsigned, "{digits}");
        }
    }

    #[test]
    fn a_number_is_converted_to_the_nearest_float() {
        for (digits, nearest) in
            [("1.10", Some(1.1)), ("-3", Some(-3.0)), ("1e400", None), ("1e-400", Some(0.0))]
        {
            assert_eq!(Number::from_digits(digits).unwrap().as_f64(), nearest, "{digits}");
        }
        assert_eq!(Number::from_f64(1.5).unwrap().to_string(), "1.5");
        assert_eq!(Number::from_f64(f64::NAN), None);
    }

    #[test]
    fn a_number_has_16_bytes() {
        assert_eq!(size_of::<Number>(), 16);
    }
}
