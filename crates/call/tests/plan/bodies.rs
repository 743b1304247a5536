//! Bodies that are no JSON: what they look like, and which values are refused.

use crate::prelude::*;

fn plan(media_type: &str, media: Value) -> Plan {
    let content = json!({media_type: media});
    operation("post", "/x", json!({"requestBody": {"required": true, "content": content}}))
}

/// The body with its `Content-Type`, line breaks and the boundary made visible.
#[track_caller]
fn check(media_type: &str, media: Value, arguments: Value, expected: &str) {
    let shown = call(&plan(media_type, flat(media, &arguments)), arguments).shown();
    let shown = shown.strip_prefix("POST /v1/x\ncontent-type: ").unwrap();
    let boundary = shown.split("boundary=").nth(1).and_then(|rest| rest.lines().next());
    let shown =
        boundary.map_or_else(|| shown.to_owned(), |boundary| shown.replace(boundary, "BOUNDARY"));
    assert_eq!(shown.replace("\r\n", "\n"), expected);
}

#[track_caller]
fn refused(media_type: &str, media: Value, arguments: Value, expected: &str) {
    assert_eq!(call(&plan(media_type, flat(media, &arguments)), arguments).problems(), expected);
}

/// The media type with its first given property required, so that its properties are arguments.
fn flat(mut media: Value, arguments: &Value) -> Value {
    let first = arguments.as_object().and_then(|arguments| arguments.keys().next());
    if let (Some(first), Some(schema)) = (first, media["schema"].as_object_mut()) {
        let is_declared = schema.get("properties").is_some_and(|all| all.get(first).is_some());
        if is_declared && !schema.contains_key("required") {
            schema.insert("required".to_owned(), json!([first]));
        }
    }
    media
}

const FORM: &str = "application/x-www-form-urlencoded";
const PARTS: &str = "multipart/form-data";

fn schema(properties: Value) -> Value {
    json!({"schema": {"type": "object", "properties": properties}})
}

fn encoded(properties: Value, encoding: Value) -> Value {
    let mut media = schema(properties);
    media["encoding"] = encoding;
    media
}

#[test]
fn texts_lists_and_objects_are_written_to_a_form() {
    let media = schema(json!({
        "s": {"type": "string"}, "n": {"type": "number"}, "b": {"type": "boolean"},
        "list": {"type": "array", "items": {"type": "string"}}, "o": {"type": "object"},
        "none": {"type": "string", "nullable": true}}));
    check(
        FORM,
        media.clone(),
        json!({"s": "a b&c=ž+", "n": 1.50, "b": true, "list": ["x,y", "z"], "o": {"k": [1]}, "none": null}),
        &format!(
            "{FORM}\n\ns=a%20b%26c%3D%C5%BE%2B&n=1.5&b=true&list=x%2Cy&list=z&o=%7B%22k%22%3A%5B1%5D%7D"
        ),
    );
    check(FORM, media.clone(), json!({"s": ""}), &format!("{FORM}\n\ns="));
    let nothing = "list: expected at least one item, got array of 0 items";
    refused(FORM, media, json!({"list": []}), nothing);
    check(
        "application/x-www-form-urlencoded; charset=utf-8",
        json!({"schema": {"type": "object", "additionalProperties": {"type": "string"}}}),
        json!({"body": {"a[]": "1", "é": "2"}}),
        &format!("{FORM}\n\na%5B%5D=1&%C3%A9=2"),
    );
}

#[test]
fn a_form_is_written_by_its_encoding_object() {
    let media = encoded(
        json!({"o": {"type": "object"}, "list": {"type": "array", "items": {}}, "j": {"type": "array", "items": {}}, "u": {"type": "string"}}),
        json!({"o": {"style": "deepObject", "explode": true}, "list": {"explode": false},
            "j": {"contentType": "application/json"}, "u": {"allowReserved": true}}),
    );
    check(
        FORM,
        media,
        json!({"o": {"a": 1, "b": {"c": "d"}}, "list": ["x", "y,z"], "j": [1, "2"], "u": "a/b&c"}),
        &format!(
            "{FORM}\n\no%5Ba%5D=1&o%5Bb%5D%5Bc%5D=d&list=x,y%2Cz&j=%5B1%2C%222%22%5D&u=a/b%26c"
        ),
    );
}

