//! Results of reading responses: each kind of body, each class of failure.

mod characters;
mod cursors;
mod filenames;
mod metadata;
mod pages;
mod parts;

use callgate_openapi::{Document, Limits, LoadOptions, load};
use callgate_secret::Secret;
use callgate_tool::{FaultCode, Reached, json};

use super::*;

fn operation(method: &str) -> std::sync::Arc<Operation> {
    let description = json!({
        "openapi": "3.0.3", "info": {"title": "t", "version": "1"},
        "servers": [{"url": "https://api.example.com/v1"}],
        "paths": {"/items": {method: {"operationId": "items", "parameters": [
            {"name": "limit", "in": "query", "schema": {"type": "integer"}},
            {"name": "page", "in": "query", "schema": {"type": "integer"}},
            {"name": "cursor", "in": "query", "schema": {"type": "string"}},
            {"name": "status", "in": "query", "schema": {"type": "string"}}],
            "responses": {"200": {"description": "fine", "headers": {
                "X-Total": {"schema": {"type": "integer"}}, "Set-Cookie": {"schema": {"type": "string"}}}},
                "default": {"description": "anything", "headers": {"x-default": {"schema": {}}}},
                "404": {"description": "none", "headers": {"X-Own": {"schema": {}}}}}}}}});
    let text = description.to_string();
    let document = Document::read(text.as_bytes(), &Limits::default()).unwrap().value;
    load(&document, &LoadOptions::default()).operations.remove(0)
}

fn outcome(response: &Response<Bytes>, operation: &Operation, shape: &Shape) -> Outcome {
    read_response(response, operation, (shape, &[])).outcome
}

fn read_response(
    response: &Response<Bytes>,
    operation: &Operation,
    (shape, secrets): (&Shape, &[Secret]),
) -> Understood {
    let masker = Masker::new(secrets);
    let reading = ReadContext {
        shape,
        masker: &masker,
        arguments: &Arguments::new(),
        journal: &mut Journal::default(),
    };
    understood_response(response, operation, reading)
}

/// The journal of a response that was read.
fn journal_of(response: &Response<Bytes>, operation: &Operation) -> Journal {
    let (masker, mut journal) = (Masker::new(&[]), Journal::default());
    let reading = ReadContext {
        shape: &Shape::default(),
        masker: &masker,
        arguments: &Arguments::new(),
        journal: &mut journal,
    };
    drop(understood_response(response, operation, reading));
    journal
}

fn answered(status: u16, headers: &[(&str, &str)], body: &[u8], shape: &Shape) -> Outcome {
    let mut builder = Response::builder().status(status);
    for (name, value) in headers {
        builder = builder.header(*name, *value);
    }
    outcome(&builder.body(Bytes::copy_from_slice(body)).unwrap(), &operation("post"), shape)
}

fn answer(status: u16, media_type: &str, body: &[u8]) -> Outcome {
    let headers = [("content-type", media_type)];
    let headers = if media_type.is_empty() { &headers[..0] } else { &headers[..] };
    answered(status, headers, body, &Shape::default())
}

#[track_caller]
fn check(media_type: &str, body: &[u8], expected: Content) {
    assert_eq!(
        answer(200, media_type, body),
        Outcome::Answered(Box::new(Answer::new(200, expected)))
    );
}

#[track_caller]
fn check_fault(status: u16, media_type: &str, body: &[u8]) -> Box<Fault> {
    match answer(status, media_type, body) {
        Outcome::Failed(fault) => {
            assert_eq!(fault.reached, Reached::Yes);
            assert_eq!(fault.status, Some(status));
            fault
        }
        other => panic!("not a fault: {other:?}"),
    }
}

fn plain(text: &str, media_type: &str) -> Content {
    Content::Text { text: text.to_owned(), media_type: media_type.to_owned() }
}

#[test]
fn a_successful_response_is_read_by_its_media_type() {
    check("", b"", Content::Empty);
    check("application/json", b"{\"a\":1}", Content::Json(json!({"a": 1}).into()));
    check("Application/HAL+JSON; charset=utf-8", b"[1]", Content::Json(json!([1]).into()));
    check("", b"{\"a\":1}", Content::Json(json!({"a": 1}).into()));
    check("", b"hello", plain("hello", "text/plain"));
    check("application/json", b"\xef\xbb\xbf1", Content::Json(json!(1).into()));
    check("text/csv", b"a,b\r\n1,2", plain("a,b\r\n1,2", "text/csv"));
    check("text/plain; charset=ISO-8859-1", b"caf\xe9", plain("caf\u{e9}", "text/plain"));
    check("text/plain", b"caf\xe9", plain("caf\u{fffd}", "text/plain"));
}

