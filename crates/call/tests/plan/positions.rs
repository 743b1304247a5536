//! Multipart bodies whose parts have no names, written by their position in a list (OpenAPI 3.2.0 §4.14.5).

use crate::prelude::*;

/// What is sent, line breaks and the boundary made visible, or why nothing is.
#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "a row is a literal")]
fn check(media_type: &str, media: Value, given: Value, expected: &str) {
    let body = json!({"required": true, "content": {media_type: media}});
    let description = json!({"openapi": "3.2.0", "servers": [{"url": "https://api.example.com/v1"}],
        "paths": {"/": {"post": {"requestBody": body}}}});
    let planned = call(&plan(&description.to_string()), json!({"body": given}));
    if planned.result.is_err() {
        let problems = planned.problems();
        let told = if problems.is_empty() { &planned.fault().message } else { &problems };
        return assert_eq!(told, expected);
    }
    let shown = planned.shown();
    let (_, shown) = shown.split_once("content-type: ").unwrap();
    let boundary = shown.split("boundary=").nth(1).and_then(|rest| rest.lines().next()).unwrap();
    assert_eq!(shown.replace(boundary, "BOUNDARY").replace("\r\n", "\n"), expected);
}

#[test]
fn parts_without_names_are_written_by_their_position() {
    let media = json!({
        "schema": {"type": "array", "prefixItems": [{"type": "object"}, {"type": "array"}],
            "items": {"contentMediaType": "image/png"}},
        "prefixEncoding": [{"headers": {"Content-Disposition": {"schema": {"const": "inline"}}}}],
        "itemEncoding": {"contentType": "image/png, application/json"}});
    check(
        "multipart/mixed",
        media.clone(),
        json!([{"a": 1}, [[1], 2], "aGk=", {"data": "aGk=", "filename": "a\"b"}]),
        "multipart/mixed; boundary=BOUNDARY\n\n\
         --BOUNDARY\nContent-Type: application/json\nContent-Disposition: inline\n\n{\"a\":1}\n\
         --BOUNDARY\nContent-Type: application/json\n\n[[1],2]\n\
         --BOUNDARY\nContent-Type: image/png\n\nhi\n\
         --BOUNDARY\nContent-Disposition: attachment; filename=\"a%22b\"\nContent-Type: image/png\n\nhi\n\
         --BOUNDARY--\n",
    );
    check(
        "multipart/mixed",
        media,
        json!([{}, [], "data:image/gif;base64,aGk="]),
        "body[2]: expected content of type `image/png, application/json`, got image/gif (name the type as `content_type` of an object, or in a `data:` URL)",
    );
    let streamed = json!({"itemSchema": {"type": "object"}, "itemEncoding": {"contentType": "application/json"}});
    check(
        "multipart/mixed",
        streamed,
        json!([{"a": 1}]),
        "multipart/mixed; boundary=BOUNDARY\n\n\
         --BOUNDARY\nContent-Type: application/json\n\n{\"a\":1}\n--BOUNDARY--\n",
    );
}

#[test]
fn a_multipart_encoding_that_cannot_be_written_is_refused() {
    let list = |encoding: Value| json!({"schema": {"type": "array"}, "itemEncoding": encoding});
    let nested = list(json!({"contentType": "multipart/mixed", "itemEncoding": {}}));
    check(
        "multipart/mixed",
        nested,
        json!([[1]]),
        "this tool cannot be called, nothing was sent: bodies of type `multipart/mixed` cannot be written yet",
    );
    check(
        "multipart/form-data",
        list(json!({})),
        json!([1]),
        "body: expected an object, as `multipart/form-data` is written, got array",
    );
}
