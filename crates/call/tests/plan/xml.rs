//! XML bodies: the examples of the specification (OpenAPI 3.0.4 §4.7.26.2), and what cannot be XML.

use callgate_tool::{Value, json};

use crate::support::{call, plan};

/// The XML of `body` under the schema of the component `Thing`, without its prolog.
#[track_caller]
fn written(schema: &Value, body: &Value) -> crate::support::Planned {
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
fn names_attributes_prefixes_and_namespaces_are_kept() {
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
    for (array, expected) in [
        (json!({"items": text}), "<animals>a</animals><animals>b</animals>"),
        (json!({"items": animal}), "<animal>a</animal><animal>b</animal>"),
        (
            json!({"items": animal, "xml": {"name": "aliens"}}),
            "<animal>a</animal><animal>b</animal>",
        ),
        (
            json!({"items": text, "xml": {"wrapped": true}}),
            "<animals><animals>a</animals><animals>b</animals></animals>",
        ),
        (
            json!({"items": animal, "xml": {"wrapped": true}}),
            "<animals><animal>a</animal><animal>b</animal></animals>",
        ),
        (
            json!({"items": text, "xml": {"name": "aliens", "wrapped": true}}),
            "<aliens><aliens>a</aliens><aliens>b</aliens></aliens>",
        ),
        (
            json!({"items": animal, "xml": {"name": "aliens", "wrapped": true}}),
            "<aliens><animal>a</animal><animal>b</animal></aliens>",
        ),
    ] {
        let mut array = array;
        array["type"] = "array".into();
        check(
            animals(array),
            json!({"animals": ["a", "b"]}),
            &format!("<Thing>{expected}</Thing>"),
        );
    }
    check(
        json!({"type": "array", "items": {"type": "integer", "xml": {"name": "n"}}, "xml": {"name": "all", "wrapped": true}}),
        json!([1, 2]),
        "<all><n>1</n><n>2</n></all>",
    );
}

#[test]
fn a_node_type_says_what_a_value_becomes() {
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
fn a_ready_text_is_sent_as_it_is() {
    let shown = written(&json!({"type": "string"}), &json!("<a b='c'/>")).shown();
    assert!(shown.ends_with("\n\n<a b='c'/>"), "{shown}");
}

#[test]
fn bytes_are_an_element_where_the_schema_names_one() {
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
fn what_cannot_be_xml_is_refused() {
    let map = json!({"type": "object", "additionalProperties": {"type": "string"}});
    assert_eq!(
        written(&map, &json!({"a><b": "x"})).problems(),
        "body: expected members that XML can have as elements, got the name `a><b`"
    );
    assert_eq!(
        written(&map, &json!({"a": "\u{1}"})).problems(),
        "body: expected text without control characters, got a control character"
    );
}
