//! Tests the encodings of properties, which of them are files, and the findings.

use callgate_tool::{Value, json};

use super::*;
use crate::{document::Document, findings::Findings, sample::node};

/// Checks the encodings, one line for each property, then the codes of the findings.
#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "a row is a literal")]
fn check(version: &str, kind: BodyKind, media: Value, expected: &[&str]) {
    let document = json!({"openapi": version, "media": media,
        "components": {"schemas": {"File": {"type": "string", "format": "binary"}}}});
    let document = Document::new(node(&document)).unwrap();
    let media = document.root().get("media").unwrap();
    let media = LocatedNode { node: media, pointer: "/media".into() };
    let mut findings = Findings::default();
    let cursor = Cursor::new(&document, &mut findings).at_node(&media);
    let (encodings, open_files) = read_encodings(cursor, kind);
    let lines = encodings.iter().map(|property| {
        let mut line = property.name.to_string();
        property.content_types.iter().for_each(|name| line.push_str(&format!(" {name}")));
        if let Some(Styled { style, explode, allow_reserved, .. }) = &property.styled {
            line.push_str(&format!(" {style:?} {explode} {allow_reserved}"));
        }
        property.headers.iter().for_each(|header| {
            line.push_str(&format!(" {}={}", header.name, header.value));
        });
        line + if property.is_binary { " file" } else { "" }
    });
    let lines = lines.chain(open_files.iter().map(|files| {
        let patterns =
            files.patterns.iter().map(|named| format!("{} {}, ", named.pattern, named.is_binary));
        patterns.collect::<String>() + &format!("else {}", files.is_rest_binary)
    }));
    let codes = findings.into_diagnostics();
    let codes = codes.iter().map(|finding| finding.code.as_str().to_owned());
    assert_eq!(lines.chain(codes).collect::<Vec<_>>(), expected);
}

#[test]
fn the_style_of_a_part_is_used_if_any_style_keyword_is_written() {
    let encoding = json!({"encoding": {
        "expand": {"style": "deepObject", "explode": true}, "tags": {"explode": false},
        "raw": {"allowReserved": true}, "json": {"contentType": "application/json"}}});
    check(
        "3.0.3",
        BodyKind::Form,
        encoding.clone(),
        &[
            "expand DeepObject true false",
            "tags Form false false",
            "raw Form true true",
            "json application/json",
        ],
    );
    check(
        "3.0.3",
        BodyKind::Multipart,
        encoding.clone(),
        &["expand", "tags", "raw", "json application/json"],
    );
    check(
        "3.1.0",
        BodyKind::Multipart,
        json!({"encoding": {"tags": {"explode": false}}}),
        &["tags Form false false"],
    );
    check("3.0.3", BodyKind::Json, encoding, &[]);
    check(
        "3.0.3",
        BodyKind::Form,
        json!({"encoding": {"a": {"style": "matrix"}}}),
        &["a Form true false", "invalid-style"],
    );
}

#[test]
fn an_object_in_a_member_that_is_not_json_is_reported() {
    let items = json!({"properties": {"a": {}}});
    let schema = json!({"properties": {"o": {"type": "object"}, "t": {"type": "string"},
        "list": {"type": "array", "items": items}}});
    let media = |content_type: &str| {
        let own = json!({"contentType": content_type});
        json!({"schema": schema, "encoding": {"o": own, "t": own, "list": own}})
    };
    for kind in [BodyKind::Form, BodyKind::Multipart] {
        for content_type in ["application/xml; charset=utf-8", "text/plain"] {
            let lines = ["o", "t", "list"].map(|name| format!("{name} {content_type}"));
            let codes = ["encoding-not-written", "encoding-not-written"];
            let expected: Vec<&str> = lines.iter().map(String::as_str).chain(codes).collect();
            check("3.0.3", kind, media(content_type), &expected);
        }
        for content_type in ["application/json", "application/vnd.a+json", "application/*"] {
            let lines = ["o", "t", "list"].map(|name| format!("{name} {content_type}"));
            let expected: Vec<&str> = lines.iter().map(String::as_str).collect();
            check("3.0.3", kind, media(content_type), &expected);
        }
    }
}

