//! XML bodies: the examples of the specification (OpenAPI 3.0.4 §4.7.26.2), and what cannot be XML.

use crate::prelude::*;

/// The XML of `body` under the schema of the component `Thing`, without its prolog.
#[track_caller]
fn written(schema: &Value, body: &Value) -> Planned {
    let description = json!({
        "openapi": "3.0.4", "info": {"title": "t", "version": "1"},
        "servers": [{"url": "https://api.example.com/v1"}],
        "components": {"schemas": {
            "Thing": schema,
            "Owner": {"type": "object", "xml": {"name": "owner-of"}, "properties": {"id": {"type": "integer", "xml": {"attribute": true}}}}}},
        "paths": {"/x": {"post": {"responses": {"200": {"description": "fine"}},
            "requestBody": {"required": true, "content": {
                "application/xml": {"schema": {"$ref": "#/components/schemas/Thing"}}}}}}}});
    call(&plan(&description.to_string()), json!({"body": body}))
}

#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "a row is a literal")]
fn check(schema: Value, body: Value, expected: &str) {
    let shown = written(&schema, &body).shown();
    let head =
        "POST /v1/x\ncontent-type: application/xml\n\n<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
    assert_eq!(shown.strip_prefix(head).unwrap_or(&shown), expected);
}

fn animals(array: Value) -> Value {
    json!({"type": "object", "properties": {"animals": array}})
}

#[test]
fn names_attributes_prefixes_and_namespaces_are_written_as_declared() {
    let person = json!({"type": "object", "properties": {
        "id": {"type": "integer", "xml": {"attribute": true}},
        "name": {"type": "string", "xml": {"namespace": "https://example.com/schema/sample", "prefix": "sample"}},
        "note": {"type": "string", "nullable": true, "xml": {"name": "remark", "prefix": "lost"}},
        "owner": {"$ref": "#/components/schemas/Owner"}}});
    check(
        person,
        json!({"id": 123, "name": "a<b>&\"c\"\n", "note": null, "owner": {"id": 7}}),
        "<Thing id=\"123\"><sample:name xmlns:sample=\"https://example.com/schema/sample\">a&lt;b&gt;&amp;&quot;c&quot;&#10;</sample:name>\
         <remark xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xsi:nil=\"true\"></remark>\
         <owner-of id=\"7\"></owner-of></Thing>",
    );
    let spaced = json!({"type": "object", "xml": {"name": "t", "namespace": "urn:x", "prefix": "p"},
        "properties": {"a": {"type": "string", "xml": {"prefix": "p"}}}});
    check(spaced, json!({"a": "1"}), "<p:t xmlns:p=\"urn:x\"><p:a>1</p:a></p:t>");
}

#[test]
fn lists_are_written_as_in_the_examples_of_the_specification() {
    let text = json!({"type": "string"});
    let animal = json!({"type": "string", "xml": {"name": "animal"}});
    let named = |items: &Value| json!({"items": items, "xml": {"name": "aliens"}});
    let wrapped = |items: &Value| json!({"items": items, "xml": {"wrapped": true}});
    let both = |items: &Value| json!({"items": items, "xml": {"name": "aliens", "wrapped": true}});
    for (array, expected) in [
        (json!({"items": text}), "<animals>a</animals><animals>b</animals>"),
        (json!({"items": animal}), "<animal>a</animal><animal>b</animal>"),
        (named(&animal), "<animal>a</animal><animal>b</animal>"),
        (wrapped(&text), "<animals><animals>a</animals><animals>b</animals></animals>"),
        (wrapped(&animal), "<animals><animal>a</animal><animal>b</animal></animals>"),
        (both(&text), "<aliens><aliens>a</aliens><aliens>b</aliens></aliens>"),
        (both(&animal), "<aliens><animal>a</animal><animal>b</animal></aliens>"),
    ] {
        let mut array = array;
        array["type"] = "array".into();
        let body = json!({"animals": ["a", "b"]});
        check(animals(array), body, &format!("<Thing>{expected}</Thing>"));
    }
    check(
        json!({"type": "array", "items": {"type": "integer", "xml": {"name": "n"}}, "xml": {"name": "all", "wrapped": true}}),
        json!([1, 2]),
        "<all><n>1</n><n>2</n></all>",
    );
}