#[test]
fn numbers_of_an_answer_keep_their_digits() {
    let digits = b"[9007199254740993,1.10,1e+400]";
    let Outcome::Answered(answer) = answer(200, "application/json", digits) else {
        panic!("not answered")
    };
    let Content::Json(json) = &answer.content else { panic!("not JSON") };
    assert_eq!(json.text().as_bytes(), digits);
}

static DEEP: [u8; 1000] = [b'['; 1000];

#[test]
fn malformed_json_is_an_unreadable_response() {
    let fault = check_fault(200, "application/json", b"<html>");
    assert_eq!(fault.code, FaultCode::UnreadableResponse);
    let fault = check_fault(200, "application/json", &DEEP);
    assert_eq!(fault.code, FaultCode::UnreadableResponse);
    assert!(fault.message.contains("deeper than 127"), "{}", fault.message);
}

#[test]
fn binary_responses_are_files_or_media() {
    let media_type = "image/png".to_owned();
    let data = Bytes::from_static(b"\x89PNG");
    check("image/png", b"\x89PNG", Content::Media { media_type, data });
    let sha256 = "5239b442fa5772d90506618cec006511feaf53954f3a4e54921f3d5af9742777".to_owned();
    for (sent, media_type) in
        [("application/zip", "application/zip"), ("application/pdf;v=1", "application/pdf")]
    {
        let media_type = media_type.to_owned();
        let bytes = b"PK\x03\x04\xff";
        check(
            sent,
            bytes,
            Content::File { media_type, filename: None, size: 5, sha256: sha256.clone() },
        );
    }
    let Outcome::Answered(answer) = answer(200, "", b"\0\x01\xff") else { panic!("not answered") };
    assert!(matches!(answer.content, Content::File { size: 3, .. }));
}

#[test]
fn small_text_under_a_binary_media_type_is_shown() {
    for media_type in ["application/octet-stream", "application/zip", "application/vnd.own", "x/y"]
    {
        check(media_type, "caf\u{e9}\n".as_bytes(), plain("caf\u{e9}\n", media_type));
        check(media_type, b" {\"a\":1}", Content::Json(json!({"a": 1}).into()));
        check(media_type, b"{a}", plain("{a}", media_type));
        assert_eq!(check_fault(500, media_type, b"broken").body, Some(json!("broken")));
        assert_eq!(check_fault(500, media_type, b"{\"a\":1}").body, Some(json!({"a": 1})));
        assert_eq!(check_fault(500, media_type, b"a\0b").body, None);
        let large = "a".repeat(64 * 1024 + 1);
        for bytes in [&b"a\0b"[..], b"a\x01b", b"caf\xe9", large.as_bytes()] {
            let Outcome::Answered(answer) = answer(200, media_type, bytes) else { panic!("none") };
            assert!(matches!(answer.content, Content::File { .. }), "{answer:?}");
        }
    }
}

#[test]
fn json_under_the_media_type_of_html_stays_json() {
    let body = b"{\"html\":\"<b>a</b>\",\"n\":1.10}";
    let Outcome::Answered(answer) = answer(200, "text/html", body) else { panic!("none") };
    let Content::Json(json) = answer.content else { panic!("no JSON") };
    assert_eq!(json.text().as_bytes(), body);
    check("text/html", b"{not} <b>json</b>", plain("{not} json", "text/plain"));
    assert_eq!(check_fault(422, "text/html", b"{\"a\":1}").body, Some(json!({"a": 1})));
}

#[test]
fn blank_bodies_are_empty() {
    for body in [&b" "[..], b"\r\n", b"\n\t "] {
        check("application/json", body, Content::Empty);
        check("application/hal+json", body, Content::Empty);
        assert_eq!(check_fault(500, "application/json", body).body, None);
    }
    check("text/plain", b" ", plain(" ", "text/plain"));
}

#[test]
fn xml_is_decoded_by_its_declared_encoding() {
    let latin = b"<?xml version=\"1.0\" encoding='ISO-8859-1'?><a>caf\xe9</a>";
    let shown = "<?xml version=\"1.0\" encoding='ISO-8859-1'?><a>caf\u{e9}</a>";
    for media_type in ["application/xml", "text/xml", "application/atom+xml"] {
        check(media_type, latin, plain(shown, media_type));
    }
    let utf8 = "<?xml version=\"1.0\"?><a>caf\u{e9}</a>";
    check("application/xml", utf8.as_bytes(), plain(utf8, "application/xml"));
    let header = "<?xml version='1.0' encoding='ISO-8859-1'?><a>caf\u{e9}</a>";
    check("text/xml; charset=utf-8", header.as_bytes(), plain(header, "text/xml"));
}

