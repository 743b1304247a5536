//! Writes JSON Schemas in the form of Customer Engagement Suite (`schema.proto`): types in capitals, `nullable`, `ref` and
//! `defs`. Keywords unknown to that format are left out; arguments are still checked against the whole schema.

use callgate_tool::{Object, Value, json};

pub(super) fn ces_schema(schema: &Value) -> Value {
    schema_to_depth(schema, 0)
}

fn schema_to_depth(schema: &Value, depth: usize) -> Value {
    let Some(members) = schema.as_object().filter(|_| depth < MOST_DEPTH) else { return json!({}) };
    let below = |value: &Value| schema_to_depth(value, depth + 1);
    let each = |members: &Object| -> Value {
        members.iter().map(|(name, value)| (name.clone(), below(value))).collect::<Object>().into()
    };
    let all = |items: &[Value]| Value::Array(items.iter().map(below).collect());
    let mut made = Object::new();
    for (name, value) in members {
        match (&**name, value) {
            ("type", value) => insert_type(value, &mut made),
            ("properties", Value::Object(members)) => {
                made.insert("properties", each(members));
            }
            ("$defs", Value::Object(members)) => drop(made.insert("defs", each(members))),
            ("$ref", Value::String(to)) => {
                made.insert("ref", Value::from(to.replacen("#/$defs/", "#/defs/", 1)));
            }
            ("items" | "additionalProperties", Value::Object(_)) => {
                made.insert(name.as_str(), below(value));
            }
            ("anyOf" | "oneOf", Value::Array(items)) => drop(made.insert("anyOf", all(items))),
            ("prefixItems", Value::Array(items)) => drop(made.insert("prefixItems", all(items))),
            ("enum", Value::Array(values)) => {
                made.insert("enum", Value::Array(values.iter().map(enum_text).collect()));
            }
            ("const", value) => drop(made.insert("enum", Value::Array(vec![enum_text(value)]))),
            // Protocol Buffers' JSON writes an int64 as text.
            ("minItems" | "maxItems", value) => drop(made.insert(name.as_str(), enum_text(value))),
            (key, value) if AS_THEY_ARE.contains(&key) => {
                made.insert(key, value.clone());
            }
            _ => {}
        }
    }
    Value::Object(made)
}

fn insert_type(value: &Value, made: &mut Object) {
    let capital = |kind: &str| Value::from(kind.to_ascii_uppercase());
    match value {
        Value::String(kind) => drop(made.insert("type", capital(kind))),
        Value::Array(kinds) => {
            let kinds = || kinds.iter().filter_map(Value::as_str);
            if kinds().any(|kind| kind == "null") {
                made.insert("nullable", Value::Bool(true));
            }
            let mut other = kinds().filter(|kind| *kind != "null");
            if let (Some(only), None) = (other.next(), other.next()) {
                made.insert("type", capital(only));
            }
        }
        _ => {}
    }
}

fn enum_text(value: &Value) -> Value {
    match value {
        Value::String(_) => value.clone(),
        other => Value::String(other.to_string()),
    }
}

/// Keywords that mean the same in both formats.
const AS_THEY_ARE: [&str; 8] = [
    "default",
    "description",
    "maximum",
    "minimum",
    "nullable",
    "required",
    "title",
    "uniqueItems",
];
/// The deepest schema that a person would read.
const MOST_DEPTH: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_json_schema_is_translated_to_the_schema_of_ces() {
        let schema = json!({
            "type": "object",
            "required": ["a"],
            "additionalProperties": false,
            "properties": {
                "a": {"type": ["string", "null"], "pattern": "^x", "enum": ["x", null]},
                "b": {"type": "array", "items": {"$ref": "#/$defs/B"}, "minItems": 1},
            },
            "$defs": {"B": {"oneOf": [{"const": 1}, {"type": "integer", "maximum": 5}]}},
        });
        let expected = json!({
            "type": "OBJECT",
            "required": ["a"],
            "properties": {
                "a": {"nullable": true, "type": "STRING", "enum": ["x", "null"]},
                "b": {"type": "ARRAY", "items": {"ref": "#/defs/B"}, "minItems": "1"},
            },
            "defs": {"B": {"anyOf": [{"enum": ["1"]}, {"type": "INTEGER", "maximum": 5}]}},
        });
        assert_eq!(ces_schema(&schema), expected);
    }
}
