//! Translates OpenAPI 3.0's `nullable: true` (3.0.3 §4.7.24), and `x-nullable: true` of Swagger 2.0 descriptions, to
//! JSON Schema 2020-12.

use callgate_tool::{Object, Value, json};
use callgate_tree::Node;

use crate::document::Document;

pub(super) fn with_null_if_nullable(document: &Document, node: &Node, built: Object) -> Value {
    if has_nullable_keyword(document, node) { with_null(built) } else { Value::Object(built) }
}

/// A schema that allows `null` beside its other values.
pub(crate) fn schema_allowing_null(schema: Value) -> Value {
    match schema {
        Value::Object(members) if !members.is_empty() => with_null(members),
        other => other,
    }
}

fn with_null(mut built: Object) -> Value {
    if allows_null(&built) {
        return Value::Object(built);
    }
    let is_composed = ["$ref", "allOf", "anyOf", "const", "not", "oneOf"];
    if is_composed.iter().any(|keyword| built.contains_key(keyword)) {
        return any_of_with_null(built);
    }
    let Some(kind) = built.get_mut("type") else { return with_null_in_enum(built) };
    if let Value::String(name) = kind {
        *kind = json!([name, "null"]);
    } else if let Value::Array(names) = kind {
        names.push("null".into());
    }
    with_null_in_enum(built)
}

pub(crate) fn has_nullable_keyword(document: &Document, node: &Node) -> bool {
    node.is_true("nullable") || (document.version().is_swagger() && node.is_true("x-nullable"))
}

/// Without a type all other keywords allow null, except a list of values.
fn with_null_in_enum(mut built: Object) -> Value {
    if let Some(Value::Array(values)) = built.get_mut("enum")
        && !values.contains(&Value::Null)
    {
        values.push(Value::Null);
    }
    Value::Object(built)
}

fn allows_null(built: &Object) -> bool {
    match built.get("type") {
        Some(Value::Array(names)) => names.iter().any(|name| name == "null"),
        Some(Value::String(name)) => name == "null",
        _ => false,
    }
}

/// Annotations of the value stay outside, so that a reader finds them.
fn any_of_with_null(mut built: Object) -> Value {
    let mut outer = Object::new();
    for keyword in ["title", "description", "default", "deprecated", "examples"] {
        outer.insert_if_some(keyword, built.remove(keyword));
    }
    outer.insert("anyOf".to_owned(), json!([built, {"type": "null"}]));
    Value::Object(outer)
}