#[test]
fn sequences_are_recognized_by_all_their_media_types() {
    let texts = "application/stream+json application/json-lines application/x-ldjson
        text/x-ndjson";
    for media_type in texts.split_whitespace() {
        check(media_type, b"{\"a\":1}\n2\n", Content::Json(json!([{"a": 1}, 2]).into()));
    }
}

#[test]
fn sequences_are_answered_as_arrays() {
    check("application/x-ndjson", b"{\"a\":1}\n2\n", Content::Json(json!([{"a": 1}, 2]).into()));
    check("application/jsonl", b"not json", plain("not json", "application/jsonl"));
    let events = b"event: add\ndata: {\"a\":1}\n\n";
    check(
        "text/event-stream",
        events,
        Content::Json(json!([{"event": "add", "data": {"a": 1}}]).into()),
    );
}

#[test]
fn a_picture_larger_than_its_limit_is_a_file() {
    let shape = Shape { media_bytes: 3, ..Shape::default() };
    let headers = [("content-type", "image/png")];
    let Outcome::Answered(fits) = answered(200, &headers, b"abc", &shape) else { panic!("none") };
    assert!(matches!(fits.content, Content::Media { .. }));
    let Outcome::Answered(large) = answered(200, &headers, b"abcd", &shape) else { panic!("none") };
    assert!(matches!(large.content, Content::File { size: 4, .. }));
}

#[track_caller]
fn check_unfinished(media_type: &str, body: &str, expected: &Value) {
    let response = Response::builder().header("content-type", media_type).extension(Unfinished);
    let response = response.body(Bytes::copy_from_slice(body.as_bytes())).unwrap();
    let outcome = outcome(&response, &operation("get"), &Shape::default());
    let Outcome::Answered(answer) = outcome else { panic!("{outcome:?}") };
    assert_eq!(answer.content, Content::Json(expected.clone().into()));
    let truncated = answer.truncated.unwrap();
    assert!(truncated.message.starts_with("the service was still sending"), "{truncated:?}");
    assert_eq!(truncated.size, body.len());
    assert!(answer.still_sending);
}

#[test]
fn the_complete_values_of_an_unfinished_stream_are_kept() {
    check_unfinished("text/event-stream", "data: 1\n\ndata: 2\n", &json!([{"data": "1"}]));
    check_unfinished("application/x-ndjson", "{\"n\":1}\n{\"n\":2", &json!([{"n": 1}]));
    check_unfinished("application/json-seq", "\u{1e}1\n\u{1e}2", &json!([1]));
    check_unfinished("application/jsonl", "{\"n\"", &json!([]));
}

#[test]
fn bytes_that_are_not_utf_8_are_decoded_by_charset_or_replaced() {
    check("application/json", b"{\"v\":\"\xff\"}", Content::Json(json!({"v": "\u{fffd}"}).into()));
    check(
        "application/json; charset=latin1",
        b"[\"caf\xe9\"]",
        Content::Json(json!(["caf\u{e9}"]).into()),
    );
    check("application/json; charset=utf-16le", b"7\0", Content::Json(json!(7).into()));
    check("application/json", b"\xff\xfe7\0", Content::Json(json!(7).into()));
    check(
        "application/json",
        br#"{"a":"\u001b[31mred\u200b"}"#,
        Content::Json(json!({"a": "red"}).into()),
    );
    check("text/plain; charset=windows-1252", b"\x80", plain("\u{20ac}", "text/plain"));
    check("text/html; charset=utf-8", b"<p>a<p>b", plain("a\nb", "text/plain"));
    check("application/xml", b"<a>\x1b[1m1</a>", plain("<a>1</a>", "application/xml"));
    check("image/svg+xml", b"<svg/>", plain("<svg/>", "image/svg+xml"));
}

#[track_caller]
fn check_next(headers: &[(&str, &str)], body: &Value, expected: &Value) {
    let Outcome::Answered(answer) =
        answered(200, headers, body.to_string().as_bytes(), &Shape::default())
    else {
        panic!("not answered")
    };
    assert_eq!(&Value::Object(answer.next), expected, "{headers:?} {body}");
}

