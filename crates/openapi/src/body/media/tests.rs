//! Tests tables of media types, their order and their findings.

use callgate_testkit::{check_rows, list, rows};
use callgate_tool::{Value, json};

use super::*;
use crate::{findings::Findings, sample::document};

#[track_caller]
fn check(body: Value, expected: &[&str]) {
    check_with(&LoadOptions::default(), body, expected);
}

#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "a row is a literal")]
fn check_with(options: &LoadOptions, body: Value, expected: &[&str]) {
    let document = document(json!({"operation": {"requestBody": body}, "components": {
        "requestBodies": {"pet": {"required": true, "content": {"application/json": {}}}}}}));
    let operation = document.root().get("operation").unwrap();
    let operation = LocatedNode { node: operation, pointer: "/operation".into() };
    let mut findings = Findings::default();
    let cursor = Cursor::new(&document, &mut findings);
    let mut body = read_body(cursor.at_node(&operation));
    if let Some(body) = &mut body {
        sort_by_preference(body, cursor, options);
    }
    let media = body.iter().flat_map(|body| {
        body.media
            .iter()
            .map(|media| format!("{} {:?} {}", media.media_type, media.kind, body.required))
    });
    let codes = findings.into_diagnostics();
    let codes = codes.iter().map(|finding| finding.code.as_str().to_owned());
    assert_eq!(media.chain(codes).collect::<Vec<_>>(), expected);
}

#[test]
fn json_is_preferred_among_the_media_types_of_a_body() {
    let content = json!({"text/xml": {}, "application/vnd.x+json": {}, "application/json; charset=utf-8": {}});
    check(
        json!({"required": true, "content": content}),
        &[
            "application/json; charset=utf-8 Json true",
            "application/vnd.x+json Json true",
            "text/xml Xml true",
        ],
    );
    check(json!({"$ref": "#/components/requestBodies/pet"}), &["application/json Json true"]);
}

