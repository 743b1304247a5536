//! Numbers in a readable form.

/// A number with commas: `1,240`.
pub(crate) fn grouped_digits(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::grouped_digits;

    #[test]
    fn thousands_are_grouped() {
        for (number, text) in [(0, "0"), (999, "999"), (1240, "1,240"), (1_234_567, "1,234,567")] {
            assert_eq!(grouped_digits(number), text);
        }
    }
}
