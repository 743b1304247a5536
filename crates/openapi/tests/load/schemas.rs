//! What schemas become: rows of a schema as a description writes it, and as it is declared and checked.

use crate::prelude::*;

use callgate_testkit::{check_rows, list};

/// The findings without those about the form of nested values in a query, in which tests of schemas put any schema.
pub(crate) fn about_schemas(loaded: &Loaded) -> impl Iterator<Item = &Diagnostic> {
    let diagnostics = loaded.report.diagnostics.iter();
    diagnostics.filter(|found| found.code != Code::UndefinedForm)
}

/// The description's components, which rows refer to.
const COMPONENTS: &str = r"
components:
  schemas:
    Tree: {type: object, properties: {next: {$ref: '#/components/schemas/Tree'}, name: {type: string}}}
    Cat: {type: object, properties: {kind: {type: string}, claws: {type: integer}}}
    Dog: {type: object, properties: {kind: {type: string}}}
    Kitten: {allOf: [{$ref: '#/components/schemas/Cat'}, {properties: {kind: {const: kitten}}}]}
    Bare: {allOf: [{$ref: '#/components/schemas/Bare'}, {type: string}]}
    Filled: {type: object, required: [a, b, c, d], properties: {a: {default: 1}, b: {x-agent-input-parameter: b}, c: {type: string}, d: {readOnly: true}}}
";

/// The schemas of one query parameter: declared, complete, and the codes of the findings.
fn built(schema: &Value) -> (Value, Value, Vec<&'static str>) {
    let parameter = json!({"name": "q", "in": "query", "schema": schema});
    let paths =
        format!("paths: {{/a: {{get: {{summary: A, parameters: [{parameter}]}}}}}}{COMPONENTS}");
    let loaded = loaded(&paths, &LoadOptions::default()).with_schema_findings();
    let operation = &loaded.operations[0];
    let part = |whole: &Value| {
        assert!(jsonschema::draft202012::meta::is_valid(&whole.to_serde_json()), "{whole}");
        let mut part = whole["properties"]["q"].clone();
        if let (Some(definitions), Value::Object(members)) = (whole.get("$defs"), &mut part) {
            members.insert("$defs".to_owned(), definitions.clone());
        }
        part
    };
    let codes = about_schemas(&loaded).map(|found| found.code.as_str()).collect();
    (
        part(&operation.declaration().unwrap().input_schema.to_value()),
        part(operation.arguments_schema()),
        codes,
    )
}

fn value(text: &str) -> Value {
    Value::parse(text).unwrap()
}

#[expect(clippy::needless_pass_by_value, reason = "a row is a literal")]
#[track_caller]
fn check(schema: Value, expected: Value, codes: &[&str]) {
    let (declared, complete, found) = built(&schema);
    assert_eq!(declared, expected, "declared");
    assert_eq!(complete, expected, "complete");
    assert_eq!(found, codes);
}

