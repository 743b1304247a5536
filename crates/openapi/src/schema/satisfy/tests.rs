//! Tests rows: schemas that no value meets, and schemas like them that a value meets.

mod candidates;
mod corpus;
mod random_schemas;

use callgate_tool::{Value, json};
use callgate_tree::Path;

use super::schema_conflict;
use crate::sample::document;

/// The message of the conflict of a schema, beside definitions that rows refer to.
fn message(schema: &Value) -> Option<String> {
    let document = document(json!({
        "schema": schema,
        "Base": {"type": "object", "additionalProperties": false, "properties": {"id": {"type": "string"}}},
        "Color": {"type": "string", "enum": ["red", "green"]},
        "Loop": {"type": "object", "required": ["next"], "properties": {"next": {"$ref": "#/Loop"}}},
        "Self": {"allOf": [{"$ref": "#/Self"}, {"type": "string"}]},
        "Never": {"not": {}},
    }));
    let node = document.root().get("schema").unwrap();
    schema_conflict(&document, node, &Path::at("/schema"))
        .map(|conflict| conflict.message().to_owned())
}

#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "a row is a literal")]
fn none_meets(schema: Value) {
    assert!(message(&schema).is_some(), "{schema}");
}

#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "a row is a literal")]
fn some_meets(schema: Value) {
    assert_eq!(message(&schema), None, "{schema}");
}

#[test]
fn bounds_that_exclude_each_other_are_reported_where_only_values_with_bounds_remain() {
    for (kind, least, most) in [
        ("number", "minimum", "maximum"),
        ("integer", "minimum", "exclusiveMaximum"),
        ("string", "minLength", "maxLength"),
        ("array", "minItems", "maxItems"),
        ("object", "minProperties", "maxProperties"),
    ] {
        none_meets(json!({"type": kind, (least): 5, (most): 3}));
        none_meets(json!({"allOf": [{"type": kind, (least): 5}, {(most): 3}]}));
        some_meets(json!({(least): 5, (most): 3}));
        some_meets(json!({"type": [kind, "boolean"], (least): 5, (most): 3}));
        some_meets(json!({"type": kind, "nullable": true, (least): 5, (most): 3}));
        some_meets(json!({"type": kind, (least): 3, (most): 5}));
    }
    none_meets(json!({"type": "number", "minimum": 1, "exclusiveMaximum": 1}));
    none_meets(json!({"type": "number", "minimum": 1, "maximum": 1, "exclusiveMinimum": true}));
    some_meets(json!({"type": "number", "minimum": 1, "maximum": 1}));
    none_meets(json!({"type": "integer", "minimum": 1.2, "maximum": 1.8}));
    some_meets(json!({"type": "number", "minimum": 1.2, "maximum": 1.8}));
    none_meets(json!({"type": "integer", "minimum": 1, "maximum": 4, "multipleOf": 5}));
    some_meets(json!({"type": "integer", "minimum": 0, "maximum": 4, "multipleOf": 5}));
    none_meets(json!({"type": "array", "contains": {"type": "string"}, "maxItems": 0}));
    none_meets(json!({"type": "array", "contains": {}, "minContains": 3, "maxContains": 2}));
    some_meets(json!({"type": "array", "minContains": 3, "maxContains": 2}));
    some_meets(json!({"type": "array", "contains": {}, "minContains": 0, "maxItems": 0}));
}

#[test]
fn required_members_that_may_not_exist_are_reported_for_objects() {
    none_meets(json!({"type": "object", "properties": {"a": false}, "required": ["a"]}));
    none_meets(
        json!({"type": "object", "properties": {"a": {"$ref": "#/Never"}}, "required": ["a"]}),
    );
    some_meets(json!({"properties": {"a": false}, "required": ["a"]}));
    some_meets(json!({"type": "object", "properties": {"a": false}}));
    none_meets(
        json!({"type": "object", "additionalProperties": false, "required": ["x"], "properties": {"y": {}}}),
    );
    some_meets(json!({"additionalProperties": false, "required": ["x"], "properties": {"y": {}}}));
    some_meets(
        json!({"type": "object", "patternProperties": {"^x": {}}, "additionalProperties": false, "required": ["x"]}),
    );
    some_meets(
        json!({"type": "object", "required": ["id"], "properties": {"id": {"readOnly": true, "not": {}}}}),
    );
    none_meets(
        json!({"type": "object", "dependentRequired": {"a": ["b"]}, "required": ["a"], "properties": {"b": false}}),
    );
    none_meets(json!({"type": "object", "required": ["a", "b"], "maxProperties": 1}));
    none_meets(
        json!({"type": "object", "minProperties": 2, "properties": {"a": {}}, "additionalProperties": false}),
    );
    some_meets(
        json!({"type": "object", "minProperties": 1, "properties": {"a": {}}, "additionalProperties": false}),
    );
}

