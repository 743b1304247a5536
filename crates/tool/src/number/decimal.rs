//! Exact comparison of numbers by their decimal digits. Nothing is expanded: the cost of `1e999999999` depends on its
//! digits, not on its exponent.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

use super::{Number, NumberForm};

impl Number {
    /// True if both have equal numeric values, however they are written: `1.0` and `1`, `0` and `-0`.
    pub fn is_equal_to(&self, other: &Self) -> bool {
        self.order(other).is_eq()
    }

    /// The order of the numeric values. `1.0` and `1` are equal here, but not for `==`.
    pub fn order(&self, other: &Self) -> Ordering {
        if let (NumberForm::Small(one), NumberForm::Small(other)) = (&self.0, &other.0) {
            return one.cmp(other);
        }
        let (one, other) = (self.digits(), other.digits());
        Decimal::from_digits(&one).numeric_order(&Decimal::from_digits(&other))
    }

    /// True for a whole number, however it is written: `1.0` and `10e-1` are whole.
    pub fn is_integer(&self) -> bool {
        match &self.0 {
            NumberForm::Small(_) => true,
            NumberForm::Text(text) => {
                let decimal = Decimal::from_digits(text);
                decimal.is_zero() || decimal.last >= 0
            }
        }
    }

    /// True if this number divided by `divisor` is whole; `None` if that cannot be decided: for a divisor of zero or one
    /// with more than 38 significant digits.
    pub fn is_multiple_of(&self, divisor: &Self) -> Option<bool> {
        if let (NumberForm::Small(one), NumberForm::Small(divisor)) = (&self.0, &divisor.0) {
            return one.unsigned_abs().checked_rem(divisor.unsigned_abs()).map(|rest| rest == 0);
        }
        let (one, divisor) = (self.digits(), divisor.digits());
        Decimal::from_digits(&one).is_multiple_of(&Decimal::from_digits(&divisor))
    }

    /// Feeds a hasher; numbers that [are equal](Self::is_equal_to) feed it equal bytes.
    pub fn hash_worth<H: Hasher>(&self, state: &mut H) {
        let digits = self.digits();
        let decimal = Decimal::from_digits(&digits);
        decimal.is_negative.hash(state);
        decimal.last.hash(state);
        decimal.significant_digits().for_each(|digit| state.write_u8(digit));
    }
}

/// A number split into its significant digits and the power of ten of the last one.
struct Decimal<'t> {
    /// False for zero.
    is_negative: bool,
    /// The digits before and after the point, from the first to the last that is not zero; both empty for zero.
    whole: &'t [u8],
    fraction: &'t [u8],
    /// The power of ten of the last significant digit; 0 for zero.
    last: i128,
}

/// The exponent that stands for any exponent of more than 36 digits; shorter exponents are exact.
const FURTHEST: i128 = 10_i128.pow(36);

impl<'t> Decimal<'t> {
    fn from_digits(digits: &'t str) -> Self {
        let unsigned = digits.strip_prefix('-').unwrap_or(digits);
        let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let mut last = parse_clamped_exponent(exponent) - n_digits_as_i128(fraction.len());
        let (mut whole, mut fraction) = (whole.as_bytes(), fraction.as_bytes());
        whole = without_first_zeros(whole);
        if whole.is_empty() {
            fraction = without_first_zeros(fraction);
        }
        let n_digits = whole.len() + fraction.len();
        fraction = without_last_zeros(fraction);
        if fraction.is_empty() {
            whole = without_last_zeros(whole);
        }
        last += n_digits_as_i128(n_digits - whole.len() - fraction.len());
        if whole.is_empty() && fraction.is_empty() {
            return Self { is_negative: false, whole, fraction, last: 0 };
        }
        Self { is_negative: unsigned.len() < digits.len(), whole, fraction, last }
    }

    fn is_zero(&self) -> bool {
        self.whole.is_empty() && self.fraction.is_empty()
    }

    fn significant_digits(&self) -> impl Iterator<Item = u8> {
        self.whole.iter().chain(self.fraction).map(|digit| digit - b'0')
    }

