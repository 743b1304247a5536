//! The address a description gives itself (OpenAPI 3.2.0 `$self`): what is known by it, what is relative to it, and that
//! it opens nothing.

use crate::prelude::*;

use super::references::{check, query};

const OWN: &str = "$self: https://api.example/v1/openapi\n";

/// A description with this `$self` whose only parameter has the schema that `reference` names.
fn with_self(own: &str, reference: &str) -> String {
    format!("{own}{}", query(&format!("{{$ref: '{reference}'}}")))
}

fn integer(name: &str) -> Value {
    json!({"q": {"$ref": format!("#/$defs/{name}")}, "$defs": {name: {"type": "integer"}}})
}

#[test]
fn references_to_the_address_of_a_description_resolve_to_it() {
    for reference in [
        "https://api.example/v1/openapi#/components/schemas/a",
        "https://API.example:443/v1/openapi#/components/schemas/a",
        "openapi#/components/schemas/a",
        "../v1/./openapi#/components/schemas/a",
        "/v1/openapi#/components/schemas/a",
        "//api.example/v1/openapi#%2Fcomponents/schemas/a",
        "#/components/schemas/a",
        "openapi#anchor",
        "#anchor",
        // Where it was read, too (§4.1.1: MAY).
        "openapi.yaml#/components/schemas/a",
    ] {
        let text = with_self(OWN, reference)
            + "components: {schemas: {a: {$anchor: anchor, type: integer}}}";
        let mut expected = integer("a");
        expected["$defs"]["a"]["$anchor"] = json!("anchor");
        check("3.2.0", &text, &[], &expected, &[]);
    }
}

#[test]
fn other_documents_may_refer_to_a_description_by_its_self_address() {
    let text = with_self(OWN, "b.yaml") + "components: {schemas: {a: {type: integer}}}";
    let reference = "items: {$ref: 'https://api.example/v1/openapi#/components/schemas/a'}";
    check(
        "3.2.0",
        &text,
        &[("b.yaml", reference)],
        &json!({"q": {"$ref": "#/$defs/b"},
            "$defs": {"a": {"type": "integer"}, "b": {"items": {"$ref": "#/$defs/a"}}}}),
        &[],
    );
}

#[test]
fn files_beside_the_address_of_a_description_are_read_from_disk() {
    for reference in ["b/c.yaml", "./b/c.yaml", "https://api.example/v1/b/c.yaml", "/v1/b/c.yaml"] {
        check(
            "3.2.0",
            &with_self(OWN, reference),
            &[("b/c.yaml", "type: integer")],
            &integer("c"),
            &[],
        );
    }
    // A document beside it goes on from the address it was reached by.
    check(
        "3.2.0",
        &with_self(OWN, "b/c.yaml"),
        &[("b/c.yaml", "$ref: '../d%20e.yaml#/a'"), ("d e.yaml", "a: {type: integer}")],
        &integer("a"),
        &[],
    );
}

#[test]
fn references_without_a_file_on_disk_use_the_address() {
    check(
        "3.2.0",
        &with_self(OWN, "b.yaml"),
        &[("https://api.example/v1/b.yaml", "type: integer")],
        &integer("b"),
        &[],
    );
    check(
        "3.2.0",
        &with_self(OWN, "../b.yaml"),
        &[("https://api.example/b.yaml", "type: integer")],
        &integer("b"),
        &[],
    );
}

#[test]
fn references_to_the_address_of_another_document_resolve_to_it() {
    let shared = "{openapi: 3.2.0, $self: 'https://api.example/shared/foo',
        components: {schemas: {a: {$ref: ../schemas/a}, b: {$id: 'https://api.example/schemas/a', type: integer}}}}";
    // The first one names it by its file, the second by its own address.
    let text = "$self: https://api.example/openapi
paths: {/a: {get: {summary: A, parameters: [
  {name: p, in: query, schema: {$ref: 'https://api.example/x/foo.yaml#/components/schemas/a'}},
  {name: q, in: query, schema: {$ref: 'shared/foo#/components/schemas/b'}}]}}}";
    check(
        "3.2.0",
        text,
        &[("x/foo.yaml", shared)],
        &json!({
            "p": {"$ref": "#/$defs/b"}, "q": {"$ref": "#/$defs/b"},
            "$defs": {"b": {"type": "integer"}},
        }),
        &[],
    );
}

