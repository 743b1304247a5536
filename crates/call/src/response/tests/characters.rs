//! Bytes that are no text: they are replaced and counted, or the body is a file.

use super::*;

/// RFC 8259 §8.1: JSON is UTF-8; what is not is shown, and told.
#[test]
fn bytes_that_no_text_can_hold_are_replaced_and_counted() {
    let cases: [(&str, &[u8], usize); 7] = [
        ("application/json", b"{\"a\":\"caf\xe9\"}", 1),
        ("application/json", b"{\"a\":\"caf\xe9 \\ud83d\"}", 2),
        ("application/json", "{\"a\":\"\u{fffd}\"}".as_bytes(), 0),
        ("application/json; charset=latin1", b"{\"a\":\"caf\xe9\"}", 0),
        ("application/jsonl", b"{\"a\":\"\xff\"}\n{}", 1),
        ("text/plain", b"\xff\xfe\xff", 1),
        ("text/html", b"<p>caf\xe9", 1),
    ];
    for (media_type, body, expected) in cases {
        let response = Response::builder().header("content-type", media_type);
        let response = response.body(Bytes::from_static(body)).unwrap();
        let journal = journal_of(&response, &operation("get"));
        let counts = journal.events().iter().filter_map(|event| match event {
            Event::CharactersReplaced { count } => Some(*count),
            _ => None,
        });
        assert_eq!(counts.sum::<usize>(), expected, "{media_type} {body:?}");
    }
}

#[test]
fn a_pdf_file_in_utf_8_is_a_file() {
    let Outcome::Answered(answer) = answer(200, "application/pdf", b"%PDF-1.7\n1 0 obj\n") else {
        panic!("not answered")
    };
    assert!(matches!(answer.content, Content::File { .. }), "{:?}", answer.content);
}
