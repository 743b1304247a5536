//! What schemas become: rows of a schema as a description writes it, and as it is declared and checked.

use callgate_openapi::LoadOptions;
use serde_json::{Value, json};

use crate::documents::loaded;

/// The description's components, which rows refer to.
const COMPONENTS: &str = r##"
components:
  schemas:
    Tree: {type: object, properties: {next: {$ref: '#/components/schemas/Tree'}, name: {type: string}}}
    Cat: {type: object, properties: {kind: {type: string}, claws: {type: integer}}}
    Dog: {type: object, properties: {kind: {type: string}}}
    Bare: {allOf: [{$ref: '#/components/schemas/Bare'}, {type: string}]}
    Filled: {type: object, required: [a, b, c, d], properties: {a: {default: 1}, b: {x-agent-input-parameter: b}, c: {type: string}, d: {readOnly: true}}}
"##;

/// The schemas of one query parameter: declared, complete, and the codes of the findings.
fn built(schema: &Value) -> (Value, Value, Vec<&'static str>) {
    let parameter = json!({"name": "q", "in": "query", "schema": schema});
    let paths =
        format!("paths: {{/a: {{get: {{summary: A, parameters: [{parameter}]}}}}}}{COMPONENTS}");
    let loaded = loaded(&paths, &LoadOptions::default()).examined();
    let operation = &loaded.operations[0];
    let part = |whole: &Value| {
        assert!(jsonschema::draft202012::meta::is_valid(whole), "{whole}");
        let mut part = whole["properties"]["q"].clone();
        if let (Some(definitions), Value::Object(members)) = (whole.get("$defs"), &mut part) {
            members.insert("$defs".to_owned(), definitions.clone());
        }
        part
    };
    let codes = loaded.report.diagnostics.iter().map(|found| found.code.as_str()).collect();
    (
        part(operation.declaration().input_schema.as_value()),
        part(operation.arguments_schema()),
        codes,
    )
}

#[track_caller]
fn check(schema: Value, expected: Value, codes: &[&str]) {
    let (declared, complete, found) = built(&schema);
    assert_eq!(declared, expected, "declared");
    assert_eq!(complete, expected, "complete");
    assert_eq!(found, codes);
}

#[test]
fn keywords_that_mean_the_same_are_kept() {
    let same = json!({"type": "string", "minLength": 1, "format": "uuid", "enum": ["a", "b"], "default": "a",
        "description": "D", "title": "T", "deprecated": true, "pattern": "^[a-z]+$"});
    check(same.clone(), same, &[]);
    check(
        json!({"type": "number", "maximum": 1.10, "multipleOf": 0.01}),
        json!({"type": "number", "maximum": 1.10, "multipleOf": 0.01}),
        &[],
    );
}

#[test]
fn words_of_openapi_are_translated() {
    check(
        json!({"type": "integer", "minimum": 1, "exclusiveMinimum": true}),
        json!({"type": "integer", "exclusiveMinimum": 1}),
        &[],
    );
    check(
        json!({"type": "integer", "minimum": 1, "exclusiveMinimum": false}),
        json!({"type": "integer", "minimum": 1}),
        &[],
    );
    check(
        json!({"example": 7, "x-note": 1, "xml": {}, "externalDocs": {}}),
        json!({"examples": [7]}),
        &[],
    );
}

#[test]
fn nullable_lets_null_through() {
    check(json!({"type": "string", "nullable": true}), json!({"type": ["string", "null"]}), &[]);
    check(
        json!({"type": "string", "nullable": true, "enum": ["a"]}),
        json!({"type": ["string", "null"], "enum": ["a", null]}),
        &[],
    );
    check(
        json!({"allOf": [{"type": "string"}], "nullable": true, "description": "D"}),
        json!({"description": "D", "anyOf": [{"allOf": [{"type": "string"}]}, {"type": "null"}]}),
        &[],
    );
}

#[test]
fn circles_stay_as_definitions() {
    check(
        json!({"$ref": "#/components/schemas/Tree"}),
        json!({"$ref": "#/$defs/Tree", "$defs": {"Tree": {"type": "object",
              "properties": {"next": {"$ref": "#/$defs/Tree"}, "name": {"type": "string"}}}}}),
        &[],
    );
}

#[test]
fn a_schema_that_is_nothing_but_itself_is_cut() {
    check(
        json!({"$ref": "#/components/schemas/Bare"}),
        json!({"$ref": "#/$defs/Bare", "$defs": {"Bare": {"allOf": [{}, {"type": "string"}]}}}),
        &["cyclic-reference"],
    );
}

#[test]
fn a_mapping_binds_each_branch_to_its_values() {
    let schema = json!({"oneOf": [{"$ref": "#/components/schemas/Cat"}, {"$ref": "#/components/schemas/Dog"}],
        "discriminator": {"propertyName": "kind", "mapping": {"cat": "#/components/schemas/Cat", "dog": "Dog"}}});
    let (declared, ..) = built(&schema);
    assert_eq!(
        declared["oneOf"],
        json!([
        {"$ref": "#/$defs/Cat", "properties": {"kind": {"enum": ["cat"]}}},
        {"$ref": "#/$defs/Dog", "properties": {"kind": {"enum": ["dog"]}}}])
    );
}

#[test]
fn what_a_default_or_the_session_fills_is_not_asked_for() {
    let (declared, complete, _) = built(&json!({"$ref": "#/components/schemas/Filled"}));
    assert_eq!(declared["$defs"]["Filled"]["required"], json!(["c"]));
    assert_eq!(complete["$defs"]["Filled"]["required"], json!(["a", "b", "c"]));
    assert_eq!(complete["$defs"]["Filled"]["properties"].get("d"), None);
}

#[test]
fn keywords_of_a_wrong_type_are_dropped_and_reported() {
    check(
        json!({"type": "string", "required": true}),
        json!({"type": "string"}),
        &["dropped-keyword"],
    );
    check(json!({"type": "file"}), json!({}), &["dropped-keyword"]);
    check(
        json!({"type": "string", "maxLength": "ten"}),
        json!({"type": "string"}),
        &["dropped-keyword"],
    );
    check(json!({"properties": []}), json!({}), &["repaired-keyword"]);
    check(json!({"maxLength": 10.0}), json!({"maxLength": 10}), &["repaired-keyword"]);
    check(json!({"enum": null, "allOf": []}), json!({}), &["repaired-keyword", "repaired-keyword"]);
}

#[test]
fn a_pattern_that_needs_backtracking_is_declared_but_not_checked() {
    let (declared, complete, codes) = built(&json!({"type": "string", "pattern": "^(?!a)b$"}));
    assert_eq!(declared["pattern"], "^(?!a)b$");
    assert_eq!(complete.get("pattern"), None);
    assert!(codes.contains(&"unsupported-pattern"));
}
