//! Numbers whose digits a floating-point number would change: code has them as texts, and gives them back as such.

use callgate_tool::{Number, Value};

use crate::stub::resolved_schema;

/// A number as code has it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum CodeNumber {
    /// A fraction that a floating-point number holds.
    Float(f64),
    /// Its digits as a text: a floating-point number would change it, or it has too many.
    Text(String),
    /// A whole number, by its digits.
    Whole(String),
}

impl CodeNumber {
    pub(crate) fn new(number: &Number) -> Self {
        let digits = number.digits();
        if digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-') {
            let digits = digits.to_string();
            return if digits.len() <= MOST_DIGITS {
                Self::Whole(digits)
            } else {
                Self::Text(digits)
            };
        }
        match number.as_f64().filter(|float| float.is_finite()) {
            Some(float) if is_same_number(&digits, &format!("{float:e}")) => Self::Float(float),
            _ => Self::Text(digits.to_string()),
        }
    }
}

/// Turns texts back into numbers where a schema wants a number and code has it as a text.
pub(crate) fn restore_numbers(root: &Value, schema: &Value, value: &mut Value) {
    let schema = resolved_schema(root, schema);
    match value {
        Value::String(text) if wants_number(schema) => {
            let number = Value::parse(text).ok().filter(|parsed| {
                let number = parsed.as_number().map(CodeNumber::new);
                matches!(number, Some(CodeNumber::Text(_)))
            });
            if let Some(number) = number {
                *value = number;
            }
        }
        Value::Array(items) => {
            for item in items.iter_mut() {
                restore_numbers(root, &schema["items"], item);
            }
        }
        Value::Object(members) => {
            for (name, member) in members.iter_mut() {
                if let Some(property) = schema["properties"].get(name) {
                    restore_numbers(root, property, member);
                }
            }
        }
        Value::Bool(_) | Value::Null | Value::Number(_) | Value::String(_) => {}
    }
}

fn wants_number(schema: &Value) -> bool {
    let is =
        |kind: &Value, wanted: &[&str]| kind.as_str().is_some_and(|kind| wanted.contains(&kind));
    let numbers = ["integer", "number"];
    match &schema["type"] {
        Value::Array(kinds) => {
            kinds.iter().any(|kind| is(kind, &numbers))
                && !kinds.iter().any(|it| is(it, &["string"]))
        }
        kind => is(kind, &numbers),
    }
}

/// True if two texts of numbers mean one number.
pub(crate) fn is_same_number(a: &str, b: &str) -> bool {
    matches!((significant_digits(a), significant_digits(b)), (Some(a), Some(b)) if a == b)
}

/// The sign, the digits without zeros around them, and the exponent of the last one.
fn significant_digits(text: &str) -> Option<(bool, String, i64)> {
    let (is_negative, text) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i64>().ok()?),
        None => (text, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let trimmed = digits.trim_end_matches('0');
    let n_zeros = i64::try_from(digits.len().checked_sub(trimmed.len())?).ok()?;
    let n_fraction = i64::try_from(fraction.len()).ok()?;
    let digits = trimmed.trim_start_matches('0').to_owned();
    if digits.is_empty() {
        return Some((false, digits, 0));
    }
    let exponent = exponent.checked_sub(n_fraction)?.checked_add(n_zeros)?;
    Some((is_negative, digits, exponent))
}

/// The most digits that are read as a whole number: the time grows with their square.
const MOST_DIGITS: usize = 10_000;

#[cfg(test)]
mod tests {
    use callgate_tool::json;

    use super::*;

    #[test]
    fn texts_are_numbers_again_where_a_float_would_change_them() {
        let exact = "0.10000000000000000555";
        let schema = json!({"properties": {
            "a": {"type": "number"}, "b": {"type": ["string", "number"]}, "c": {"$ref": "#/d"},
            "e": {"type": "number"},
        }, "d": {"type": "array", "items": {"type": "number"}}});
        let mut value = json!({"a": exact, "b": exact, "c": [exact, "x"], "e": "1.5"});
        restore_numbers(&schema, &schema, &mut value);
        let expected = format!(r#"{{"a":{exact},"b":"{exact}","c":[{exact},"x"],"e":"1.5"}}"#);
        assert_eq!(value.to_string(), expected);
    }
}
