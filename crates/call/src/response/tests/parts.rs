//! Responses with several parts: each part is read like a body, within the limits of one response.

use callgate_tool::{Cut, Part};

use super::*;

const MIXED: &str = "multipart/mixed; boundary=b";

fn body(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let part = |(headers, content): &(&str, &[u8])| {
        [b"--b\r\n", headers.as_bytes(), b"\r\n", content, b"\r\n"].concat()
    };
    [parts.iter().map(part).collect::<Vec<_>>().concat(), b"--b--\r\n".to_vec()].concat()
}

#[track_caller]
fn check_parts(parts: &[(&str, &[u8])], expected: Vec<Part>) {
    check(MIXED, &body(parts), Content::Parts(expected));
}

fn text(text: &str) -> Part {
    Part::new(plain(text, "text/plain"))
}

#[test]
fn each_multipart_part_is_read_by_its_media_type() {
    let data = Bytes::from_static(b"\x89PNG");
    let sha256 = "5239b442fa5772d90506618cec006511feaf53954f3a4e54921f3d5af9742777".to_owned();
    let media_type = "application/zip".to_owned();
    check_parts(
        &[
            ("", b"one"),
            ("Content-Type: text/plain; charset=latin1\r\n", b"caf\xe9"),
            ("Content-Type: application/json\r\n", b"{\"n\":1.10}"),
            ("Content-Type: image/png\r\n", b"\x89PNG"),
            ("Content-Type: application/zip\r\n", b"PK\x03\x04\xff"),
            ("Content-Type: application/jsonl\r\n", b"1\n2\n"),
            ("Content-Type: application/json\r\n", b""),
        ],
        vec![
            text("one"),
            text("caf\u{e9}"),
            Part::new(Content::Json(Value::parse("{\"n\":1.10}").unwrap().into())),
            Part::new(Content::Media { media_type: "image/png".to_owned(), data }),
            Part::new(Content::File { media_type, filename: None, size: 5, sha256 }),
            Part::new(Content::Json(json!([1, 2]).into())),
            Part::new(Content::Empty),
        ],
    );
    check(MIXED, b"--b--", Content::Parts(Vec::new()));
    check(MIXED, b"", Content::Empty);
}

#[test]
fn every_multipart_media_type_is_split_to_parts() {
    for media_type in [
        "multipart/form-data; boundary=b",
        "Multipart/Related; type=\"a/b\"; start=\"<x>\"; boundary=\"b\"",
        "multipart/x-own; charset=utf-8; boundary = b",
    ] {
        check(media_type, &body(&[("", b"one")]), Content::Parts(vec![text("one")]));
    }
}

#[test]
fn the_names_of_a_part_lose_their_invisible_characters() {
    let mut part = text("one");
    part.name = Some("a".to_owned());
    part.filename = Some("caf\u{e9}.txt".to_owned());
    part.content_id = Some("x@y".to_owned());
    let headers = "Content-Disposition: form-data; name=\"a\u{200b}\"; filename=\"caf\u{e9}.txt\"\r\nContent-ID: <x@y>\r\n";
    let nameless = "Content-Disposition: form-data; name=\"\"\r\nContent-ID: <>\r\n";
    check_parts(&[(headers, b"one"), (nameless, b"two")], vec![part, text("two")]);
}

#[test]
fn a_nested_multipart_part_is_a_file() {
    let inner = b"--c\r\n\r\none\r\n--c--";
    let outcome =
        answer(200, MIXED, &body(&[("Content-Type: multipart/mixed; boundary=c\r\n", inner)]));
    let Outcome::Answered(answer) = outcome else { panic!("{outcome:?}") };
    let Content::Parts(parts) = answer.content else { panic!("no parts") };
    let [Part { content: Content::File { media_type, size, .. }, .. }] = &*parts else {
        panic!("{parts:?}")
    };
    assert_eq!((&**media_type, *size), ("multipart/mixed", inner.len()));
}

#[test]
fn the_fault_of_a_malformed_multipart_answer_has_position_and_expectation() {
    let fault = check_fault(200, MIXED, b"--b\r\n\r\none");
    assert_eq!(fault.code, FaultCode::UnreadableResponse);
    assert_eq!(
        fault.message,
        "the service answered with parts that cannot be told apart: at byte 10 of its answer, expected the boundary that ends \
         the last part, got the end of the answer; it may have been executed; do not repeat it before checking whether it was"
    );
    assert_eq!(fault.body, Some(json!("--b\r\n\r\none")));
    let fault = check_fault(200, "multipart/mixed", b"--b--");
    assert!(fault.message.contains("expected a `boundary` of 1 to 70"), "{}", fault.message);
    let fault = check_fault(
        200,
        MIXED,
        &body(&[("", b"one"), ("Content-Type: application/json\r\n", b"<a>")]),
    );
    let start = "in part 2 of its answer, the service answered with a body that is not the JSON";
    assert!(fault.message.starts_with(start), "{}", fault.message);
    let many = [b"--b\r\n\r\n\r\n".repeat(1001), b"--b--".to_vec()].concat();
    let Outcome::Failed(fault) = answer(200, MIXED, &many) else { panic!("not refused") };
    assert_eq!(fault.code, FaultCode::ResponseTooLarge);
}