#[test]
fn equivalent_keywords_are_preserved() {
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
fn schema_keywords_of_openapi_3_0_are_translated() {
    check_rows(
        r#"
        {"type": "integer", "minimum": 1, "exclusiveMinimum": true} => {"type": "integer", "exclusiveMinimum": 1}
        {"type": "integer", "minimum": 1, "exclusiveMinimum": false} => {"type": "integer", "minimum": 1}
        {"example": 7, "x-note": 1, "xml": {}, "externalDocs": {}} => {"examples": [7]}
        "#,
        |[schema, expected]| check(value(schema), value(expected), &[]),
    );
}

#[test]
fn a_nullable_schema_is_declared_with_null() {
    check_rows(
        r#"
        {"type": "string", "nullable": true} => {"type": ["string", "null"]}
        {"type": "string", "nullable": true, "enum": ["a"]} => {"type": ["string", "null"], "enum": ["a", null]}
        {"allOf": [{"type": "string"}], "nullable": true, "description": "D"} => {"description": "D", "anyOf": [{"allOf": [{"type": "string"}]}, {"type": "null"}]}
        "#,
        |[schema, expected]| check(value(schema), value(expected), &[]),
    );
}

#[test]
fn recursive_schemas_are_declared_as_definitions() {
    check(
        json!({"$ref": "#/components/schemas/Tree"}),
        json!({"$ref": "#/$defs/Tree", "$defs": {"Tree": {"type": "object",
              "properties": {"next": {"$ref": "#/$defs/Tree"}, "name": {"type": "string"}}}}}),
        &[],
    );
}

#[test]
fn a_cyclic_reference_is_reported_and_removed_from_its_schema() {
    check(
        json!({"$ref": "#/components/schemas/Bare"}),
        json!({"$ref": "#/$defs/Bare", "$defs": {"Bare": {"allOf": [{}, {"type": "string"}]}}}),
        &["cyclic-reference"],
    );
}

#[test]
fn a_long_chain_of_bare_references_ends() {
    let link =
        |n: usize| format!("    S{n}: {{allOf: [{{$ref: '#/components/schemas/S{}'}}]}}\n", n + 1);
    let chain: String = (0..3000).map(link).collect();
    let paths = "paths: {/a: {get: {parameters: [{name: q, in: query, schema: {$ref: '#/components/schemas/S0'}}]}}}";
    let loaded =
        loaded(&format!("{paths}\ncomponents:\n  schemas:\n{chain}"), &LoadOptions::default());
    let schema = loaded.with_schema_findings().operations[0].arguments_schema().clone();
    assert!(schema["$defs"]["S0"].is_object());
}

#[test]
fn references_that_double_at_each_level_are_declared_once() {
    let link = |n: usize| {
        format!(
            "    D{n}: {{properties: {{a: {{$ref: '#/components/schemas/D{0}'}}, b: {{$ref: '#/components/schemas/D{0}'}}}}}}\n",
            n + 1
        )
    };
    let chain: String =
        (0..40).map(link).collect::<String>() + "    D40: {properties: {z: {default: 1}}}\n";
    let body = "requestBody: {required: true, content: {application/json: {schema: {$ref: '#/components/schemas/D0'}}}}";
    let paths = format!("paths: {{/a: {{post: {{{body}}}}}}}\ncomponents:\n  schemas:\n{chain}");
    let loaded = loaded(&paths, &LoadOptions::default());
    let schema = loaded.operations[0].arguments_schema().to_string();
    assert!(schema.len() < 10_000, "{}", schema.len());
}

#[test]
fn a_mapping_binds_each_branch_to_its_values() {
    let schema = json!({"oneOf": [{"$ref": "#/components/schemas/Cat"}, {"$ref": "#/components/schemas/Dog"}],
        "discriminator": {"propertyName": "kind", "mapping": {"cat": "#/components/schemas/Cat", "dog": "Dog"}}});
    let (declared, complete, _) = built(&schema);
    assert_eq!(
        declared["oneOf"],
        json!([
        {"$ref": "#/$defs/Cat", "properties": {"kind": {"enum": ["cat"]}}},
        {"$ref": "#/$defs/Dog", "properties": {"kind": {"enum": ["dog"]}}}])
    );
    // The checked schema has the values as a tag, which does not change what is valid.
    assert_eq!(
        complete["oneOf"],
        json!([
        {"$ref": "#/$defs/Cat", "x-callgate-tag": {"kind": ["cat"]}},
        {"$ref": "#/$defs/Dog", "x-callgate-tag": {"kind": ["dog"]}}])
    );
}

#[test]
fn without_a_mapping_the_name_of_a_schema_is_its_tag() {
    let branches =
        json!([{"$ref": "#/components/schemas/Cat"}, {"$ref": "#/components/schemas/Kitten"}]);
    let (declared, ..) =
        built(&json!({"oneOf": branches, "discriminator": {"propertyName": "kind"}}));
    assert_eq!(
        declared["oneOf"],
        json!([
        {"$ref": "#/$defs/Cat", "properties": {"kind": {"enum": ["Cat"]}}},
        // It inherits a value of its own.
        {"$ref": "#/$defs/Kitten"}])
    );
}

#[test]
fn members_with_a_default_or_a_session_value_are_not_required() {
    let (declared, complete, _) = built(&json!({"$ref": "#/components/schemas/Filled"}));
    assert_eq!(declared["$defs"]["Filled"]["required"], json!(["c"]));
    assert_eq!(complete["$defs"]["Filled"]["required"], json!(["a", "b", "c"]));
    // A mark for the check: whoever gives it is told that it is only answered.
    assert_eq!(complete["$defs"]["Filled"]["properties"]["d"], json!({"readOnly": true}));
}

#[test]
fn a_member_that_another_part_of_a_composition_marks_is_not_required() {
    let (declared, complete, _) = built(
        &json!({"allOf": [{"$ref": "#/components/schemas/Filled"}, {"required": ["c", "d"]}]}),
    );
    for schema in [declared, complete] {
        assert_eq!(schema["allOf"][1]["required"], json!(["c"]));
    }
}

/// What a declared schema requires at this place.
#[expect(clippy::needless_pass_by_value, reason = "a row is a literal")]
#[track_caller]
fn check_asked(schema: Value, pointer: &str, expected: Value) {
    let (declared, complete, _) = built(&schema);
    let required =
        |schema: &Value| schema.pointer(pointer).and_then(|part| part.get("required").cloned());
    assert_eq!(required(&declared).unwrap_or_default(), expected, "{declared}");
    assert!(required(&complete).is_some(), "{complete}");
}

#[test]
fn required_members_are_listed_where_no_default_is_filled_in() {
    let pet = json!({"required": ["kind"], "properties": {"kind": {"const": "pet"}}});
    let filled = json!({"$ref": "#/components/schemas/Filled"});
    let asked = json!(["kind"]);
    check_asked(json!({"items": pet}), "/items", json!(null));
    check_asked(json!({"allOf": [pet]}), "/allOf/0", json!(null));
    check_asked(json!({"anyOf": [pet, {"type": "null"}]}), "/anyOf/0", json!(null));
    check_asked(json!({"oneOf": [pet, {"type": "string"}]}), "/oneOf/0", asked.clone());
    check_asked(json!({"anyOf": [true, {"items": pet}]}), "/anyOf/1/items", asked.clone());
    check_asked(json!({"additionalProperties": pet}), "/additionalProperties", asked.clone());
    check_asked(json!({"prefixItems": [pet]}), "/prefixItems/0", asked);
    // A definition that stands in both places is asked for in both.
    check_asked(json!({"allOf": [filled]}), "/$defs/Filled", json!(["c"]));
    check_asked(
        json!({"properties": {"a": filled, "b": {"oneOf": [filled, {"type": "string"}]}}}),
        "/$defs/Filled",
        json!(["a", "c"]),
    );
}

#[test]
fn keywords_of_a_wrong_type_are_dropped_and_reported() {
    check_rows(
        r#"
        {"type": "string", "required": true} => {"type": "string"} => dropped-keyword
        {"type": "long"} => {} => dropped-keyword
        {"type": "file"} => {"type": "string", "format": "binary"} => repaired-keyword
        {"type": "string", "maxLength": "ten"} => {"type": "string"} => dropped-keyword
        {"properties": []} => {} => repaired-keyword
        {"maxLength": 10.0} => {"maxLength": 10} => repaired-keyword
        {"enum": null, "allOf": []} => {} => repaired-keyword | repaired-keyword
        "#,
        |[schema, expected, codes]| {
            check(schema.parse().unwrap(), expected.parse().unwrap(), &list(codes));
        },
    );
}

#[test]
fn a_pattern_that_needs_backtracking_is_declared_but_not_checked() {
    let (declared, complete, codes) = built(&json!({"type": "string", "pattern": "^(?!a)b$"}));
    assert_eq!(declared["pattern"], "^(?!a)b$");
    assert_eq!(complete.get("pattern"), None);
    assert!(codes.contains(&"unsupported-pattern"));
}

#[test]
fn a_keyword_that_is_misspelt_or_of_an_older_draft_is_reported() {
    for (keyword, value) in [
        ("maxlength", json!(3)),
        ("dependencies", json!({"a": ["b"]})),
        ("additionalItems", json!(false)),
    ] {
        let (declared, complete, codes) = built(&json!({"type": "string", keyword: value}));
        assert_eq!((declared.get(keyword), complete.get(keyword)), (None, None));
        assert!(codes.contains(&"unknown-keyword"), "{keyword}: {codes:?}");
    }
    for keyword in ["x-maxlength", "collectionFormat", "$comment"] {
        let (_, _, codes) = built(&json!({"type": "string", keyword: 1}));
        assert!(!codes.contains(&"unknown-keyword"), "{keyword}: {codes:?}");
    }
}

#[test]
fn a_member_that_a_closed_part_around_it_excludes_is_reported_also_in_branches() {
    let closed = "{type: object, additionalProperties: false, properties: {id: {type: string}}}";
    let open = "{type: object, properties: {extra: {type: string}}}";
    for (schema, expected) in [
        (format!("{{allOf: [{closed}, {open}]}}"), 1),
        (format!("{{nullable: true, allOf: [{closed}, {open}]}}"), 1),
        (format!("{{properties: {{n: {{nullable: true, allOf: [{closed}, {open}]}}}}}}"), 1),
        (format!("{{allOf: [{closed}, {{oneOf: [{open}, {{required: [id]}}]}}]}}"), 1),
        (format!("{{allOf: [{open}], anyOf: [{closed}, {open}]}}"), 0),
        (format!("{{anyOf: [{closed}, {open}]}}"), 0),
    ] {
        let text = format!(
            "openapi: 3.0.3\nservers: [{{url: https://a.example}}]\npaths: {{/a: {{post: {{summary: A, requestBody: {{content: \
             {{application/json: {{schema: {schema}}}}}}}}}}}}}\n"
        );
        let document = Document::read(text.as_bytes(), &Limits::default()).expect("a description");
        let report = load(&document.value, &LoadOptions::default()).with_schema_findings().report;
        let found = report.diagnostics.iter().filter(|found| found.code == Code::ExcludedMember);
        assert_eq!(found.count(), expected, "{schema}");
    }
}