#[test]
fn a_required_member_that_another_part_of_all_of_excludes_names_both() {
    let own = json!({"type": "object", "additionalProperties": false, "required": ["extra"], "properties": {"extra": {"type": "string"}}});
    let both = message(&json!({"allOf": [{"$ref": "#/Base"}, own]}));
    assert_eq!(
        both.as_deref(),
        Some(
            "expected a required property that may exist, got one that `additionalProperties: false` at `/Base` excludes: `extra`"
        )
    );
    none_meets(json!({"$ref": "#/Base", "required": ["extra"]}));
    none_meets(json!({"allOf": [{"$ref": "#/Base"}, {"allOf": [{"required": ["extra"]}]}]}));
    some_meets(json!({"allOf": [{"$ref": "#/Base"}, {"properties": {"extra": {}}}]}));
    some_meets(json!({"allOf": [{"$ref": "#/Base"}, {"required": ["id"]}]}));
}

#[test]
fn types_and_values_without_a_common_one_are_reported() {
    none_meets(json!({"allOf": [{"type": "string"}, {"type": "integer"}]}));
    none_meets(json!({"type": "integer", "$ref": "#/Color"}));
    some_meets(json!({"allOf": [{"type": "number"}, {"type": "integer"}]}));
    some_meets(json!({"allOf": [{"type": ["string", "null"]}, {"type": ["integer", "null"]}]}));
    some_meets(
        json!({"allOf": [{"type": "string", "nullable": true}, {"type": "integer", "nullable": true}]}),
    );
    none_meets(json!({"allOf": [{"$ref": "#/Color"}, {"enum": ["blue"]}]}));
    none_meets(json!({"allOf": [{"const": 1}, {"const": 2}]}));
    some_meets(json!({"allOf": [{"const": 1}, {"const": 1.0}]}));
    some_meets(json!({"allOf": [{"$ref": "#/Color"}, {"enum": ["blue", "red"]}]}));
    none_meets(json!({"enum": ["abc"], "maxLength": 2}));
    none_meets(json!({"type": "string", "not": {"type": "string"}}));
    none_meets(json!({"enum": ["a"], "not": {"const": "a"}}));
    none_meets(json!({"type": "string", "not": {}}));
    // Members of another type are read as the type.
    some_meets(json!({"type": "integer", "enum": ["1", "2"]}));
    some_meets(json!({"allOf": [{"enum": [1]}, {"type": "integer", "enum": ["1"]}]}));
}

#[test]
fn alternatives_that_can_never_be_satisfied_are_reported() {
    none_meets(json!({"type": "string", "oneOf": [{"type": "integer"}, {"type": "object"}]}));
    some_meets(json!({"type": "string", "anyOf": [{"type": "integer"}, {"minLength": 1}]}));
    none_meets(json!({"oneOf": [{"type": "string"}, {"type": "string"}]}));
    some_meets(json!({"anyOf": [{"type": "string"}, {"type": "string"}]}));
    some_meets(json!({"oneOf": [{"type": "string"}, {"type": "string"}, {"type": "integer"}]}));
    none_meets(
        json!({"anyOf": [{"$ref": "#/Never"}, {"allOf": [{"type": "string"}, {"type": "array"}]}]}),
    );
    none_meets(json!({
        "anyOf": [{"type": "string"}, {"type": "integer"}],
        "oneOf": [{"type": "boolean"}, {"type": "array"}],
    }));
    some_meets(json!({
        "anyOf": [{"type": "string"}, {"type": "integer"}],
        "oneOf": [{"type": "boolean"}, {"type": "number"}],
    }));
}

#[test]
fn a_required_part_of_a_value_that_no_value_can_have_is_reported_at_its_position() {
    let never = json!({"type": "string", "minLength": 5, "maxLength": 3});
    none_meets(json!({"type": "object", "required": ["a"], "properties": {"a": never}}));
    some_meets(json!({"type": "object", "required": ["b"], "properties": {"a": never}}));
    none_meets(json!({"type": "array", "minItems": 1, "items": never}));
    some_meets(json!({"type": "array", "items": never}));
    none_meets(json!({"type": "array", "minItems": 2, "prefixItems": [{}], "items": never}));
    some_meets(json!({"type": "array", "minItems": 1, "prefixItems": [{}], "items": never}));
    none_meets(json!({"type": "array", "contains": never}));
    none_meets(json!({"allOf": [
        {"type": "object", "required": ["a"], "properties": {"a": {"$ref": "#/Color"}}},
        {"properties": {"a": {"type": "integer"}}},
    ]}));
}

#[test]
fn the_check_for_satisfiable_schemas_ends_in_circles() {
    some_meets(json!({"$ref": "#/Loop", "required": ["next"]}));
    some_meets(json!({"$ref": "#/Self", "minLength": 1}));
    none_meets(json!({"$ref": "#/Self", "type": "integer"}));
    let mut deep = json!({"type": "string"});
    for _ in 0..60 {
        deep = json!({"type": "object", "required": ["a"], "properties": {"a": deep}, "anyOf": [{}, {"required": ["b"]}]});
    }
    some_meets(deep);
}