#[test]
fn a_relative_self_address_is_resolved_against_the_location_of_the_file() {
    let file = [("v2/b.yaml", "type: integer")];
    check("3.2.0", &with_self("$self: v2/openapi.yaml\n", "b.yaml"), &file, &integer("b"), &[]);
    let beside = [("b.yaml", "type: integer")];
    for own in ["$self: ''\n", "$self: other.yaml\n", "$self: /api/openapi\n", "$self: 'urn:a:b'\n"]
    {
        check("3.2.0", &with_self(own, "b.yaml"), &beside, &integer("b"), &[]);
    }
    let text = with_self("$self: 'urn:a:b'\n", "urn:a:b#/components/schemas/a");
    let text = text + "components: {schemas: {a: {type: integer}}}";
    check("3.2.0", &text, &[], &integer("a"), &[]);
}

#[test]
fn an_invalid_self_address_is_reported_and_ignored() {
    let file = [("b.yaml", "type: integer")];
    for own in ["https://api.example/x#a", "7", "{}", "../x", "https://[", "~"] {
        let text = with_self(&format!("$self: {own}\n"), "b.yaml");
        check("3.2.0", &text, &file, &integer("b"), &["invalid-self /$self"]);
    }
    for version in ["3.1.0", "3.0.3"] {
        let text = with_self(OWN, "b.yaml");
        check(version, &text, &file, &integer("b"), &["invalid-self /$self"]);
    }
    let other = [("b.yaml", "{openapi: 3.2.0, $self: '#', a: {type: integer}}")];
    check(
        "3.2.0",
        &with_self("", "b.yaml#/a"),
        &other,
        &integer("a"),
        &["invalid-self b.yaml#/$self"],
    );
}

#[track_caller]
fn check_needs(own: &str, reference: &str, expected: &[&str]) {
    let text = format!("openapi: 3.2.0\n{}", with_self(own, reference));
    let document = Document::read(text.as_bytes(), &Limits::default()).expect("a description");
    let document = document.value.with_name("openapi.yaml");
    assert_eq!(
        document.missing_documents(),
        expected.iter().map(|&name| name.into()).collect::<Vec<_>>()
    );
    if expected.is_empty() {
        let loaded = load(&document, &LoadOptions::default());
        assert!(loaded.operations.is_empty(), "{own} {reference}");
        let mut codes = loaded.report.diagnostics.iter().map(|found| found.code.as_str());
        assert!(codes.any(|code| code == "external-reference"), "{own} {reference}");
    }
}

#[test]
fn a_self_address_allows_no_further_files_and_origins() {
    for (own, reference, expected) in [
        (OWN, "../b.yaml", &["https://api.example/b.yaml"] as &[&str]),
        (OWN, "https://b.example/b.yaml", &["https://b.example/b.yaml"]),
        (OWN, "/etc/passwd", &["https://api.example/etc/passwd"]),
        (OWN, "..%2fb.yaml", &["https://api.example/v1/..%2fb.yaml"]),
        (OWN, "file:///etc/passwd", &[]),
        (OWN, "http://api.example/v1/b.yaml", &[]),
        (OWN, "https://user@api.example/v1/b.yaml", &[]),
        ("$self: file:///etc/openapi\n", "passwd", &["passwd"]),
        ("$self: file:///etc/openapi\n", "../opt/a", &[]),
        ("$self: /etc/openapi\n", "/opt/a", &[]),
        ("$self: http://169.254.169.254/latest/a\n", "meta-data", &["meta-data"]),
        ("$self: http://169.254.169.254/latest/a\n", "../meta-data", &[]),
        ("$self: a/../../x.yaml\n", "../b.yaml", &[]),
    ] {
        check_needs(own, reference, expected);
    }
}

#[test]
fn a_missing_file_at_an_address_that_is_not_listed_refuses_the_operation() {
    let text = format!("openapi: 3.2.0\n{}", with_self("$self: http://169.254.169.254/a\n", "b"));
    let mut document = Document::read(text.as_bytes(), &Limits::default()).expect("one").value;
    document.refuse("b", super::references::missing());
    assert_eq!(document.missing_documents(), []);
    let loaded = load(&document, &LoadOptions::default());
    assert!(loaded.operations.is_empty());
}

#[test]
fn servers_are_relative_to_where_the_description_was_read() {
    // OpenAPI 3.2.0 §4.5.2.1: the specification's own example.
    let text = "openapi: 3.2.0
$self: https://apidescriptions.example.com/foo
servers: [{url: .}, {url: ./test}]
paths: {/a: {get: {summary: A}}}";
    let document = Document::read(text.as_bytes(), &Limits::default()).expect("a description");
    let options = LoadOptions {
        document_url: Some("https://device1.example.com".parse().expect("an address")),
        ..LoadOptions::default()
    };
    let server = load(&document.value, &options).server.expect("a server");
    assert_eq!(server.url.as_str(), "https://device1.example.com/");
    let loaded = load(&document.value, &LoadOptions::default());
    assert_eq!(loaded.report.diagnostics[0].code.as_str(), "no-server");
}