#[test]
fn the_next_page_is_reported_as_arguments_of_the_tool() {
    for (link, expected) in [
        (
            "<https://api.example.com/v1/items?page=2&limit=5>; rel=\"next\"",
            json!({"page": 2, "limit": 5}),
        ),
        (
            "<?cursor=a%20b>; rel=prev, <?cursor=c>; title=x; rel=\"last next\"",
            json!({"cursor": "c"}),
        ),
        ("<?page=2>; rel=last", json!({})),
        ("<?unknown=2>; rel=next", json!({})),
    ] {
        check_next(&[("link", link)], &json!([]), &expected);
    }
    for (body, expected) in [
        (json!({"items": [], "next_cursor": "abc"}), json!({"cursor": "abc"})),
        (json!({"nextPageToken": "abc"}), json!({"cursor": "abc"})),
        (json!({"next": "/v1/items?page=3"}), json!({"page": 3})),
        (json!({"_links": {"next": {"href": "?cursor=x"}}}), json!({"cursor": "x"})),
        (json!({"meta": {"page": 1, "total_pages": 3}}), json!({"page": 2})),
        (json!({"page": 3, "total_pages": 3}), json!({})),
        (json!({"next_page": 4}), json!({"page": 4})),
        (json!({"next": null}), json!({})),
        (json!({"next_cursor": ""}), json!({})),
    ] {
        check_next(&[], &body, &expected);
    }
}

#[test]
fn a_large_result_is_cut_with_a_message() {
    let items: Vec<Value> = (0..812).map(|id| json!({"id": id, "name": "x".repeat(60)})).collect();
    let body = json!({"items": items, "next_cursor": "abc"}).to_string();
    let Outcome::Answered(answer) = answered(200, &[], body.as_bytes(), &Shape::default()) else {
        panic!("not answered")
    };
    let Content::Json(json) = &answer.content else { panic!("not JSON") };
    let (text, value) = (json.text(), json.value());
    assert!(text.len() <= 16 * 1024 && text.len() > 15 * 1024, "{}", text.len());
    let truncated = answer.truncated.unwrap();
    let shown = value["items"].as_array().unwrap().len();
    assert_eq!(truncated.size, body.len());
    assert_eq!(
        truncated.message,
        format!(
            "showing {shown} of 812 items of `items`; narrow with `limit`, `status`, `page`, `cursor`; the next page \
             is in `next`"
        )
    );
    let long = "line\n".repeat(10_000);
    let Outcome::Answered(answer) = answer_text(&long) else { panic!("not answered") };
    let Content::Text { text, .. } = &answer.content else { panic!("not text") };
    assert!(text.len() <= 16 * 1024 && text.ends_with("line"), "{}", text.len());
    assert_eq!(answer.truncated.unwrap().message, format!("showing {} of 50000 bytes", text.len()));
}

fn answer_text(text: &str) -> Outcome {
    answer(200, "text/csv", text.as_bytes())
}

#[test]
fn the_fault_of_a_redirect_hides_its_target() {
    let fault = check_fault(302, "", b"");
    assert_eq!(fault.code, FaultCode::ServiceError);
    assert!(fault.message.contains("redirect"), "{}", fault.message);
}

#[test]
fn a_fault_keeps_the_error_body_of_the_service() {
    let fault = check_fault(404, "application/problem+json", b"{\"title\":\"no pet\"}");
    assert_eq!(fault.body, Some(json!({"title": "no pet"})));
    let page = b"<html><style>p{}</style><h1>Oops</h1>\n<p>a &amp; b</p></html>";
    let fault = check_fault(500, "text/html", page);
    assert_eq!(fault.body, Some(json!("Oops\na & b")));
    assert_eq!(check_fault(500, "", b"").body, None);
    assert_eq!(
        check_fault(502, "application/json", b"bad gateway").body,
        Some(json!("bad gateway"))
    );
}

#[test]
fn a_long_sequence_is_read_within_the_budget_and_counted_to_its_end() {
    let shape = Shape { result_bytes: 100, ..Shape::default() };
    let events = "data: 0123456789\n\n".repeat(1_000);
    let lines = "{\"data\":\"0123456789\"}\n".repeat(1_000);
    for (media_type, body) in [("text/event-stream", &events), ("application/jsonl", &lines)] {
        let answered = answered(200, &[("content-type", media_type)], body.as_bytes(), &shape);
        let Outcome::Answered(answer) = answered else { panic!("not answered") };
        let Content::Json(json) = &answer.content else { panic!("no JSON") };
        let n_shown = json.value().as_array().unwrap().len();
        assert!(n_shown > 2 && json.text().len() <= 100, "{}", json.text());
        let truncated = answer.truncated.unwrap();
        assert_eq!(truncated.cuts.first().map(|cut| (cut.shown, cut.of)), Some((n_shown, 1_000)));
    }
}
