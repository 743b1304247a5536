//! Handles of earlier results in arguments: what is sent in their place, where they are plain data, what is refused.

use crate::prelude::*;

use crate::support::call_with;

const LARGE: usize = 9 * 1024 * 1024;

fn kept(handle: &Handle) -> Option<StoredResult> {
    match handle.as_str() {
        "result:01" => Some(StoredResult::new("image/png", "PNG".into())),
        "result:02" => Some(StoredResult::new("application/octet-stream", "???".into())),
        "result:03" => Some(StoredResult::new("", Bytes::from(vec![b'x'; LARGE]))),
        _ => None,
    }
}

/// An operation whose body is the argument `body` or, of a multipart body, `f` or a list of them, `l`.
fn plan(media_type: &str) -> Plan {
    let file = json!({"type": "string", "format": "binary"});
    let schema = match media_type {
        "multipart/form-data" | "application/json" => json!({"type": "object", "required": ["f"],
            "properties": {"f": file, "l": {"type": "array", "items": file},
                "o": {"properties": {"deep": file}}}}),
        _ => file,
    };
    let content = json!({media_type: {"schema": schema}});
    operation("post", "/x", json!({"requestBody": {"required": true, "content": content}}))
}

#[track_caller]
fn check(media_type: &str, arguments: Value, expected: &str) {
    let shown = call_with(&plan(media_type), arguments, &kept).shown().replace("\r\n", "\n");
    let shown = shown.strip_prefix("POST /v1/x\ncontent-type: ").unwrap();
    let boundary = shown.split("boundary=").nth(1).and_then(|rest| rest.lines().next());
    assert_eq!(shown.replace(boundary.unwrap_or("BOUNDARY"), "BOUNDARY"), expected);
}

#[track_caller]
fn refused(media_type: &str, arguments: Value, expected: &str) {
    assert_eq!(call_with(&plan(media_type), arguments, &kept).problems(), expected);
}

#[test]
fn a_handle_is_replaced_by_the_bytes_of_a_body() {
    let png = json!({"body": {"handle": "result:01"}});
    check("application/octet-stream", png.clone(), "application/octet-stream\n\nPNG");
    check("image/*", png.clone(), "image/png\n\nPNG");
    check("image/png", png, "image/png\n\nPNG");
    let unnamed = json!({"body": {"handle": "result:02"}});
    check("image/gif", unnamed, "image/gif\n\n???");
    let named = json!({"body": {"handle": "result:02", "content_type": "image/webp"}});
    check("image/*", named, "image/webp\n\n???");
}

#[test]
fn an_explicit_null_beside_the_bytes_is_left_out() {
    let file = json!({"data": "UE5H", "text": null, "handle": null, "content_type": null});
    check("application/octet-stream", json!({"body": file}), "application/octet-stream\n\nPNG");
    let named = json!({"f": {"handle": "result:01", "data": null, "filename": null}});
    let planned = call_with(&plan("multipart/form-data"), named, &kept);
    assert!(planned.shown().contains("filename=\"f\"\r\nContent-Type: image/png\r\n\r\nPNG"));
    let none = json!({"f": {"data": null, "text": null}});
    assert!(call_with(&plan("multipart/form-data"), none, &kept).result.is_err());
}

#[test]
fn a_file_inside_an_object_part_stays_text_of_its_json() {
    let deep = |deep: Value| json!({"f": "UE5H", "o": {"deep": deep}});
    let planned = call_with(&plan("multipart/form-data"), deep("a b".into()), &kept);
    assert!(planned.shown().contains("application/json\r\n\r\n{\"deep\":\"a b\"}"));
    let expected = "o.deep: expected string, got object of 1 member";
    refused("multipart/form-data", deep(json!({"data": "UE5H"})), expected);
}

#[test]
fn the_bytes_of_a_body_are_not_copied() {
    let bytes = Bytes::from(vec![7; 1024]);
    let find = |_: &Handle| Some(StoredResult::new("", bytes.clone()));
    let arguments = json!({"body": {"handle": "result:01"}});
    let planned = call_with(&plan("application/octet-stream"), arguments, &find);
    assert_eq!(planned.result.unwrap().body().as_ptr(), bytes.as_ptr());
}

