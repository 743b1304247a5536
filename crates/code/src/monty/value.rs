//! Values of JSON as values of the interpreter, and back. Whole numbers are exact; a fraction that a floating-point number would change
//! becomes its text.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use callgate_tool::{Number, Object, Value};
use monty_types::{DictPairs, MontyDate, MontyDateTime, MontyObject};
use num_bigint::BigInt;

use crate::digits::CodeNumber;

/// A value as the code sees it.
pub(super) fn to_monty_object(value: &Value) -> MontyObject {
    match value {
        Value::Null => MontyObject::None,
        Value::Bool(value) => MontyObject::Bool(*value),
        Value::Number(number) => number_to_monty_object(number),
        Value::String(text) => MontyObject::String(text.clone()),
        Value::Array(items) => MontyObject::List(items.iter().map(to_monty_object).collect()),
        Value::Object(members) => {
            let pair = |(name, value): (&String, &Value)| {
                (MontyObject::String(name.clone()), to_monty_object(value))
            };
            MontyObject::Dict(members.iter().map(pair).collect::<DictPairs>())
        }
    }
}

fn number_to_monty_object(number: &Number) -> MontyObject {
    if let Some(whole) = number.as_i64() {
        return MontyObject::Int(whole);
    }
    match CodeNumber::new(number) {
        CodeNumber::Float(float) => MontyObject::Float(float),
        CodeNumber::Text(text) => MontyObject::String(text),
        CodeNumber::Whole(digits) => digits
            .parse::<BigInt>()
            .map_or_else(|_| MontyObject::String(digits), MontyObject::BigInt),
    }
}

/// A value of the code as JSON.
///
/// # Errors
/// The reason why JSON has no such value.
pub(super) fn to_json(value: &MontyObject) -> Result<Value, String> {
    Ok(match value {
        MontyObject::None => Value::Null,
        MontyObject::Bool(value) => Value::Bool(*value),
        MontyObject::Int(whole) => Value::from(*whole),
        MontyObject::BigInt(whole) => big_to_json(whole)?,
        MontyObject::Float(float) => {
            let number = Number::from_f64(*float);
            Value::Number(number.ok_or_else(|| format!("JSON has no `{float}`"))?)
        }
        MontyObject::String(text) | MontyObject::Path(text) => Value::from(text.as_str()),
        MontyObject::Bytes(bytes) => Value::from(STANDARD.encode(bytes)),
        MontyObject::Date(date) => Value::from(date_text(date)),
        MontyObject::DateTime(time) => Value::from(date_time_text(time)),
        MontyObject::List(items) | MontyObject::Tuple(items) => list_to_json(items)?,
        MontyObject::NamedTuple { values, .. } => list_to_json(values)?,
        MontyObject::Dict(pairs) => dict_to_json(pairs)?,
        MontyObject::Set(_) | MontyObject::FrozenSet(_) => {
            return Err("JSON has no set: write `sorted(…)` around it".to_owned());
        }
        other => return Err(format!("JSON has no value of the type `{}`", other.type_name())),
    })
}

fn big_to_json(whole: &BigInt) -> Result<Value, String> {
    let digits = (whole.bits() <= MOST_BITS).then(|| whole.to_string());
    let number = digits.and_then(|digits| Number::from_digits(&digits));
    number.map(Value::Number).ok_or_else(|| "the number has too many digits".to_owned())
}

fn list_to_json(items: &[MontyObject]) -> Result<Value, String> {
    items.iter().map(to_json).collect::<Result<_, _>>().map(Value::Array)
}

fn dict_to_json(pairs: &DictPairs) -> Result<Value, String> {
    let mut members = Object::new();
    for (name, value) in pairs {
        let MontyObject::String(name) = name else {
            return Err(format!("JSON has texts as keys, not `{}`", name.type_name()));
        };
        members.insert(name.as_str(), to_json(value)?);
    }
    Ok(Value::Object(members))
}

fn date_text(MontyDate { year, month, day }: &MontyDate) -> String {
    format!("{year:04}-{month:02}-{day:02}")
}

fn date_time_text(time: &MontyDateTime) -> String {
    let MontyDateTime { year, month, day, hour, minute, second, microsecond, .. } = time;
    let mut text = format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}");
    if *microsecond != 0 {
        text.push_str(&format!(".{microsecond:06}"));
    }
    if let Some(offset) = time.offset_seconds {
        let (sign, minutes) = (if offset < 0 { '-' } else { '+' }, offset.unsigned_abs() / 60);
        text.push_str(&format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60));
    }
    text
}

/// The text of a result: a text as it stands, lists and mappings as JSON, and all else as Python writes it.
pub(super) fn result_text(value: &MontyObject) -> String {
    match value {
        MontyObject::None => String::new(),
        MontyObject::String(text) | MontyObject::Repr(text) => text.clone(),
        MontyObject::List(_) | MontyObject::Tuple(_) | MontyObject::Dict(_) => {
            to_json(value).map_or_else(|_| value.py_repr(), |json| json.to_string())
        }
        other => other.py_repr(),
    }
}

/// The most bits that are written as digits: the time grows with their square.
const MOST_BITS: u64 = 33_000;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digits::is_same_number;

    #[track_caller]
    fn check_number(digits: &str, expected: &str) {
        let value = Value::parse(digits).unwrap();
        let in_code = to_monty_object(&value);
        assert_eq!(in_code.py_repr(), expected);
        if !matches!(in_code, MontyObject::String(_)) {
            let back = to_json(&in_code).unwrap().to_string();
            assert!(is_same_number(&back, digits), "{back} {digits}");
        }
    }

    #[test]
    fn numbers_are_exact_or_are_texts() {
        check_number("7", "7");
        check_number("-0", "0");
        check_number("12345678901234567890123", "12345678901234567890123");
        check_number("0.1", "0.1");
        check_number("1.10", "1.1");
        check_number("1E2", "100.0");
        check_number("0.10000000000000000555", "'0.10000000000000000555'");
        check_number("19999999999999999.99", "'19999999999999999.99'");
        check_number("1e400", "'1e400'");
        check_number("0.000", "0.0");
        assert!(matches!(
            to_monty_object(&Value::parse(&"9".repeat(20_000)).unwrap()),
            MontyObject::String(_)
        ));
    }

    #[test]
    fn a_value_that_json_lacks_is_refused_with_a_reason() {
        for value in [
            MontyObject::Float(f64::NAN),
            MontyObject::Set(vec![]),
            MontyObject::Ellipsis,
            MontyObject::dict(vec![(MontyObject::Int(1), MontyObject::None)]),
            MontyObject::BigInt(BigInt::from(1) << 40_000),
        ] {
            assert!(to_json(&value).is_err(), "{value:?}");
        }
    }

    #[test]
    fn a_result_is_a_text_json_or_what_python_writes() {
        let list = MontyObject::List(vec![MontyObject::Int(1), MontyObject::Bool(true)]);
        assert_eq!(result_text(&list), "[1,true]");
        assert_eq!(result_text(&MontyObject::Bool(true)), "True");
        assert_eq!(result_text(&MontyObject::String("a'b".to_owned())), "a'b");
        assert_eq!(result_text(&MontyObject::None), "");
    }
}