#[test]
fn file_parts_are_found_wherever_they_are_declared() {
    let schema = json!({"allOf": [{"properties": {"photo": {"$ref": "#/components/schemas/File"},
        "pages": {"type": "array", "items": {"format": "binary"}}, "name": {"type": "string"}}}],
        "properties": {"raw": {"contentMediaType": "image/png"}}});
    check(
        "3.1.0",
        BodyKind::Multipart,
        json!({"schema": schema, "encoding": {"photo": {"contentType": "image/png, image/jpeg"}}}),
        &["photo image/png image/jpeg file", "raw file", "pages file"],
    );
}

#[test]
fn files_of_any_name_are_found_by_their_keyword() {
    let file = json!({"type": "string", "format": "binary"});
    let text = json!({"type": "string"});
    let files = json!({"type": "array", "items": {"$ref": "#/components/schemas/File"}});
    for (schema, expected) in [
        (json!({"additionalProperties": file}), &["else true"][..]),
        (json!({"allOf": [{"additionalProperties": files}]}), &["else true"]),
        (json!({"properties": {"a": text}, "unevaluatedProperties": file}), &["a", "else true"]),
        (
            json!({"properties": {"a": text}, "patternProperties": {"^f": file, "^t": text}}),
            &["a", "^f true, ^t false, else false"],
        ),
        (json!({"if": {}, "then": {"properties": {"f": file}}}), &["f file"]),
        (json!({"else": {"allOf": [{"properties": {"f": files}}]}}), &["f file"]),
        (json!({"dependentSchemas": {"a": {"properties": {"f": file}}}}), &["f file"]),
        (json!({"additionalProperties": text, "patternProperties": {"a": text}}), &[]),
        (json!({"additionalProperties": {}}), &[]),
    ] {
        check("3.1.0", BodyKind::Multipart, json!({"schema": schema}), expected);
    }
}

#[test]
fn a_part_is_bytes_by_its_media_type_unless_another_schema_gives_it_a_type() {
    let schema = json!({"properties": {"a": {}, "b": {"type": "string"}, "c": {}, "d": {}},
        "allOf": [{"properties": {"d": {"type": "integer"}}}]});
    let encoding = json!({"b": {"contentType": "image/png"}, "c": {"contentType": "text/csv"}});
    let media = json!({"schema": schema, "encoding": encoding});
    let expected = ["b image/png file", "c text/csv", "a file"];
    check("3.1.0", BodyKind::Multipart, media.clone(), &expected);
    check("3.0.3", BodyKind::Multipart, media, &["b image/png file", "c text/csv"]);
    let styled = json!({"a": {"style": "form", "contentType": "image/png"}});
    let media = json!({"schema": {"properties": {"a": {}}}, "encoding": styled});
    check("3.1.0", BodyKind::Multipart, media, &["a image/png Form true false"]);
}

#[test]
fn files_have_no_style() {
    let file = json!({"type": "string", "format": "binary"});
    let schema = json!({"properties": {"f": {"type": "array", "items": file}}});
    for (encoding, codes) in [
        (json!({"explode": true}), &["f file"][..]),
        (json!({"style": "form", "allowReserved": false}), &["f file"]),
        (json!({"style": "deepObject"}), &["f file", "undefined-form"]),
        (json!({"explode": false}), &["f file", "undefined-form"]),
        (json!({"allowReserved": true}), &["f file", "undefined-form"]),
    ] {
        let media = json!({"schema": schema, "encoding": {"f": encoding}});
        check("3.1.0", BodyKind::Multipart, media.clone(), codes);
        check("3.2.0", BodyKind::Multipart, media, codes);
    }
}

#[test]
fn headers_of_parts_are_sent_only_with_a_fixed_value() {
    let headers = json!({"X-Rate": {"schema": {"type": "integer", "default": 3}},
        "X-Kind": {"schema": {"enum": ["a"]}}, "X-Any": {"schema": {"type": "string"}},
        "Content-Type": {"schema": {"default": "text/plain"}}, "X-Split": {"schema": {"default": "a\r\nb"}}});
    check(
        "3.0.3",
        BodyKind::Multipart,
        json!({"encoding": {"a": {"headers": headers}}}),
        &["a X-Rate=3 X-Kind=a", "part-header", "part-header"],
    );
}

#[test]
fn malformed_encodings_are_reported() {
    check("3.0.3", BodyKind::Multipart, json!({"encoding": {"a": 7}}), &["malformed-node"]);
    check("3.0.3", BodyKind::Multipart, json!({"encoding": []}), &[]);
}
