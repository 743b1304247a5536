//! An operand of a function as a text.

use rusqlite::types::ValueRef;

/// The value as a text; `None` for null.
pub(super) fn text_bytes(value: ValueRef<'_>) -> Option<Vec<u8>> {
    match value {
        ValueRef::Blob(bytes) | ValueRef::Text(bytes) => Some(bytes.to_vec()),
        ValueRef::Integer(number) => Some(number.to_string().into_bytes()),
        ValueRef::Null => None,
        ValueRef::Real(number) => Some(shortest_real_text(number).into_bytes()),
    }
}

/// A number as the engine writes it, but with the fewest digits that are read as the number again.
pub(super) fn shortest_real_text(number: f64) -> String {
    if number.is_infinite() {
        return if number > 0.0 { "Inf" } else { "-Inf" }.to_owned();
    }
    let scientific = format!("{number:e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    if number == 0.0 {
        "0.0".to_owned()
    } else if (-4..17).contains(&exponent) {
        let plain = number.to_string();
        if plain.contains('.') { plain } else { plain + ".0" }
    } else {
        let point = if digits.contains('.') { "" } else { ".0" };
        let sign = if exponent < 0 { '-' } else { '+' };
        format!("{digits}{point}e{sign}{:02}", exponent.unsigned_abs())
    }
}