    /// The power of ten just above that of the first significant digit.
    fn power_above_first_digit(&self) -> i128 {
        self.last + n_digits_as_i128(self.whole.len() + self.fraction.len())
    }

    fn numeric_order(&self, other: &Self) -> Ordering {
        let sign = |decimal: &Self| match (decimal.is_zero(), decimal.is_negative) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        };
        sign(self).cmp(&sign(other)).then_with(|| {
            let size = self.magnitude_order(other);
            if self.is_negative { size.reverse() } else { size }
        })
    }

    /// The order of the absolute values of two numbers that are both zero or both not zero.
    fn magnitude_order(&self, other: &Self) -> Ordering {
        let digits = || self.significant_digits().cmp(other.significant_digits());
        self.power_above_first_digit().cmp(&other.power_above_first_digit()).then_with(digits)
    }

    /// Significant digits have no trailing zeros and so are not divisible by ten. A divisor whose last digit has a higher
    /// power of ten therefore divides only zero.
    fn is_multiple_of(&self, divisor: &Self) -> Option<bool> {
        let by = divisor.digits_as_integer()?;
        if by == 0 {
            return None;
        }
        if self.is_zero() {
            return Some(true);
        }
        let Ok(mut zeros) = u128::try_from(self.last - divisor.last) else { return Some(false) };
        let digit = |rest, digit: u8| {
            let rest = modular_product(rest, 10, by);
            modular_sum(rest, u128::from(digit) % by, by)
        };
        let mut rest = self.significant_digits().fold(0, digit);
        let mut power = 10 % by;
        while zeros > 0 && rest != 0 {
            if zeros % 2 == 1 {
                rest = modular_product(rest, power, by);
            }
            power = modular_product(power, power, by);
            zeros /= 2;
        }
        Some(rest == 0)
    }

    /// The significant digits as one number, if it fits.
    fn digits_as_integer(&self) -> Option<u128> {
        self.significant_digits()
            .try_fold(0_u128, |whole, digit| whole.checked_mul(10)?.checked_add(u128::from(digit)))
    }
}

/// `one` times `other`, modulo `modulus`; both are below it.
fn modular_product(mut one: u128, mut other: u128, modulus: u128) -> u128 {
    if let Some(product) = one.checked_mul(other) {
        return product % modulus;
    }
    let mut product = 0;
    while other > 0 {
        if other % 2 == 1 {
            product = modular_sum(product, one, modulus);
        }
        one = modular_sum(one, one, modulus);
        other /= 2;
    }
    product
}

/// `one` plus `other`, modulo `modulus`; both are below it.
fn modular_sum(one: u128, other: u128, modulus: u128) -> u128 {
    let left = modulus - one;
    if other >= left { other - left } else { one + other }
}

fn parse_clamped_exponent(exponent: &str) -> i128 {
    let unsigned = exponent.trim_start_matches(['+', '-']).trim_start_matches('0');
    let size = match unsigned {
        "" => 0,
        digits => digits.parse::<i128>().map_or(FURTHEST, |size| size.min(FURTHEST)),
    };
    if exponent.starts_with('-') { -size } else { size }
}

fn without_first_zeros(digits: &[u8]) -> &[u8] {
    let n_zeros = digits.iter().take_while(|digit| **digit == b'0').count();
    digits.get(n_zeros..).unwrap_or_default()
}

fn without_last_zeros(digits: &[u8]) -> &[u8] {
    let n_zeros = digits.iter().rev().take_while(|digit| **digit == b'0').count();
    digits.get(..digits.len() - n_zeros).unwrap_or_default()
}

fn n_digits_as_i128(n_digits: usize) -> i128 {
    i128::try_from(n_digits).unwrap_or(FURTHEST)
}

#[cfg(test)]
mod tests {
    use std::hash::DefaultHasher;

    use proptest::prelude::*;

    use super::*;

    fn number(digits: &str) -> Number {
        Number::from_digits(digits).unwrap()
    }