#[test]
fn a_text_in_a_field_of_json_is_json() {
    let json_type = json!({"contentType": "application/json"});
    let text = json!({"type": "string"});
    let media =
        encoded(json!({"s": text, "ready": text}), json!({"s": json_type, "ready": json_type}));
    check(
        FORM,
        media,
        json!({"s": "a b", "ready": "{\"k\": 1}"}),
        &format!("{FORM}\n\ns=%22a%20b%22&ready=%7B%22k%22%3A%201%7D"),
    );
}

#[test]
fn a_value_without_a_form_encoding_is_refused() {
    let list = json!({"schema": {"type": "array", "items": {"type": "string", "nullable": true}}});
    refused(
        FORM,
        list,
        json!({"body": ["x"]}),
        "body: expected an object, as `application/x-www-form-urlencoded` is written, got array",
    );
    let media =
        schema(json!({"l": {"type": "array", "items": {"type": "string", "nullable": true}}}));
    refused(FORM, media, json!({"l": [null]}), "l: expected a value that is not null, got null");
}

#[test]
fn an_object_in_a_field_of_another_media_type_than_json_is_refused() {
    let properties = json!({"o": {}, "list": {"type": "array", "items": {}}});
    let xml = json!({"contentType": "application/xml"});
    let media = encoded(properties.clone(), json!({"o": xml, "list": xml}));
    check(
        FORM,
        media.clone(),
        json!({"o": "<a/>", "list": ["<b/>", 1]}),
        &format!("{FORM}\n\no=%3Ca%2F%3E&list=%3Cb%2F%3E&list=1"),
    );
    let structure =
        "expected a text in the parameter's media type, which is not JSON, got a list or an object";
    refused(FORM, media.clone(), json!({"o": {"a": 1}}), &format!("o: {structure}"));
    refused(FORM, media, json!({"list": ["<b/>", {"a": 1}]}), &format!("list: {structure}"));
    let any = json!({"contentType": "application/*"});
    let media = encoded(properties, json!({"o": any}));
    check(FORM, media, json!({"o": {"a": 1}}), &format!("{FORM}\n\no=%7B%22a%22%3A1%7D"));
}

#[test]
fn multipart_parts_have_names_and_media_types() {
    let media = schema(json!({
        "s": {"type": "string"}, "n": {"type": "integer"}, "o": {"type": "object"},
        "list": {"type": "array", "items": {"type": "string"}},
        "file": {"type": "string", "format": "binary"}}));
    check(
        PARTS,
        media,
        json!({"s": "žluť", "n": 7, "o": {"a": [1]}, "list": ["x", "y"], "file": "aGk="}),
        "multipart/form-data; boundary=BOUNDARY\n\n\
         --BOUNDARY\nContent-Disposition: form-data; name=\"s\"\nContent-Type: text/plain; charset=utf-8\n\nžluť\n\
         --BOUNDARY\nContent-Disposition: form-data; name=\"n\"\n\n7\n\
         --BOUNDARY\nContent-Disposition: form-data; name=\"o\"\nContent-Type: application/json\n\n{\"a\":[1]}\n\
         --BOUNDARY\nContent-Disposition: form-data; name=\"list\"\n\nx\n\
         --BOUNDARY\nContent-Disposition: form-data; name=\"list\"\n\ny\n\
         --BOUNDARY\nContent-Disposition: form-data; name=\"file\"; filename=\"file\"\nContent-Type: application/octet-stream\n\nhi\n\
         --BOUNDARY--\n",
    );
}

