//! Tests the limits of providers: a schema that exceeds them, and who says so.

use callgate_tool::{Effect, Schema, ToolName, json};

use super::*;

#[track_caller]
fn check(schema: &Value, expected: &[&str]) {
    let name = ToolName::new("t").unwrap();
    let tool = Tool::new(name, "t".into(), Schema::new(schema.clone()), Effect::Read);
    let got: Vec<_> = exceeded_tool_limits(&tool).iter().map(|limit| limit.provider).collect();
    assert_eq!(got, expected, "{schema}");
}

fn nested(depth: usize) -> Value {
    (0..depth).fold(json!({"type": "string"}), |below, _| json!({"properties": {"a": below}}))
}

#[test]
fn a_declaration_reports_the_provider_limits_it_exceeds() {
    check(&json!({"type": "object", "properties": {"enum": {"type": "string"}}}), &[]);
    check(&json!({"anyOf": []}), &["Anthropic"]);
    let rules = ["Gemini (`parameters`)", "OpenAI (strict)"];
    check(&json!({"properties": {"a": {"oneOf": [{}]}}}), &rules);
    check(&json!({"properties": {"a": {"uniqueItems": true}}}), &rules);
    check(&json!({"properties": {"a-b": {}}}), &["Gemini (`parameters`)"]);
    check(&json!({"properties": {"a": {"additionalProperties": {}}}}), &["OpenAI (strict)"]);
    check(&json!({"properties": {"a": {"anyOf": [{}]}}}), &[]);
    check(&json!({"properties": {"a": {"$ref": "#/$defs/a"}}}), &["Gemini (`parameters`)"]);
    check(&json!({"properties": {"a": {"enum": [1, 2]}}}), &["Gemini (`parameters`)"]);
    check(&json!({"properties": {"a": {"enum": ["x", null]}}}), &[]);
    check(&json!({"properties": {"a": {"pattern": "^a$"}}}), &[]);
    check(&json!({"properties": {"a": {"pattern": "a"}}}), &["llama.cpp"]);
    check(&json!({"properties": {"a": {"pattern": "^(?!a)$"}}}), &["llama.cpp"]);
    check(&json!({"properties": {"a": {"maxLength": 5000}}}), &["llama.cpp"]);
    check(&nested(10), &[]);
    check(&nested(11), &["OpenAI (strict)"]);
    let many: Vec<_> = (0..1001).map(|n| n.to_string()).collect();
    check(&json!({"properties": {"a": {"items": {"enum": many}}}}), &["OpenAI (strict)"]);
}

#[test]
fn a_description_of_more_than_1024_characters_is_reported() {
    for (n, expected) in
        [(1024, vec![]), (1025, vec!["OpenAI (Azure)"]), (3400, vec!["OpenAI (Azure)"])]
    {
        let (name, schema) = (ToolName::new("t").unwrap(), Schema::new(json!({"type": "object"})));
        let tool = Tool::new(name, "é".repeat(n), schema, Effect::Read);
        let got: Vec<_> = exceeded_tool_limits(&tool).iter().map(|limit| limit.provider).collect();
        assert_eq!(got, expected, "{n}");
    }
}

#[test]
fn a_request_reports_the_provider_limits_on_its_tools() {
    assert_eq!(exceeded_request_limits(128, 19_000), []);
    assert_eq!(exceeded_request_limits(129, 0).len(), 2);
    assert_eq!(exceeded_request_limits(1, 20_000)[0].provider, "Gemini (mode `ANY`)");
    assert_eq!(exceeded_strict_limits(Dialect::Anthropic, 20, 24, 16), []);
    assert_eq!(exceeded_strict_limits(Dialect::Anthropic, 21, 25, 17).len(), 3);
    assert_eq!(exceeded_strict_limits(Dialect::OpenAi, 200, 500, 500), []);
}
