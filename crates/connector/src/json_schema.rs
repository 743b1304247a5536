//! The service's JSON Schemas as JSON Schema 2020-12: its own keywords are left out, and lists of one type become that type.

use callgate_tool::{Object, Value};

/// The schema, at most so deep as a model can use it.
pub(crate) fn limited_standard_schema(schema: &Value) -> Value {
    standard_to_depth(schema, DEPTH)
}

/// The schema of an object: one that says nothing allows any members.
pub(crate) fn standard_object_schema(schema: Option<&Value>) -> Object {
    let schema = schema.map(limited_standard_schema);
    let mut object = match schema {
        Some(Value::Object(object)) => object,
        _ => Object::new(),
    };
    object.insert("type", "object".into());
    object
}

fn standard_to_depth(schema: &Value, depth: usize) -> Value {
    let Value::Object(members) = schema else { return schema.clone() };
    if depth == 0 {
        return Value::Object(Object::new());
    }
    let mut standard = Object::new();
    for (name, value) in members {
        standard.insert_if_some(name.as_str(), standard_keyword_value(name, value, depth - 1));
    }
    Value::Object(standard)
}

fn standard_keyword_value(name: &str, value: &Value, depth: usize) -> Option<Value> {
    let one = |schema: &Value| standard_to_depth(schema, depth);
    Some(match name {
        "$defs" | "definitions" | "patternProperties" | "properties" => {
            let members = value.as_object()?.iter();
            Value::Object(members.map(|(name, schema)| (name.as_str(), one(schema))).collect())
        }
        "allOf" | "anyOf" | "oneOf" => value.as_array()?.iter().map(one).collect(),
        "additionalProperties"
        | "contains"
        | "else"
        | "if"
        | "items"
        | "not"
        | "propertyNames"
        | "then" => one(value),
        "type" => lowercase_schema_types(value)?,
        "$ref" => value.as_str().filter(|text| text.starts_with('#'))?.into(),
        "$comment" | "const" | "contentEncoding" | "contentMediaType" | "default"
        | "description" | "enum" | "examples" | "exclusiveMaximum" | "exclusiveMinimum"
        | "format" | "maxItems" | "maxLength" | "maxProperties" | "maximum" | "minItems"
        | "minLength" | "minProperties" | "minimum" | "multipleOf" | "pattern" | "readOnly"
        | "required" | "title" | "uniqueItems" | "writeOnly" => value.clone(),
        // `$id`, `$schema`, `additionalDetails`, `additionalItems`, `dependencies`, `jdbcType`.
        _ => return None,
    })
}

/// The types in lower case; `None` if there is none that JSON Schema has.
fn lowercase_schema_types(value: &Value) -> Option<Value> {
    let texts: Vec<&str> = match value {
        Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
        _ => value.as_str().into_iter().collect(),
    };
    let type_names = texts.iter().filter_map(|text| {
        let text = text.to_ascii_lowercase();
        TYPES.iter().find(|type_name| **type_name == text).copied()
    });
    let type_names: Vec<&str> = type_names.collect();
    match *type_names {
        [] => None,
        [one] => Some(one.into()),
        _ => Some(type_names.into_iter().collect()),
    }
}

const TYPES: [&str; 7] = ["array", "boolean", "integer", "null", "number", "object", "string"];

/// The levels of a schema that are kept.
const DEPTH: usize = 24;

#[cfg(test)]
mod tests {
    use callgate_tool::json;

    use super::*;

    #[track_caller]
    fn check(schema: &Value, expected: &Value) {
        assert_eq!(&limited_standard_schema(schema), expected);
    }

    #[test]
    fn keywords_of_the_service_are_left_out_at_every_level() {
        check(
            &json!({
                "type": ["object"], "jdbcType": "STRUCT", "additionalDetails": {"a": 1},
                "properties": {"jdbcType": {"type": ["STRING", "null"], "jdbcType": "VARCHAR"}},
                "items": {"type": ["other"], "$schema": "x"},
            }),
            &json!({
                "type": "object",
                "properties": {"jdbcType": {"type": ["string", "null"]}},
                "items": {},
            }),
        );
    }

    #[test]
    fn a_reference_to_another_document_is_left_out() {
        check(&json!({"$ref": "https://a.example/x"}), &json!({}));
        check(&json!({"$ref": "#/$defs/x"}), &json!({"$ref": "#/$defs/x"}));
    }

    #[test]
    fn a_schema_without_an_end_is_cut() {
        let mut schema = json!({"type": ["string"]});
        for _ in 0..100 {
            schema = json!({"items": schema});
        }
        assert!(limited_standard_schema(&schema).to_string().len() < 400);
    }
}