#[test]
fn a_handle_is_replaced_by_a_file_of_a_multipart_body() {
    check(
        "multipart/form-data",
        json!({"f": {"handle": "result:01", "filename": "a.png"},
            "l": [{"handle": "result:02"}, {"handle": "result:01", "content_type": "a/b"}]}),
        "multipart/form-data; boundary=BOUNDARY\n\n\
         --BOUNDARY\nContent-Disposition: form-data; name=\"f\"; filename=\"a.png\"\nContent-Type: image/png\n\nPNG\n\
         --BOUNDARY\nContent-Disposition: form-data; name=\"l\"; filename=\"l\"\nContent-Type: application/octet-stream\n\n???\n\
         --BOUNDARY\nContent-Disposition: form-data; name=\"l\"; filename=\"l\"\nContent-Type: a/b\n\nPNG\n\
         --BOUNDARY--\n",
    );
}

#[test]
fn an_unknown_handle_is_reported_before_anything_is_sent() {
    let gone = "expected the handle of a result that is still kept, got one that is unknown or has expired \
                (fetch the result again and use its new handle)";
    for handle in ["result:04", "result:", "01", ""] {
        let arguments = json!({"body": {"handle": handle}});
        refused("application/octet-stream", arguments, &format!("body.handle: {gone}"));
    }
    refused(
        "multipart/form-data",
        json!({"f": "", "l": ["", {"handle": "result:04"}]}),
        &format!("l[1].handle: {gone}"),
    );
    let planned = call(&plan("image/png"), json!({"body": {"handle": "result:01"}}));
    let fault = planned.fault();
    assert_eq!(
        (fault.code, fault.next, fault.reached),
        (FaultCode::InvalidArguments, Next::CorrectArguments, Reached::No)
    );
    assert_eq!(planned.problems(), format!("body.handle: {gone}"));
}

#[test]
fn arguments_that_are_not_the_bytes_of_a_file_are_refused() {
    refused(
        "image/png",
        json!({"body": "result:01"}),
        "body: expected bytes as base64 or as a `data:` URL, got a bare handle \
         (give a handle in an object: {\"handle\": \"…\"})",
    );
    refused(
        "image/png",
        json!({"body": {"handle": "result:01", "text": "x"}}),
        "body: expected bytes as base64 or as a `data:` URL, got object of 2 members \
         (give text as it is in an object: {\"text\": \"…\"})",
    );
    refused(
        "image/gif",
        json!({"body": {"handle": "result:01"}}),
        "body: expected content of type `image/gif`, got image/png \
         (name the type as `content_type` of an object, or in a `data:` URL)",
    );
}

#[test]
fn handles_that_exceed_the_body_limit_are_refused() {
    let large = json!({"handle": "result:03"});
    refused(
        "multipart/form-data",
        json!({"f": large, "l": [large, large]}),
        "l: expected a body of at most 16777216 bytes, got more (shorten the value)",
    );
    let find = |_: &Handle| Some(StoredResult::new("", Bytes::from(vec![0; 2 * LARGE])));
    let planned =
        call_with(&plan("application/octet-stream"), json!({"body": large}), &find).problems();
    assert_eq!(
        planned,
        "body: expected a body of at most 16777216 bytes, got more (shorten the value)"
    );
}

#[test]
fn a_handle_in_an_argument_without_bytes_is_plain_data() {
    check(
        "application/json",
        json!({"f": "result:01", "o": {"handle": "result:01"}}),
        "application/json\n\n{\"f\":\"result:01\",\"o\":{\"handle\":\"result:01\"}}",
    );
    check(
        "multipart/form-data",
        json!({"f": "", "o": {"handle": "result:01"}}),
        "multipart/form-data; boundary=BOUNDARY\n\n\
         --BOUNDARY\nContent-Disposition: form-data; name=\"f\"; filename=\"f\"\nContent-Type: application/octet-stream\n\n\n\
         --BOUNDARY\nContent-Disposition: form-data; name=\"o\"\nContent-Type: application/json\n\n{\"handle\":\"result:01\"}\n\
         --BOUNDARY--\n",
    );
}