#[test]
fn the_multipart_body_of_a_failure_is_shown_as_text() {
    let fault = check_fault(500, MIXED, b"--b\r\n\r\none");
    assert_eq!(fault.body, Some(json!("--b\r\n\r\none")));
    assert_eq!(check_fault(500, MIXED, b"--b\r\n\r\n\xff").body, None);
}

#[test]
fn pictures_of_all_parts_share_one_limit() {
    let shape = Shape { media_bytes: 5, ..Shape::default() };
    let picture = ("Content-Type: image/png\r\n", &b"abc"[..]);
    let small = ("Content-Type: image/png\r\n", &b"ab"[..]);
    let body = body(&[picture, picture, small]);
    let Outcome::Answered(answer) = answered(200, &[("content-type", MIXED)], &body, &shape) else {
        panic!("not answered")
    };
    let Content::Parts(parts) = &answer.content else { panic!("no parts") };
    let is_media: Vec<_> =
        parts.iter().map(|part| matches!(part.content, Content::Media { .. })).collect();
    assert_eq!(is_media, [true, false, true]);
}

/// The reading of parts after a secret was sent.
fn of_secret(parts: &[(&str, &[u8])], shape: &Shape) -> Understood {
    let secrets = [Secret::new("canary-token".to_owned())];
    let response = Response::builder().header("content-type", MIXED);
    let response = response.body(Bytes::from(body(parts))).unwrap();
    read_response(&response, &operation("get"), (shape, &secrets))
}

#[test]
fn a_secret_is_masked_in_every_part_and_part_name() {
    let parts: [(&str, &[u8]); 5] = [
        (
            "Content-Disposition: form-data; name=canary-token; filename=\"a canary-token\"\r\n",
            b"1",
        ),
        ("Content-ID: <canary-token>\r\nContent-Type: application/json\r\n", b"[\"canary-token\"]"),
        (
            "Content-Type: text/plain\r\nContent-Transfer-Encoding: quoted-printable\r\n",
            b"can=61ry-tok=\r\nen",
        ),
        ("Content-Type: image/png\r\n", b"\x89 canary-token"),
        ("Content-Type: application/zip\r\n", b"\xff canary-token"),
    ];
    let Understood { outcome, held_secret, whole_parts } = of_secret(&parts, &Shape::default());
    assert!(held_secret);
    let written = serde_json::to_string(&outcome).unwrap();
    assert!(!written.contains("canary"), "{written}");
    let Outcome::Answered(answer) = outcome else { panic!("{outcome:?}") };
    let Content::Parts(shown) = &answer.content else { panic!("no parts") };
    assert_eq!(shown[2].content, plain("****", "text/plain"));
    let data = Bytes::from_static(b"\x89 ****");
    assert_eq!(shown[3].content, Content::Media { media_type: "image/png".to_owned(), data });
    let kept: Vec<_> = whole_parts.iter().map(|part| (part.index, &*part.result.bytes)).collect();
    assert_eq!(kept, [(4, &b"\xff ****"[..])]);
}

#[test]
fn a_secret_hidden_by_transfer_encoding_is_detected_and_masked() {
    // Base64 in lines is found; this is the secret after one escaped byte.
    let headers =
        "Content-Type: application/zip\r\nContent-Transfer-Encoding: quoted-printable\r\n";
    let understood = of_secret(&[(headers, b"=FFc=61nary-token")], &Shape::default());
    assert!(understood.held_secret, "the bytes as they came may not be kept");
    assert_eq!(&*understood.whole_parts[0].result.bytes, b"\xff****");
}

#[test]
fn files_and_cut_parts_are_stored_whole() {
    let shape = Shape { result_bytes: 1024, ..Shape::default() };
    let long = "line\n".repeat(1000);
    let parts: [(&str, &[u8]); 3] = [
        ("Content-Type: text/csv; charset=utf-8\r\n", long.as_bytes()),
        ("", b"short"),
        ("Content-Type: application/zip\r\n", b"\xff"),
    ];
    let Understood { outcome, whole_parts, .. } = of_secret(&parts, &shape);
    let kept: Vec<_> = whole_parts
        .iter()
        .map(|part| (part.index, &*part.result.media_type, part.result.bytes.len()))
        .collect();
    assert_eq!(kept, [(0, "text/csv; charset=utf-8", 5000), (2, "application/zip", 1)]);
    let Outcome::Answered(answer) = outcome else { panic!("{outcome:?}") };
    let cuts = answer.truncated.unwrap().cuts;
    let [Cut { at, of: 5000, .. }] = &*cuts else { panic!("{cuts:?}") };
    assert_eq!(at, "[0].content");
}

#[test]
fn bytes_outside_of_the_parts_are_noted_in_the_journal() {
    let response = Response::builder().header("content-type", MIXED);
    let response = response.body(Bytes::from_static(b"no part\r\n--b\r\n\r\none\r\n--b--\r\n"));
    let journal = journal_of(&response.unwrap(), &operation("get"));
    assert_eq!(journal.events(), [Event::OutsidePartsIgnored { count: 7 }]);
}
