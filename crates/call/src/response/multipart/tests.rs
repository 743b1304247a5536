//! Composed bodies are split again, broken ones are refused, and any bytes give one of the two results.

use proptest::prelude::*;

use super::*;

/// The value of `Content-Type` of a part, and its content.
type TypedContent = (Option<String>, Vec<u8>);

fn taken(body: &[u8], boundary: &str) -> Result<Vec<TypedContent>, SplitError> {
    let apart = split_body(&Bytes::copy_from_slice(body), boundary)?;
    let part = |part: &RawPart| {
        let media_type = part.headers.get(CONTENT_TYPE);
        let media_type = media_type.map(|value| String::from_utf8_lossy(value.as_bytes()).into());
        (media_type, part.body.to_vec())
    };
    Ok(apart.parts.iter().map(part).collect())
}

#[track_caller]
fn check(body: &str, expected: &[(Option<&str>, &str)]) {
    let expected: Vec<_> = expected
        .iter()
        .map(|(media_type, text)| (media_type.map(str::to_owned), text.as_bytes().to_vec()))
        .collect();
    assert_eq!(taken(body.as_bytes(), "b"), Ok(expected), "{body:?}");
}

#[track_caller]
fn refused(body: &str, at: usize, expected: &str) {
    match taken(body.as_bytes(), "b") {
        Err(SplitError::Form { at: place, expected: wanted, .. }) => {
            assert_eq!((place, wanted), (at, expected), "{body:?}");
        }
        other => panic!("{body:?}: {other:?}"),
    }
}

#[test]
fn multipart_parts_are_split_at_boundaries() {
    check("--b\r\n\r\none\r\n--b\r\n\r\ntwo\r\n--b--\r\n", &[(None, "one"), (None, "two")]);
    check("--b\r\nContent-Type: a/b\r\n\r\none\r\n--b--", &[(Some("a/b"), "one")]);
    check("before\r\n--b\r\n\r\none\r\n--b-- \t\r\nbehind", &[(None, "one")]);
    check("--b \t\r\n\r\n\r\n\r\n--b--", &[(None, "\r\n")]);
    check("--b\r\n\r\na\r\n-- b\r\n-b\r\n --b\r\n--b--", &[(None, "a\r\n-- b\r\n-b\r\n --b")]);
    check("--b--", &[]);
}

#[test]
fn a_part_without_content_is_empty() {
    check("--b\r\n\r\n\r\n--b--", &[(None, "")]);
    check("--b\r\n\r\n--b--", &[(None, "")]);
    check("--b\r\n--b--", &[(None, "")]);
    check("--b\r\nContent-Type: a/b\r\n--b--", &[(Some("a/b"), "")]);
}

#[test]
fn the_first_boundary_decides_the_line_ending() {
    check("--b\nContent-Type: a/b\n\none\r\n\n--b--\n", &[(Some("a/b"), "one\r\n")]);
    check("--b\r\n\r\none\n--b--\r\n\r\n--b--", &[(None, "one\n--b--\r\n")]);
    refused("--b\n\none\n--b--\r\n", 12, "the line end that the first boundary has");
}

#[test]
fn folded_part_headers_are_joined_and_unused_ones_are_ignored() {
    check(
        "--b\r\nX-Other: 1\r\nx-other: 2\r\ncontent-type:a/b;\r\n\tc=d\r\n\r\n\r\n--b--",
        &[(Some("a/b; c=d"), "")],
    );
    let twice = "--b\r\nContent-Type: a/b\r\nContent-Type: a/c\r\n\r\n\r\n--b--";
    refused(twice, 24, "each header of a part once");
    let expected = "a header of a part, or an empty line before its content";
    refused("--b\r\nno header\r\n--b--", 5, expected);
    refused("--b\r\nA: 1\r\nContent Type: a/b\r\n\r\n--b--", 11, expected);
    refused("--b\r\n folded\r\n\r\n--b--", 5, expected);
    refused("--b\r\nA: \u{0}\r\n\r\n--b--", 5, expected);
}