#[test]
fn a_text_in_a_part_of_json_is_json() {
    let json_type = json!({"contentType": "application/json"});
    let media = encoded(
        json!({"s": {"type": "string"}, "list": {"type": "array", "items": {"type": "string"}},
            "n": {"type": "integer"}, "ready": {"type": "string"}}),
        json!({"s": json_type, "list": {"contentType": "application/vnd.a+json; b=c"},
            "n": json_type, "ready": json_type}),
    );
    check(
        PARTS,
        media,
        json!({"s": "a \"b\"", "list": ["true", "5"], "n": 7, "ready": "{\"k\": 1}"}),
        "multipart/form-data; boundary=BOUNDARY\n\n\
         --BOUNDARY\nContent-Disposition: form-data; name=\"s\"\nContent-Type: application/json\n\n\"a \\\"b\\\"\"\n\
         --BOUNDARY\nContent-Disposition: form-data; name=\"list\"\nContent-Type: application/vnd.a+json; b=c\n\n\"true\"\n\
         --BOUNDARY\nContent-Disposition: form-data; name=\"list\"\nContent-Type: application/vnd.a+json; b=c\n\n\"5\"\n\
         --BOUNDARY\nContent-Disposition: form-data; name=\"n\"\nContent-Type: application/json\n\n7\n\
         --BOUNDARY\nContent-Disposition: form-data; name=\"ready\"\nContent-Type: application/json\n\n{\"k\": 1}\n\
         --BOUNDARY--\n",
    );
}

#[test]
fn a_file_part_has_the_given_name_and_media_type() {
    let media = encoded(
        json!({"files": {"type": "array", "items": {"type": "string", "format": "binary"}}}),
        json!({"files": {"contentType": "image/*, text/csv", "headers": {
            "X-Kind": {"schema": {"type": "string", "enum": ["a"]}},
            "Content-Disposition": {"schema": {"type": "string", "enum": ["inline"]}}}}}),
    );
    check(
        PARTS,
        media.clone(),
        json!({"files": [
            {"data": "data:image/png;base64,aGk", "filename": "a \"b\".png"},
            "data:image/gif;name=x%0D%0Ay;base64,aGk", "aGk=",
            {"text": "ž", "content_type": "text/csv; charset=utf-8"}]}),
        "multipart/form-data; boundary=BOUNDARY\n\n\
         --BOUNDARY\nContent-Disposition: form-data; name=\"files\"; filename=\"a %22b%22.png\"\nContent-Type: image/png\nX-Kind: a\n\nhi\n\
         --BOUNDARY\nContent-Disposition: form-data; name=\"files\"; filename=\"x%0D%0Ay\"\nContent-Type: image/gif\nX-Kind: a\n\nhi\n\
         --BOUNDARY\nContent-Disposition: form-data; name=\"files\"; filename=\"files\"\nContent-Type: text/csv\nX-Kind: a\n\nhi\n\
         --BOUNDARY\nContent-Disposition: form-data; name=\"files\"; filename=\"files\"\nContent-Type: text/csv; charset=utf-8\nX-Kind: a\n\nž\n\
         --BOUNDARY--\n",
    );
    refused(
        PARTS,
        media,
        json!({"files": ["data:video/mp4,x"]}),
        "files[0]: expected content of type `image/*, text/csv`, got video/mp4 (name the type as `content_type` of an object, or in a `data:` URL)",
    );
}

#[test]
fn a_name_of_a_part_that_a_reader_would_change_is_refused() {
    let escapes = "expected names without `%22`, `%0D` and `%0A`, which readers take for a quote and line breaks, got a name that holds one";
    let open = schema(json!({"f": {"type": "string", "format": "binary"}}));
    for name in ["a%22b", "%0D", "x%0Ay"] {
        let file = json!({"f": {"data": "data:text/plain,x", "filename": name}});
        refused(PARTS, open.clone(), file, &format!("f: {escapes}"));
        let any = json!({"schema": {"type": "object", "additionalProperties": {"type": "string"}}});
        refused(PARTS, any, json!({"body": {(name): "x"}}), &format!("body.{name}: {escapes}"));
    }
}