#[test]
fn a_value_is_written_to_xml_by_its_node_type() {
    check(
        json!({"type": "object", "properties": {
            "lang": {"type": "string", "xml": {"nodeType": "attribute"}},
            "text": {"type": "string", "xml": {"nodeType": "text"}},
            "raw": {"type": "string", "xml": {"nodeType": "cdata"}},
            "more": {"type": "object", "xml": {"nodeType": "none"}, "properties": {"k": {"type": "string"}}}}}),
        json!({"lang": "en", "text": "1 < 2", "raw": "<b>]]></b>", "more": {"k": "v"}}),
        "<Thing lang=\"en\">1 &lt; 2<![CDATA[<b>]]]]><![CDATA[></b>]]><k>v</k></Thing>",
    );
}

#[test]
fn a_text_for_an_xml_body_without_structure_is_sent_unchanged() {
    let shown = written(&json!({"type": "string"}), &json!("<a b='c'/>")).shown();
    assert!(shown.ends_with("\n\n<a b='c'/>"), "{shown}");
}

#[test]
fn bytes_with_an_xml_name_are_written_as_an_element() {
    let binary = json!({"type": "string", "format": "binary"});
    let mut named = binary.clone();
    named["xml"] = json!({"name": "root"});
    check(named.clone(), json!("aGk="), "<root>aGk=</root>");
    let ready = written(&named, &json!("<root>aGk=</root>")).shown();
    assert!(ready.ends_with("\n\n<root>aGk=</root>"), "{ready}");
    // Without a name they are the whole of the body.
    let whole = written(&binary, &json!("aGk=")).shown();
    assert!(whole.ends_with("application/xml\n\nhi"), "{whole}");
}

#[test]
fn two_members_with_one_xml_name_are_refused_together() {
    let named = |name: &str| json!({"type": "string", "xml": {"name": name}});
    let list = |name: &str| json!({"type": "array", "items": named(name)});
    let attribute =
        |name: &str| json!({"type": "string", "xml": {"name": name, "attribute": true}});
    let bare = json!({"type": "object", "xml": {"nodeType": "none"}, "properties": {"x": {"type": "string"}}});
    let text = json!({"type": "string", "xml": {"nodeType": "text"}});
    let spaced = |prefix: &str| json!({"type": "string", "xml": {"name": "x", "prefix": prefix, "namespace": "urn:a"}});
    for (a, b, kind) in [
        (list("x"), list("x"), "element"),
        (named("x"), named("x"), "element"),
        (list("x"), named("x"), "element"),
        (named("b"), json!({"type": "string"}), "element"),
        (attribute("x"), attribute("x"), "attribute"),
        (named("x"), bare.clone(), "element"),
        (text.clone(), text, "text"),
        (spaced("p"), spaced("q"), "element"),
    ] {
        let value = |schema: &Value| match (&schema["type"], schema["xml"]["nodeType"].as_str()) {
            (Value::String(kind), _) if kind == "array" => json!(["1"]),
            (_, Some("none")) => json!({"x": "1"}),
            _ => json!("1"),
        };
        let (one, two) = (value(&a), value(&b));
        let schema = json!({"type": "object", "properties": {"a": a, "b": b}});
        let problems = written(&schema, &json!({"a": one, "b": two})).problems();
        assert!(
            problems.contains(&format!("expected one writer for the {kind} `")),
            "{schema} {problems}"
        );
        for alone in [json!({"a": one}), json!({"b": two})] {
            assert!(written(&schema, &alone).result.is_ok(), "{schema}");
        }
    }
    let apart = json!({"type": "object", "properties": {"a": spaced("p"), "b": named("x"), "c": attribute("x")}});
    check(
        apart,
        json!({"a": "1", "b": "2", "c": "3"}),
        "<Thing x=\"3\"><p:x xmlns:p=\"urn:a\">1</p:x><x>2</x></Thing>",
    );
}

