//! Tests of the changes that are found, and of which are breaking.

use callgate_testkit::check_rows;

use super::*;

fn value(text: &str) -> Value {
    text.parse().unwrap()
}

fn function(name: &str, schema: Value) -> Executor {
    Executor::builder().function("t", name, schema, |_| async { json!(1) }).build().unwrap()
}

/// Checks the changes between one input's schemas, and which of them are breaking.
#[track_caller]
fn check(old: &Value, new: &Value, expected: &[&str]) {
    let of = |schema: &Value| {
        function("f", json!({"type": "object", "properties": {"a": schema.clone()}}))
    };
    let changes = Changes::between(&of(old), &of(new));
    let shown: Vec<_> = changes.list().iter().map(ToString::to_string).collect();
    let expected: Vec<_> = expected.iter().map(|text| format!("t-f: {text}")).collect();
    assert_eq!(shown, expected, "{old} {new}");
}

#[test]
fn a_wider_schema_of_an_input_is_no_change() {
    let table = r#"
        {"type": "integer"} => {"type": "number"}
        {"type": "string"} => {"type": ["string", "null"]}
        {"enum": ["a"]} => {"enum": ["b", "a"]}
        {"const": 1} => {}
        {"maximum": 5} => {"maximum": 6}
        {"minLength": 5} => {}
        {"pattern": "a"} => {}
        {"description": "a", "default": 1} => {"description": "b", "title": "c"}
        {"anyOf": [{"const": 1}]} => {"anyOf": [{"const": 1}, {"const": 2}]}
        {"allOf": [{"minimum": 1}, {"maximum": 2}]} => {"allOf": [{"maximum": 2}]}
        {"items": {"maximum": 5}} => {"items": {}}
        {"required": ["b"]} => {"required": []}
        {"properties": {}} => {"properties": {"b": {"type": "string"}}}
        {"additionalProperties": false} => {}
        false => {"type": "string"}
        {"type": "string"} => true
        "#;
    check_rows(table, |[old, new]| check(&value(old), &value(new), &[]));
}

#[test]
fn a_narrower_schema_of_an_input_is_a_breaking_change() {
    let table = r#"
        {"type": "number"} => {"type": "integer"} => input_narrowed a: type
        {} => {"type": "integer"} => input_narrowed a: type
        {"enum": ["a", "b"]} => {"enum": ["b"]} => input_narrowed a: enum
        {"const": [1]} => {"const": [1, 2]} => input_narrowed a: const
        {"maximum": 5} => {"maximum": 4.5} => input_narrowed a: maximum
        {} => {"minItems": 1} => input_narrowed a: minItems
        {} => {"pattern": "a"} => input_narrowed a: pattern
        {} => {"uniqueItems": true} => input_narrowed a: uniqueItems
        {"items": {}} => {"items": {"maximum": 5}} => input_narrowed a[]: maximum
        {} => {"additionalProperties": false} => input_narrowed a.*: it takes nothing
        {} => {"required": ["b"]} => input_required a.b
        {"properties": {"b": {}}} => {"properties": {}} => input_removed a.b
        true => {"type": "string"} => input_narrowed a: it took anything
        {"anyOf": [{"const": 1}, {"const": 2}]} => {"anyOf": [{"const": 1}]} => input_narrowed a: anyOf
        {"pattern": "a"} => {"pattern": "b"} => input_unknown a: pattern
        {"not": {"const": 1}} => {"not": {"const": 2}} => input_unknown a: not
        {"oneOf": [{"const": 1}]} => {"oneOf": [{"const": 1}, {"const": 2}]} => input_unknown a: oneOf
        "#;
    check_rows(table, |[old, new, expected]| check(&value(old), &value(new), &[expected]));
}

#[test]
fn changes_behind_references_are_found_and_recursive_schemas_end() {
    let tree = |most: u32| {
        json!({
            "type": "object",
            "properties": {"a": {"$ref": "#/$defs/node"}, "b": {"$ref": "#/$defs/node"}},
            "$defs": {"node": {"properties": {
                "n": {"maximum": most},
                "next": {"$ref": "#/$defs/node"},
            }}},
        })
    };
    let changes = Changes::between(&function("f", tree(5)), &function("f", tree(4)));
    let shown: Vec<_> = changes.list().iter().map(ToString::to_string).collect();
    assert_eq!(shown, ["t-f: input_narrowed a.n: maximum", "t-f: input_narrowed b.n: maximum"]);
    assert!(Changes::between(&function("f", tree(5)), &function("f", tree(5))).list().is_empty());
}

#[test]
fn schemas_that_double_at_each_level_are_compared_within_a_bound() {
    let level = |n: u32, leaf: &Value| {
        let name = |n: u32| format!("#/$defs/l{n}");
        let below = if n == 0 { leaf.clone() } else { json!({"$ref": name(n - 1)}) };
        json!({"properties": {"x": {"allOf": [below.clone()]}, "y": {"anyOf": [below]}}})
    };
    let schema = |leaf: Value| {
        let definitions = (0..40).map(|n| (format!("l{n}"), level(n, &leaf)));
        let definitions = Value::Object(definitions.collect());
        json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/l39"}}, "$defs": definitions})
    };
    let (old, new) = (schema(json!({"maximum": 5})), schema(json!({"maximum": 4})));
    let changes = Changes::between(&function("f", old), &function("f", new));
    assert!(changes.is_breaking());
    assert!(changes.list().len() <= 100);
}

#[test]
fn added_removed_and_newly_required_inputs_are_reported() {
    let schema = |properties: &[&str], required: &[&str]| {
        let properties = properties.iter().map(|name| ((*name).to_owned(), json!({})));
        json!({"type": "object", "properties": Value::Object(properties.collect()), "required": required})
    };
    let old = function("f", schema(&["kept", "gone", "free"], &["kept"]));
    let new = function("f", schema(&["kept", "free", "more", "must"], &["kept", "free", "must"]));
    let changes = Changes::between(&old, &new);
    let rows = changes.list().iter().map(|change| (change.to_string(), change.is_breaking()));
    let rows: Vec<_> = rows.collect();
    let expected = [
        ("t-f: input_required free", true),
        ("t-f: input_removed gone", true),
        ("t-f: input_added more", false),
        ("t-f: input_added must: it is required", true),
    ];
    assert_eq!(rows, expected.map(|(text, is_breaking)| (text.to_owned(), is_breaking)));
    let json = changes.to_value().to_string();
    assert!(json.contains(
        r#"{"tool":"t-f","change":"input_added","breaking":true,"at":"must","why":"it is required"}"#
    ));
}

#[test]
fn added_and_removed_tools_are_reported() {
    let (old, new) =
        (function("old", json!({"type": "object"})), function("new", json!({"type": "object"})));
    let changes = Changes::between(&old, &new);
    let shown: Vec<_> = changes.list().iter().map(ToString::to_string).collect();
    assert_eq!(shown, ["t-new: added", "t-old: removed"]);
    assert!(changes.is_breaking());
    assert!(!Changes::between(&Executor::builder().build().unwrap(), &new).is_breaking());
}
