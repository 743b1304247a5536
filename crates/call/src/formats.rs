//! Says which formats are checked: those that mean the same to everybody, and only where nothing beside them says
//! otherwise. It checks nothing itself; schemas are compiled in `check`.

use std::borrow::Cow;

use callgate_tool::{Object, Value};

/// Formats whose texts services read in ways of their own, so that right arguments would be refused: checked are
/// `date`, `date-time`, `email`, `ipv4`, `ipv6` and `uuid`.
pub(crate) const UNCHECKED: &[&str] = &[
    "duration",
    "hostname",
    "idn-email",
    "idn-hostname",
    "iri",
    "iri-reference",
    "json-pointer",
    "regex",
    "relative-json-pointer",
    "time",
    "uri",
    "uri-reference",
    "uri-template",
];

/// `schema` without the formats of texts that are told in another way too: by a pattern, by the legal texts one by
/// one, or by a length the format cannot have. Which of the two a service means is then not clear (JSON Schema
/// Validation 2020-12 §7.2: a format alone need not be asserted), and the other one is checked.
pub(crate) fn sure(schema: &Value) -> Cow<'_, Value> {
    if holds_doubt(schema) { Cow::Owned(without_doubt(schema)) } else { Cow::Borrowed(schema) }
}

fn holds_doubt(schema: &Value) -> bool {
    match schema {
        Value::Array(items) => items.iter().any(holds_doubt),
        Value::Object(members) => is_doubtful(members) || members.values().any(holds_doubt),
        _ => false,
    }
}

fn without_doubt(schema: &Value) -> Value {
    match schema {
        Value::Array(items) => Value::Array(items.iter().map(without_doubt).collect()),
        Value::Object(members) => {
            let is_left_out = |name: &str| name == "format" && is_doubtful(members);
            let kept = members.iter().filter(|(name, _)| !is_left_out(name));
            Value::Object(kept.map(|(name, value)| (name.clone(), without_doubt(value))).collect())
        }
        other => other.clone(),
    }
}

fn is_doubtful(members: &Object) -> bool {
    let Some(format) = members.get("format").and_then(Value::as_str) else { return false };
    let (shortest, longest) = lengths(format);
    let length = |name: &str| members.get(name).and_then(Value::as_u64);
    members.get("pattern").is_some_and(Value::is_string)
        || members.get("enum").is_some_and(Value::is_array)
        || members.contains_key("const")
        || length("maxLength").is_some_and(|most| most < shortest)
        || length("minLength").is_some_and(|least| least > longest)
}

/// The characters of the shortest and of the longest text of a format (RFC 3339 §5.6, RFC 9562 §4, RFC 5954 §4.1).
fn lengths(format: &str) -> (u64, u64) {
    match format {
        "date" => (10, 10),
        "date-time" => (20, u64::MAX),
        "ipv4" => (7, 15),
        "ipv6" => (2, 45),
        "uuid" => (36, 36),
        _ => (0, u64::MAX),
    }
}

#[cfg(test)]
mod tests {
    use callgate_tool::json;

    use super::*;

    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "a row is a literal")]
    fn check(schema: Value, is_checked: bool) {
        let whole = json!({"properties": {"a": {"items": schema}}});
        let sure = sure(&whole);
        assert_eq!(sure.pointer("/properties/a/items/format").is_some(), is_checked, "{sure}");
    }

    #[test]
    fn a_format_alone_is_checked() {
        check(json!({"format": "date-time"}), true);
        check(json!({"format": "uuid", "minLength": 36, "maxLength": 36}), true);
        check(json!({"format": "uuid", "properties": {"enum": {}}}), true);
    }

    #[test]
    fn what_is_told_in_another_way_too_is_checked_by_that_alone() {
        check(json!({"format": "date-time", "pattern": "^[0-9]{4,}"}), false);
        check(json!({"format": "date-time", "enum": ["now"]}), false);
        check(json!({"format": "date", "const": "today"}), false);
        check(json!({"format": "uuid", "minLength": 24, "maxLength": 24}), false);
        check(json!({"format": "ipv4", "minLength": 16}), false);
    }
}