#[test]
fn a_value_that_is_not_a_file_is_refused() {
    let file = schema(json!({"f": {"type": "string", "format": "binary"}}));
    let hint = "(give text as it is in an object: {\"text\": \"…\"})";
    refused(
        PARTS,
        file.clone(),
        json!({"f": "hello world"}),
        &format!(
            "f: expected bytes as base64 or as a `data:` URL, got text that is neither {hint}"
        ),
    );
    refused(
        PARTS,
        file.clone(),
        json!({"f": {"data": "aGk=", "filename": "a\u{0}b"}}),
        "f: expected text without control characters, got a control character",
    );
    refused(
        PARTS,
        file,
        json!({"f": {"data": "aGk=", "content_type": "image/png\r\nX-Evil: 1"}}),
        &format!("f: expected bytes as base64 or as a `data:` URL, got object of 2 members {hint}"),
    );
}

#[test]
fn bytes_and_texts_are_sent_as_they_are() {
    let bytes = json!({"schema": {"type": "string", "format": "binary"}});
    let text = json!({"schema": {"type": "string"}});
    check(
        "application/octet-stream",
        bytes.clone(),
        json!({"body": "aGk="}),
        "application/octet-stream\n\nhi",
    );
    check(
        "application/octet-stream",
        json!({}),
        json!({"body": {"text": "ž"}}),
        "application/octet-stream\n\nž",
    );
    check("image/*", bytes.clone(), json!({"body": "data:image/png,x"}), "image/png\n\nx");
    check(
        "text/csv",
        text.clone(),
        json!({"body": "a,ž\r\n\"b\""}),
        "text/csv; charset=utf-8\n\na,ž\n\"b\"",
    );
    check("text/*", text.clone(), json!({"body": "hi"}), "text/plain; charset=utf-8\n\nhi");
    check(
        "application/sql",
        text.clone(),
        json!({"body": "SELECT 1"}),
        "application/sql\n\nSELECT 1",
    );
    check(
        "text/plain; charset=iso-8859-1",
        text.clone(),
        json!({"body": "a"}),
        "text/plain; charset=iso-8859-1\n\na",
    );
    refused(
        "text/plain; charset=iso-8859-1",
        text,
        json!({"body": "ž"}),
        "body: expected text that `iso-8859-1` can be written in, got other characters",
    );
    refused(
        "image/png",
        bytes,
        json!({"body": "data:image/gif,x"}),
        "body: expected content of type `image/png`, got image/gif (name the type as `content_type` of an object, or in a `data:` URL)",
    );
}

#[test]
fn a_json_lines_body_has_one_value_on_each_line() {
    let list = json!({"schema": {"type": "array", "items": {}}});
    let items = json!({"body": [{"a": "x\ny"}, 1, null]});
    check(
        "application/x-ndjson",
        list.clone(),
        items.clone(),
        "application/x-ndjson\n\n{\"a\":\"x\\ny\"}\n1\nnull\n",
    );
    check(
        "application/json-seq",
        list,
        items,
        "application/json-seq\n\n\u{1e}{\"a\":\"x\\ny\"}\n\u{1e}1\n\u{1e}null\n",
    );
    let one = json!({"schema": {"type": "object"}});
    check("application/jsonl", one, json!({"body": {"a": 1}}), "application/jsonl\n\n{\"a\":1}\n");
    let ready = json!({"schema": {"type": "string"}});
    check("application/jsonl", ready, json!({"body": "{}\n[]\n"}), "application/jsonl\n\n{}\n[]\n");
}

#[test]
fn a_body_over_the_bound_is_refused() {
    let long = "x".repeat(16 * 1024 * 1024 + 1);
    refused(
        "text/plain",
        json!({"schema": {"type": "string"}}),
        json!({"body": long}),
        "body: expected a body of at most 16777216 bytes, got more (shorten the value)",
    );
}
