//! Descriptions name no definition that the provider's form does not have, and say the names that it cannot have.

use crate::prelude::*;

fn schema_of(argument: impl Into<Value>) -> Value {
    let argument = argument.into();
    json!({"type": "object", "properties": {"a": argument}, "$defs": {
        "Node": {"type": "object", "properties": {
            "name": {"type": "string"}, "below": {"type": "object", "additionalProperties": {"$ref": "#/$defs/Node"}}}},
        "Text": {"type": "string"}}})
}

#[test]
fn a_keyword_moved_to_words_describes_the_target_of_its_reference() {
    let node = || json!({"$ref": "#/$defs/Node"});
    for (argument, expected) in [
        (
            json!({"type": "object", "additionalProperties": node()}),
            "other members: object with name, below",
        ),
        (
            json!({"type": "object", "additionalProperties": {"type": "array", "items": node()}}),
            r#"other members: {"type":"array","items":object with name, below}"#,
        ),
        (
            json!({"type": "object", "additionalProperties": {"$ref": "#/$defs/Text"}}),
            "other members: string",
        ),
        (json!({"type": "string", "not": {"$ref": "#/$defs/Text"}}), "not string"),
        (
            json!({"type": "array", "contains": node()}),
            "contains an item that is object with name, below",
        ),
    ] {
        let projected = project(&made(schema_of(argument)), Projection::GeminiSchema);
        let text = projected.schema["properties"]["a"]["description"].as_str().unwrap_or_default();
        assert_eq!(text, expected);
    }
}

#[test]
fn no_description_of_any_projection_mentions_a_definition() {
    let node = || json!({"$ref": "#/$defs/Node"});
    let keywords = [
        ("additionalProperties", "object"),
        ("contains", "array"),
        ("not", "object"),
        ("propertyNames", "object"),
        ("if", "object"),
        ("items", "array"),
    ];
    for &projection in Projection::ALL {
        for (keyword, kind) in keywords {
            for below in [node(), json!({"anyOf": [node(), {"type": "array", "items": node()}]})] {
                let argument = json!({"type": kind, keyword: below});
                let projected = project(&made(schema_of(argument)), projection);
                check_texts(&projected.schema);
            }
        }
    }
}

/// No text but a reference itself names a definition.
#[track_caller]
fn check_texts(schema: &Value) {
    for (keyword, below) in schema.as_object().into_iter().flatten() {
        let text = below.as_str().filter(|_| keyword == "description").unwrap_or_default();
        assert!(!text.contains("$ref") && !text.contains("$defs"), "{schema}");
        check_texts(below);
    }
    schema.as_array().into_iter().flatten().for_each(check_texts);
}

#[test]
fn a_renamed_member_is_described_with_its_original_name() {
    let inside = json!({"type": "object", "properties": {
        "番号": {"type": "string", "description": "Number"}, "x-y": {"type": "string"}}});
    let schema = json!({"type": "object", "properties": {"a": inside}});
    let projected = project(&made(schema), Projection::GeminiSchema);
    let members = &projected.schema["properties"]["a"]["properties"];
    assert_eq!(members["___"]["description"], json!("The service's name is `番号`: Number"));
    assert!(members["x_y"].get("description").is_none());
}