#[test]
fn the_plain_json_media_type_is_preferred_to_its_variants() {
    for [described, first] in rows(
        "
        application/json-patch+json | application/json => application/json
        application/json-patch+json | application/json | text/json => application/json
        application/json; v=2 | application/json => application/json
        application/json-seq | application/json => application/json
        application/json-patch+json | Application/JSON => Application/JSON
        application/vnd.a+json | text/json => application/vnd.a+json
        application/merge-patch+json | application/vnd.a+json => application/vnd.a+json
        application/json-patch+json | application/merge-patch+json => application/merge-patch+json
        application/json-patch+json | application/strategic-merge-patch+json => application/strategic-merge-patch+json
        application/json-patch+json | */* => application/json-patch+json
        application/atom+xml | text/xml => text/xml
        ",
    ) {
        let described = &list(described);
        let content = described.iter().map(|name| {
            ((*name).to_owned(), json!({"schema": {"type": "object", "xml": {"name": "x"}}}))
        });
        let body = json!({"content": Value::Object(content.collect())});
        let document = document(json!({"operation": {"requestBody": body}}));
        let operation = document.root().get("operation").unwrap();
        let operation = LocatedNode { node: operation, pointer: "/operation".into() };
        let mut findings = Findings::default();
        let cursor = Cursor::new(&document, &mut findings);
        let mut body = read_body(cursor.at_node(&operation)).unwrap();
        sort_by_preference(&mut body, cursor, &LoadOptions::default());
        assert_eq!(&*body.media[0].media_type, first, "{described:?}");
    }
}

#[test]
fn an_object_is_json_only_under_media_types_of_json() {
    let object = json!({"schema": {"type": "object", "properties": {"a": {}}}});
    let list = json!({"schema": {"type": "array", "items": {}}});
    let texts = "application/cbor application/x-protobuf application/x-msgpack application/jwt
        message/rfc822 application/form-data text/csv application/graphql";
    for media_type in texts.split_whitespace() {
        let alone = [&*format!("{media_type} Text true"), "body-media-not-written"];
        for schema in [&object, &list] {
            check(json!({"required": true, "content": {media_type: schema}}), &alone);
            let content = json!({media_type: schema, "application/json": schema});
            let beside =
                ["application/json Json false", &*format!("{media_type} Text false"), alone[1]];
            check(json!({"content": content}), &beside);
        }
        let text = json!({"schema": {"type": "string"}});
        check(json!({"content": {media_type: text}}), &[&*format!("{media_type} Text false")]);
    }
}

#[test]
fn the_operator_may_prefer_another_media_type() {
    let options = LoadOptions {
        body_media: vec!["APPLICATION/merge-patch+json".to_owned()],
        ..LoadOptions::default()
    };
    check_with(
        &options,
        json!({"content": {"application/json": {}, "application/merge-patch+json": {}}}),
        &["application/merge-patch+json Json false", "application/json Json false"],
    );
}

#[test]
fn a_body_is_written_by_its_media_type() {
    for (media_type, kind) in [
        ("application/x-www-form-urlencoded", "Form"),
        ("multipart/form-data", "Multipart"),
        ("text/plain", "Text"),
        ("image/png", "Binary"),
        ("application/x-ndjson", "JsonLines"),
    ] {
        check(json!({"content": {media_type: {}}}), &[&format!("{media_type} {kind} false")]);
    }
}

#[test]
fn the_schema_of_a_body_decides_between_bytes_and_text() {
    for (media_type, schema, kind) in [
        ("application/pdf", json!({"type": "string", "format": "binary"}), "Binary"),
        ("application/pdf", json!({}), "Binary"),
        ("application/sql", json!({"type": "string"}), "Text"),
        ("application/octet-stream", json!({"type": "string", "format": "byte"}), "Text"),
        ("text/csv", json!({"anyOf": [{"format": "binary"}, {"type": "null"}]}), "Binary"),
        ("application/x-www-form-urlencoded", json!({"format": "binary"}), "Form"),
    ] {
        check(
            json!({"content": {media_type: {"schema": schema}}}),
            &[&format!("{media_type} {kind} false")],
        );
    }
}

#[test]
fn raw_bytes_are_preferred_to_base64() {
    let file = |kind: Value| json!({"schema": {"properties": {"f": {"items": kind}}}});
    let parts = file(json!({"type": "string", "format": "binary"}));
    let json_first = ["application/json Json false", "multipart/form-data Multipart false"];
    let parts_first = ["multipart/form-data Multipart false", "application/json Json false"];
    for (schema, expected) in [
        (json!({"type": "string", "format": "byte"}), parts_first),
        (json!({"type": "string", "contentEncoding": "base64"}), parts_first),
        (json!({"type": "string"}), json_first),
    ] {
        let content = json!({"application/json": file(schema), "multipart/form-data": parts});
        check(json!({"content": content}), &expected);
    }
    let content = json!({"application/octet-stream": {}, "application/json": file(json!({"format": "byte"}))});
    check(
        json!({"content": content}),
        &["application/octet-stream Binary false", "application/json Json false"],
    );
}

#[test]
fn an_object_under_a_media_type_of_bytes_is_bytes() {
    let object = json!({"schema": {"type": "object"}});
    for (media_type, expected) in [
        ("image/png", &["image/png Binary false", "dropped-keyword"][..]),
        ("application/octet-stream", &["application/octet-stream Binary false", "dropped-keyword"]),
        ("image/svg+xml", &["image/svg+xml Xml false", "body-media-not-written"]),
        ("application/x-own", &["application/x-own Text false", "body-media-not-written"]),
        ("text/plain", &["text/plain Text false"]),
        ("application/apply-patch+yaml", &["application/apply-patch+yaml Text false"]),
        ("application/x-json", &["application/x-json Json false"]),
    ] {
        check(json!({"content": {media_type: object}}), expected);
    }
}

#[test]
fn any_text_under_a_media_type_of_bytes_is_bytes() {
    let text = json!({"type": "string", "description": "A picture.", "maxLength": 9});
    for (media_type, schema, expected) in [
        ("image/png", &text, &["image/png Binary false", "dropped-keyword"][..]),
        ("application/pdf", &text, &["application/pdf Binary false", "dropped-keyword"]),
        ("application/octet-stream", &text, &["application/octet-stream Text false"]),
        ("image/svg+xml", &text, &["image/svg+xml Xml false"]),
        ("image/jpeg", &json!({"type": "string", "format": "byte"}), &["image/jpeg Text false"]),
        (
            "image/jpeg",
            &json!({"type": "string", "contentEncoding": "base64"}),
            &["image/jpeg Text false"],
        ),
    ] {
        check(json!({"content": {media_type: {"schema": schema}}}), expected);
    }
}

#[test]
fn a_body_in_a_media_type_that_cannot_be_written_is_reported() {
    check(
        json!({"content": {"application/xml": {"schema": {"type": "object"}}}}),
        &["application/xml Xml false", "body-media-not-written"],
    );
    let titled = json!({"type": "object", "title": "Pet"});
    check(
        json!({"content": {"application/xml": {"schema": titled}}}),
        &["application/xml Xml false", "xml-root-name"],
    );
    let named = json!({"type": "object", "xml": {"name": "x"}});
    for schema in [named, json!({"type": "string"})] {
        let content = json!({"application/xml": {"schema": schema}});
        check(json!({"content": content}), &["application/xml Xml false"]);
    }
}

#[test]
fn malformed_bodies_are_reported() {
    check_rows(
        r##"
        {"content": {}} => malformed-node
        {"content": {"json": {}}} => malformed-node | malformed-node
        {"$ref": "#/nothing"} => missing-reference
        {"content": {"*/*": {}}} => application/json Json false | media-range
        {"content": {"*/*": {"schema": {"format": "binary"}}}} => */* Binary false | media-range
        {"content": {"application/*+json": {}}} => application/json Json false | media-range
        {"content": {"application/vnd.*+json": {}}} => application/json Json false | media-range
        {"content": {"application/*+xml": {"schema": {"type": "string"}}}} => application/xml Xml false | media-range
        {"content": {"*/*": {}, "application/json; charset=utf-8": {}}} => application/json; charset=utf-8 Json false | media-range
        {"content": {"application/*": {}, "text/plain": {}}} => text/plain Text false | application/json Json false | media-range
        null =>
        "##,
        |[body, expected]| check(body.parse().unwrap(), &list(expected)),
    );
}
