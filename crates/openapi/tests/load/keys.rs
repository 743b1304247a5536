//! Keys that two inputs would write by the description alone: rows of parameters, and what is found.

use callgate_openapi::{LoadOptions, OperationStatus};
use callgate_tool::{Value, json};

use crate::documents::loaded;

#[track_caller]
fn check(path: &str, operation: &Value, expected: &[&str]) {
    let paths = format!(
        "paths: {{'{path}': {{post: {operation}}}}}\nsecurity: [{{k: []}}]\ncomponents: {{securitySchemes: {{k: {{type: apiKey, in: query, name: api_key}}}}}}"
    );
    let loaded = loaded(&paths, &LoadOptions::default()).examined();
    let found =
        loaded.report.diagnostics.iter().filter(|found| found.code.as_str() == "key-collision");
    let found: Vec<_> =
        found.map(|found| found.message.split("got two: ").last().unwrap_or_default()).collect();
    assert_eq!(found, expected);
    let is_degraded = loaded.report.count(OperationStatus::Degraded) == 1;
    assert_eq!(is_degraded, !expected.is_empty());
}

#[test]
fn keys_with_two_writers_are_found() {
    let text =
        |name: &str, place: &str| json!({"name": name, "in": place, "schema": {"type": "string"}});
    let object = |name: &str, place: &str, style: &str, member: &str| {
        json!({"name": name, "in": place, "style": style, "explode": true,
            "schema": {"type": "object", "properties": {member: {"type": "string"}}}})
    };
    for (path, parameters, expected) in [
        ("/a", json!([text("b", "query"), object("o", "query", "form", "b")]), vec!["`o` and `b`"]),
        (
            "/a",
            json!([text("b", "cookie"), object("o", "cookie", "form", "b")]),
            vec!["`o` and `b`"],
        ),
        (
            "/a",
            json!([object("o", "query", "form", "b"), object("p", "query", "form", "b")]),
            vec!["`o` and `p`"],
        ),
        (
            "/a",
            json!([text("o[b]", "query"), object("o", "query", "deepObject", "b")]),
            vec!["`o` and `o_b`"],
        ),
        ("/a?b=1", json!([object("o", "query", "form", "b")]), vec!["`o` and the path"]),
        ("/a", json!([object("o", "query", "form", "api_key")]), vec!["`o` and a credential"]),
        ("/a", json!([text("b", "header"), object("o", "query", "form", "b")]), vec![]),
        ("/a", json!([text("b", "query"), object("o", "query", "deepObject", "b")]), vec![]),
        ("/a", json!([object("b", "query", "form", "b")]), vec![]),
    ] {
        check(path, &json!({"summary": "A", "parameters": parameters}), &expected);
    }
}

#[test]
fn fields_with_two_writers_are_found() {
    let schema = json!({"type": "object", "properties": {"title": {"type": "string"},
        "size": {"type": "object", "properties": {"title": {"type": "string"}}}}});
    let form = |encoding: &Value| {
        json!({"summary": "A", "requestBody": {"content":
            {"application/x-www-form-urlencoded": {"schema": schema, "encoding": encoding}}}})
    };
    let exploded = json!({"size": {"style": "form", "explode": true}});
    check("/a", &form(&exploded), &["`body.size` and `body.title`"]);
    check("/a", &form(&json!({})), &[]);
}