#[test]
fn the_root_element_is_a_required_member_of_an_xml_body() {
    let schema = json!({"type": "object", "properties": {"Policy": {"type": "object", "properties": {"a": {"type": "string"}}}}});
    let of_media = |media: Value| {
        let body = json!({"requestBody": {"required": true, "content": media}});
        operation("put", "/x", body)
    };
    let plan = of_media(json!({"text/xml": {"schema": schema}}));
    let declared = plan.operation().declaration().unwrap().input_schema.to_value();
    assert_eq!(declared["properties"]["body"]["required"], json!(["Policy"]));
    let missing = "body.Policy: expected a value, got nothing";
    assert_eq!(call(&plan, json!({"body": {}})).problems(), missing);
    let shown = call(&plan, json!({"body": {"Policy": {"a": "1"}}})).shown();
    assert!(shown.ends_with("<Policy><a>1</a></Policy>"), "{shown}");
    // JSON with the same schema may be empty, and XML says what is missing.
    let both =
        of_media(json!({"application/json": {"schema": schema}, "text/xml": {"schema": schema}}));
    assert!(call(&both, json!({"body": {}})).shown().ends_with("{}"));
    let xml = call(&both, json!({"body": {}, "content_type": "text/xml"})).problems();
    assert_eq!(
        xml,
        "body.Policy: expected a value, which is the root element of the body, got nothing"
    );
    let more = json!({"body": {"Policy": {}, "x": 1}, "content_type": "text/xml"});
    let beside = "body.x: expected no member beside the root element `Policy`, got one";
    assert_eq!(call(&both, more).problems(), beside);
}

#[test]
fn nested_lists_that_xml_would_merge_are_refused() {
    let lists = json!({"type": "object", "properties": {"a": {"type": "array", "items": {"type": "array", "items": {"type": "string"}}}}});
    let refused = written(&lists, &json!({"a": [["1"], ["2"]]})).problems();
    assert!(
        refused.starts_with("body.a[0]: expected a value that has an element of its own"),
        "{refused}"
    );
    let wrapped = json!({"type": "object", "properties": {"a": {"type": "array",
        "items": {"type": "array", "items": {"type": "string", "xml": {"name": "c"}}, "xml": {"wrapped": true}}}}});
    check(wrapped, json!({"a": [["1"], ["2"]]}), "<Thing><a><c>1</c></a><a><c>2</c></a></Thing>");
    let attribute = json!({"type": "object", "properties": {"a": {"type": "array", "items": {}, "xml": {"attribute": true}}}});
    let refused = written(&attribute, &json!({"a": [1, 2]})).problems();
    assert!(refused.starts_with("body.a: expected a single value"), "{refused}");
}

#[test]
fn names_with_prefixes_in_them_and_attributes_with_namespaces_are_written() {
    let xsi = json!({"type": "object", "properties": {
        "type": {"type": "string", "xml": {"name": "xsi:type", "attribute": true}},
        "id": {"type": "string", "xml": {"attribute": true, "namespace": "urn:b"}},
        "lang": {"type": "string", "xml": {"name": "xml:lang", "attribute": true}}}});
    check(
        xsi,
        json!({"type": "T", "id": "1", "lang": "en"}),
        "<Thing xmlns:ns1=\"urn:b\" ns1:id=\"1\" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xsi:type=\"T\" xml:lang=\"en\"></Thing>",
    );
    for name in ["p:x", "xmlns", "xmlns:p"] {
        let schema = json!({"type": "object", "properties": {"a": {"type": "string", "xml": {"name": name, "attribute": true}}}});
        assert!(written(&schema, &json!({"a": "1"})).result.is_err(), "{name}");
    }
    let two = json!({"type": "object", "xml": {"prefix": "p", "namespace": "urn:a"}, "properties": {
        "a": {"type": "string", "xml": {"attribute": true, "prefix": "p", "namespace": "urn:b"}}}});
    let refused = written(&two, &json!({"a": "1"})).problems();
    assert!(refused.contains("one namespace for the prefix `p`"), "{refused}");
}

#[test]
fn the_prefix_of_a_null_element_keeps_its_namespace() {
    let item = json!({"type": ["boolean", "null"], "xml": {"name": "xsi:type"}});
    let list = json!({"type": "array", "items": item,
        "xml": {"name": "xsi:type", "namespace": "urn:a", "wrapped": true}});
    check(
        json!({"type": "object", "properties": {"a": list}}),
        json!({"a": [null]}),
        "<Thing><xsi:type xmlns:xsi=\"urn:a\"><xsi:type xmlns:ns1=\"http://www.w3.org/2001/XMLSchema-instance\" ns1:nil=\"true\"></xsi:type></xsi:type></Thing>",
    );
}

#[test]
fn a_value_that_cannot_be_xml_is_refused() {
    let map = json!({"type": "object", "additionalProperties": {"type": "string"}});
    written(&map, &json!({"a><b": "x"}))
        .is_refused("body: expected members that XML can have as elements, got the name `a><b`");
    written(&map, &json!({"a": "\u{1}"}))
        .is_refused("body: expected text without control characters, got a control character");
}
