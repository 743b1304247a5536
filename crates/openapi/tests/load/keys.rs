//! Keys that two inputs would write by the description alone: rows of parameters, and what is found.

use crate::prelude::*;

#[track_caller]
fn check(path: &str, operation: &Value, expected: &str) {
    let paths = format!(
        "paths: {{'{path}': {{post: {operation}}}}}\nsecurity: [{{k: []}}]\ncomponents: {{securitySchemes: {{k: {{type: apiKey, in: query, name: api_key}}}}}}"
    );
    let loaded = loaded(&paths, &LoadOptions::default()).with_schema_findings();
    let found =
        loaded.report.diagnostics.iter().filter(|found| found.code.as_str() == "key-collision");
    let found: Vec<_> =
        found.map(|found| found.message.split("got two: ").last().unwrap_or_default()).collect();
    assert_eq!(found.join("; "), expected);
    let is_degraded = loaded.report.count(OperationStatus::Degraded) == 1;
    assert_eq!(is_degraded, !expected.is_empty());
}

#[test]
fn query_keys_that_two_parameters_write_are_reported() {
    let text =
        |name: &str, place: &str| json!({"name": name, "in": place, "schema": {"type": "string"}});
    let object = |name: &str, place: &str, style: &str, member: &str| {
        json!({"name": name, "in": place, "style": style, "explode": true,
            "schema": {"type": "object", "properties": {member: {"type": "string"}}}})
    };
    let exploded = |name: &str, place: &str| object(name, place, "form", "b");
    let deep = object("o", "query", "deepObject", "b");
    let query = exploded("o", "query");
    for (path, parameters, expected) in [
        ("/a", json!([text("b", "query"), query]), "`o` and `b`"),
        ("/a", json!([text("b", "cookie"), exploded("o", "cookie")]), "`o` and `b`"),
        ("/a", json!([query, exploded("p", "query")]), "`o` and `p`"),
        ("/a", json!([text("o[b]", "query"), deep]), "`o` and `o_b`"),
        ("/a?b=1", json!([query]), "`o` and the path"),
        ("/a", json!([object("o", "query", "form", "api_key")]), "`o` and a credential"),
        ("/a", json!([text("b", "header"), query]), ""),
        ("/a", json!([text("b", "query"), deep]), ""),
        ("/a", json!([exploded("b", "query")]), ""),
    ] {
        check(path, &json!({"summary": "A", "parameters": parameters}), expected);
    }
}

#[test]
fn form_fields_that_two_members_write_are_reported() {
    let schema = json!({"type": "object", "properties": {"title": {"type": "string"},
        "size": {"type": "object", "properties": {"title": {"type": "string"}}}}});
    let form = |encoding: &Value| {
        json!({"summary": "A", "requestBody": {"content":
            {"application/x-www-form-urlencoded": {"schema": schema, "encoding": encoding}}}})
    };
    let exploded = json!({"size": {"style": "form", "explode": true}});
    check("/a", &form(&exploded), "`body.size` and `body.title`");
    check("/a", &form(&json!({})), "");
}

#[test]
fn xml_elements_that_two_members_write_are_reported() {
    let body = |schema: Value| json!({"summary": "A", "requestBody": {"content": {"application/xml": {"schema": schema}}}});
    let object = |properties: Value| {
        body(json!({"type": "object", "xml": {"name": "root"}, "properties": properties}))
    };
    let list =
        |item: &str| json!({"type": "array", "items": {"type": "string", "xml": {"name": item}}});
    let wrapped = |name: &str| json!({"type": "array", "xml": {"wrapped": true, "name": name}, "items": {"type": "string", "xml": {"name": "item"}}});
    // As EC2's `ModifySnapshotAttribute` and 45 more describe their lists.
    let of_ec2 = || json!({"type": "array", "items": {"allOf": [{"type": "string"}, {"xml": {"name": "item"}}]}});
    let text = |xml: Value| json!({"type": "string", "xml": xml});
    let (x, attribute) = (text(json!({"name": "x"})), text(json!({"attribute": true})));
    let of_space = |space: &str| text(json!({"name": "x", "namespace": space}));
    let lists = json!({"type": "object", "properties": {"a": list("i"), "b": list("i")}});
    let named = text(json!({"attribute": true, "name": "x"}));
    for (properties, expected) in [
        (json!({"a": x, "b": x}), "`body.a` and `body.b`"),
        (
            json!({"a": text(json!({"name": "b"})), "b": {"type": "string"}}),
            "`body.a` and `body.b`",
        ),
        (json!({"a": named, "x": attribute}), "`body.a` and `body.x`"),
        (json!({"a": list("item"), "b": list("item")}), "`body.a` and `body.b`"),
        (json!({"a": of_ec2(), "b": of_ec2()}), "`body.a` and `body.b`"),
        (json!({"a": list("item"), "b": text(json!({"name": "item"}))}), "`body.a` and `body.b`"),
        (json!({"a": wrapped("x"), "b": wrapped("x")}), "`body.a` and `body.b`"),
        (json!({"o": lists}), "`body.o.a` and `body.o.b`"),
        (json!({"o": {"type": "array", "items": lists}}), "`body.o[].a` and `body.o[].b`"),
        (json!({"a": wrapped("x"), "b": wrapped("y")}), ""),
        (json!({"a": list("x"), "b": list("y")}), ""),
        (json!({"a": x, "x": attribute}), ""),
        (json!({"a": of_space("urn:1"), "b": of_space("urn:2")}), ""),
        (
            json!({"a": {"type": "string", "readOnly": true, "xml": {"name": "x"}}, "x": {"type": "string"}}),
            "",
        ),
    ] {
        check("/a", &object(properties), expected);
    }
}
