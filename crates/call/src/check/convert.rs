//! Converts a value to the expected type, only if nothing is lost: `"42"` to 42, 28.0 to 28, 7 to `"7"`. It never guesses:
//! `"5abc"`, `"0x10"` and 5.5 stay unchanged. `check` gives the expected types.

use callgate_tool::{Number, Value};

use super::instance::Types;
use crate::quoted_json::unquoted_json_value;

/// `value` as one of the types in `due`, if that loses nothing.
pub(crate) fn converted_value(value: &Value, due: Types) -> Option<Value> {
    match value {
        Value::Bool(_) if due.contains(Types::STRING) => Some(Value::String(value.to_string())),
        Value::Number(number) if due.contains(Types::STRING) => {
            Some(Value::String(number.to_string()))
        }
        Value::String(text) => value_from_text(text, due),
        _ => None,
    }
}

/// The enumerated value of another type with the text of `value` outside of JSON: 1 for `"1"`.
pub(crate) fn enum_member_by_text(value: &Value, members: &[Value]) -> Option<Value> {
    let text = |value: &Value| match value {
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        Value::String(text) => Some(text.clone()),
        _ => None,
    };
    let written = text(value)?;
    let is_like = |member: &&Value| *member != value && text(member).as_ref() == Some(&written);
    members.iter().find(is_like).cloned()
}

/// Writes whole numbers (`28.0`) without a fraction wherever `schema` asks for integers; true if any changed.
pub(crate) fn drop_integer_fractions(value: &mut Value, schema: &Value, root: &Value) -> bool {
    drop_integer_fractions_below(value, Some(schema), root, DEPTH)
}

/// Returns true if `value` holds a number that is not written as an integer: [`drop_integer_fractions`] can only change such values.
pub(crate) fn has_non_integer_number(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().any(has_non_integer_number),
        Value::Number(number) => number.is_f64(),
        Value::Object(members) => members.values().any(has_non_integer_number),
        _ => false,
    }
}

pub(crate) fn resolved_schema<'a>(schema: &'a Value, root: &'a Value) -> Option<&'a Value> {
    let mut schema = schema;
    for _ in 0..DEPTH {
        let Some(reference) = schema.get("$ref").and_then(Value::as_str) else {
            return Some(schema);
        };
        schema = root.pointer(reference.strip_prefix('#')?)?;
    }
    None
}

fn drop_integer_fractions_below(
    value: &mut Value,
    schema: Option<&Value>,
    root: &Value,
    depth: usize,
) -> bool {
    let Some(schema) =
        schema.filter(|_| depth > 0).and_then(|schema| resolved_schema(schema, root))
    else {
        return false;
    };
    match value {
        Value::Array(items) => {
            let items_schema = schema.get("items");
            let mut changed = false;
            for item in items {
                changed |= drop_integer_fractions_below(item, items_schema, root, depth - 1);
            }
            changed
        }
        Value::Number(number) if needs_integer(schema) => {
            match whole_number_digits(&number.digits()) {
                Some(digits) if !is_integer_text(&number.digits()) => {
                    if let Some(whole) = Number::from_digits(&digits) {
                        *number = whole;
                    }
                    true
                }
                _ => false,
            }
        }
        Value::Object(members) => {
            let mut changed = false;
            for (name, member) in members {
                let below = schema.get("properties").and_then(|properties| properties.get(name));
                changed |= drop_integer_fractions_below(member, below, root, depth - 1);
            }
            changed
        }
        _ => false,
    }
}

fn needs_integer(schema: &Value) -> bool {
    match schema.get("type") {
        Some(Value::Array(types)) => {
            let has = |name: &str| types.iter().any(|one| one == name);
            has("integer") && !has("number")
        }
        Some(Value::String(name)) => name == "integer",
        _ => false,
    }
}

fn value_from_text(text: &str, due: Types) -> Option<Value> {
    if due.contains(Types::BOOLEAN) {
        match text {
            "true" => return Some(Value::Bool(true)),
            "false" => return Some(Value::Bool(false)),
            _ => {}
        }
    }
    if let Some(number) = Number::from_digits(text) {
        if due.contains(Types::NUMBER) {
            return Some(Value::Number(number));
        }
        let digits = whole_number_digits(text).filter(|_| due.contains(Types::INTEGER))?;
        return Number::from_digits(&digits).map(Value::Number);
    }
    container_from_text(text, due)
}

/// The object or list that a text holds as JSON, if it is expected.
pub(super) fn container_from_text(text: &str, due: Types) -> Option<Value> {
    let first = text.trim_start().bytes().next();
    let value =
        first.filter(|byte| b"{[\"".contains(byte)).and_then(|_| unquoted_json_value(text))?;
    let kind = match value {
        Value::Array(_) => Types::ARRAY,
        Value::Object(_) => Types::OBJECT,
        _ => return None,
    };
    due.contains(kind).then_some(value)
}