#[test]
fn a_truncated_multipart_body_is_refused_with_the_expected_boundary() {
    refused("one\r\ntwo", 0, "a line that begins with the boundary");
    refused("", 0, "a line that begins with the boundary");
    refused("--b\r\n\r\none", 10, "the boundary that ends the last part");
    refused("--b\r\n\r\none--b--", 15, "the boundary that ends the last part");
    refused("--b\r\n\r\none\r\n--b", 15, "`--` or a line end after the boundary");
    refused("--b\r\n\r\none\r\n--bc\r\n\r\n--b--", 15, "`--` or a line end after the boundary");
    refused("--b\r\n\r\none\r\n--b--c", 15, "`--` or a line end after the boundary");
    for boundary in ["", &"b".repeat(71)] {
        let expected = "a `boundary` of 1 to 70 characters in `Content-Type`";
        assert_eq!(taken(b"--b--", boundary), Err(malformed_parts_error(0, expected, "none")));
    }
}

#[test]
fn multipart_bodies_with_too_many_parts_or_headers_are_refused() {
    let most = "--b\r\n\r\n\r\n".repeat(MAX_PARTS);
    assert_eq!(taken(format!("{most}--b--").as_bytes(), "b").map(|them| them.len()), Ok(MAX_PARTS));
    let more = format!("{most}--b\r\n\r\n\r\n--b--");
    assert_eq!(taken(more.as_bytes(), "b"), Err(SplitError::TooMany));
    let headers = |length: usize| format!("--b\r\nA: {}\r\n\r\n\r\n--b--", "x".repeat(length));
    check(&headers(MAX_HEADERS - 7), &[(None, "")]);
    refused(&headers(MAX_HEADERS), 5, "at most 16384 bytes of headers of a part");
    let lines = "A: 1\r\n".repeat(MAX_HEADERS);
    refused(&format!("--b\r\n{lines}\r\n\r\n--b--"), 5, "at most 16384 bytes of headers of a part");
}

#[test]
fn bytes_outside_of_the_multipart_parts_are_counted() {
    let n_outside = |body: &'static str| {
        split_body(&Bytes::from_static(body.as_bytes()), "b").map(|apart| apart.n_outside)
    };
    assert_eq!(n_outside("\r\n--b\r\n\r\n--b--\r\n\r\n"), Ok(0));
    assert_eq!(n_outside("one\r\n--b\r\n\r\n--b--\r\n two \r\n--b--"), Ok(3 + 11));
}

fn content() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        Just(b"\r\n".to_vec()),
        Just(b"\n".to_vec()),
        Just(b"--".to_vec()),
        Just(b"--b0undary-".to_vec()),
        prop::collection::vec(any::<u8>(), 0..20),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn a_composed_multipart_body_is_split_to_its_parts(
        contents in prop::collection::vec((prop::option::of("[a-z]{1,9}/[a-z]{1,9}"), content()), 0..9),
        line_end in prop_oneof![Just("\r\n"), Just("\n")],
        padding in "[ \t]{0,3}",
    ) {
        let boundary = "b0undary--b";
        let mut body = Vec::new();
        for (media_type, content) in &contents {
            prop_assume!(!String::from_utf8_lossy(content).contains(boundary));
            let header = media_type.as_ref().map(|it| format!("Content-Type: {it}{line_end}"));
            let head = format!("--{boundary}{padding}{line_end}{}{line_end}", header.unwrap_or_default());
            body.extend([head.as_bytes(), content, line_end.as_bytes()].concat());
        }
        body.extend(format!("--{boundary}--{padding}").into_bytes());
        prop_assert_eq!(taken(&body, boundary), Ok(contents));
    }

    #[test]
    fn any_bytes_are_split_to_parts_or_refused(
        pieces in prop::collection::vec(prop_oneof![
            Just(b"--b".to_vec()), Just(b"\r\n--b\r\n".to_vec()), Just(b"\n--b--".to_vec()), Just(b"\r\n\r\n".to_vec()),
            Just(b"Content-Type: a/b\r\n".to_vec()), content(),
        ], 0..30),
    ) {
        let body = Bytes::from(pieces.concat());
        match split_body(&body, "b") {
            Ok(apart) => {
                let length: usize = apart.parts.iter().map(|part| part.body.len()).sum();
                prop_assert!(length + apart.n_outside <= body.len());
                let is_there = |part: &RawPart| body.get(part.at..).is_some_and(|rest| rest.starts_with(&part.body));
                prop_assert!(apart.parts.iter().all(is_there));
            }
            Err(SplitError::Form { at, .. }) => prop_assert!(at <= body.len()),
            Err(SplitError::TooMany) => {}
        }
    }
}