    fn hash(number: &Number) -> u64 {
        let mut hasher = DefaultHasher::new();
        number.hash_worth(&mut hasher);
        hasher.finish()
    }

    #[track_caller]
    fn check(one: &str, expected: Ordering, other: &str) {
        let (one, other) = (number(one), number(other));
        assert_eq!(one.order(&other), expected, "{one} and {other}");
        assert_eq!(other.order(&one), expected.reverse(), "{other} and {one}");
        if expected.is_eq() {
            assert_eq!(hash(&one), hash(&other), "{one} and {other}");
        }
    }

    #[test]
    fn numbers_are_ordered_by_their_exact_value() {
        for (one, other) in [
            ("1", "1.0"),
            ("0", "-0"),
            ("0", "0.000e99999999999999999999999999999999999999"),
            ("100", "1e2"),
            ("100", "1.00E+2"),
            ("0.001", "1e-3"),
            ("1e400", "10e399"),
            ("1e999999999", "0.1e1000000000"),
            ("9007199254740993", "9007199254740993.0"),
            ("0.5", "5e-1"),
            ("-120e-2", "-1.2"),
        ] {
            check(one, Ordering::Equal, other);
        }
        for (less, more) in [
            ("9007199254740992", "9007199254740993"),
            ("9007199254740993", "9007199254740993.00001"),
            ("-1", "0"),
            ("-1e-999999999", "0"),
            ("0", "1e-999999999"),
            ("-2", "-1.5"),
            ("1e399", "1e400"),
            ("9.99e399", "1e400"),
            ("-1e400", "-1e399"),
            ("0.09", "0.1"),
            ("12", "120"),
            ("12", "1200e-1"),
        ] {
            check(less, Ordering::Less, more);
        }
    }

    #[test]
    fn a_whole_number_may_be_written_with_a_fraction_or_an_exponent() {
        for whole in ["1", "1.0", "10e-1", "1e400", "-0.0", "0e-5", "1.50e1"] {
            assert!(number(whole).is_integer(), "{whole}");
        }
        for broken in ["1.5", "1e-1", "0.1", "15e-1", "1e-999999999"] {
            assert!(!number(broken).is_integer(), "{broken}");
        }
    }

    #[test]
    fn multiples_are_decided_exactly_within_a_bound() {
        for (one, divisor, expected) in [
            ("10", "5", Some(true)),
            ("10", "3", Some(false)),
            ("0", "7", Some(true)),
            ("-9", "3", Some(true)),
            ("1", "0", None),
            ("1", "0.0", None),
            ("1.5", "0", None),
            ("4.35", "0.01", Some(true)),
            ("4.355", "0.01", Some(false)),
            ("0.3", "0.1", Some(true)),
            ("1e400", "7", Some(false)),
            ("1e999999999", "1024", Some(true)),
            ("1e999999999", "3", Some(false)),
            ("3e999999999", "3", Some(true)),
            ("1e-999999999", "1", Some(false)),
            ("9007199254740993", "2.0", Some(false)),
            ("1.0", "340282366920938463463374607431768211455", Some(false)),
            (
                "680564733841876926926749214863536422910",
                "340282366920938463463374607431768211455",
                Some(true),
            ),
            ("1", "1.000000000000000000000000000000000000000000001", None),
        ] {
            assert_eq!(
                number(one).is_multiple_of(&number(divisor)),
                expected,
                "{one} by {divisor}"
            );
        }
    }

    proptest! {
        #[test]
        fn decimals_have_the_order_of_their_thousandths(one in -99_999_i64..99_999, other in -99_999_i64..99_999) {
            let shifted = |value: i64| number(&format!("{value}e-3"));
            prop_assert_eq!(shifted(one).order(&shifted(other)), one.cmp(&other));
            let expected = (other != 0).then(|| one % other == 0);
            if other != 0 {
                prop_assert_eq!(shifted(one).is_multiple_of(&shifted(other)), expected);
            }
            prop_assert_eq!(shifted(one).is_integer(), one % 1000 == 0);
        }
    }
}