fn is_integer_text(digits: &str) -> bool {
    digits.bytes().all(|byte| byte == b'-' || byte.is_ascii_digit())
}

/// The digits of a whole number, without fraction and exponent; `None` for any other number and for one of more than
/// [`LONGEST_WHOLE`] digits.
fn whole_number_digits(digits: &str) -> Option<String> {
    let (mantissa, exponent) = digits.split_once(['e', 'E']).unwrap_or((digits, "0"));
    let exponent: i32 = exponent.trim_start_matches('+').parse().ok()?;
    let (sign, unsigned) =
        mantissa.strip_prefix('-').map_or(("", mantissa), |unsigned| ("-", unsigned));
    let (integer, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let mut all: String = [integer, fraction].concat();
    let point = i32::try_from(integer.len()).ok()?.checked_add(exponent)?;
    if point > LONGEST_WHOLE {
        return None;
    }
    let point = usize::try_from(point).unwrap_or(0);
    while all.len() < point {
        all.push('0');
    }
    let (kept, dropped) = all.split_at_checked(point)?;
    if dropped.bytes().any(|byte| byte != b'0') {
        return None;
    }
    let kept = kept.trim_start_matches('0');
    Some(if kept.is_empty() { "0".to_owned() } else { [sign, kept].concat() })
}

/// The most levels of values and references that are followed.
const DEPTH: usize = 128;
/// The most digits of a written-out number, since an exponent may stand for any number of zeros: `1e999999999`.
const LONGEST_WHOLE: i32 = 400;

#[cfg(test)]
mod tests {
    use callgate_tool::json;

    use super::*;

    fn due(types: &[Types]) -> Types {
        types.iter().fold(Types::NONE, |set, one| set.union(*one))
    }

    #[track_caller]
    fn check(value: &Value, types: &[Types], expected: Option<&str>) {
        let got = converted_value(value, due(types)).map(|value| value.to_string());
        assert_eq!(got.as_deref(), expected, "{value}");
    }

    #[test]
    fn text_becomes_a_number_only_when_it_is_one() {
        let integer = &[Types::INTEGER];
        check(&json!("42"), integer, Some("42"));
        check(&json!("-0"), integer, Some("0"));
        check(&json!("9007199254740993"), integer, Some("9007199254740993"));
        check(&json!("28.0"), integer, Some("28"));
        check(&json!("1e3"), integer, Some("1000"));
        for bad in ["5abc", "0x10", "", " 5", "5 ", "5.5", "+5", "05", "1e999999999", "NaN", "٣"] {
            check(&json!(bad), integer, None);
        }
        check(&json!("1.10"), &[Types::NUMBER], Some("1.10"));
        check(&json!("1e400"), &[Types::NUMBER], Some("1e400"));
    }

    #[test]
    fn booleans_and_numbers_convert_to_and_from_text_only() {
        check(&json!("true"), &[Types::BOOLEAN], Some("true"));
        check(&json!("yes"), &[Types::BOOLEAN], None);
        check(&json!(1), &[Types::BOOLEAN], None);
        check(&json!(true), &[Types::INTEGER], None);
        check(&json!(5.5), &[Types::INTEGER], None);
        check(&json!(true), &[Types::STRING], Some("\"true\""));
        check(&Value::parse("7.10").unwrap(), &[Types::STRING], Some("\"7.10\""));
        check(&json!(null), &[Types::STRING], None);
    }

    #[test]
    fn json_text_becomes_an_object_or_array_where_the_schema_expects_one() {
        check(&json!("{\"a\":1}"), &[Types::OBJECT], Some("{\"a\":1}"));
        check(&json!("[1,2]"), &[Types::ARRAY], Some("[1,2]"));
        check(&json!("[1,2]"), &[Types::OBJECT], None);
        check(&json!("{a}"), &[Types::OBJECT], None);
        let twice = |value: Value| Value::from(value.to_string()).to_string();
        check(&json!(twice(json!({"a": "{}"}))), &[Types::OBJECT], Some("{\"a\":\"{}\"}"));
        check(&json!(twice(json!([1]))), &[Types::OBJECT], None);
        check(&json!(twice(json!(5))), &[Types::OBJECT, Types::INTEGER], None);
        check(&json!("{\"a\":1,\"a\":2}"), &[Types::OBJECT], None);
    }

    #[test]
    fn a_whole_number_loses_its_fraction_where_the_schema_expects_an_integer() {
        let root = json!({"properties": {"n": {"type": "integer"}, "x": {"type": "number"},
            "list": {"items": {"$ref": "#/properties/n"}}}});
        let mut value: Value = Value::parse(r#"{"n":28.0,"x":28.0,"list":[1e2,7]}"#).unwrap();
        assert!(has_non_integer_number(&value));
        assert!(drop_integer_fractions(&mut value, &root, &root));
        assert_eq!(value.to_string(), r#"{"n":28,"x":28.0,"list":[100,7]}"#);
    }
}
