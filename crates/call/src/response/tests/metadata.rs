//! The facts beside the content of a response: its headers, and the changes made to it.

use super::*;
use crate::shape::ShownHeaders;

#[track_caller]
fn check_headers(method: &str, headers: &[(&str, &str)], expected: &[(&str, &str)]) {
    check_chosen(method, headers, &Shape::default(), expected);
}

#[track_caller]
fn check_chosen(method: &str, headers: &[(&str, &str)], shape: &Shape, expected: &[(&str, &str)]) {
    let mut builder = Response::builder().status(201);
    for (name, value) in headers {
        builder = builder.header(*name, *value);
    }
    let response = builder.body(Bytes::new()).unwrap();
    let secrets = [Secret::new("canary-token".to_owned())];
    let shape = (shape, &secrets[..]);
    let Outcome::Answered(answer) = read_response(&response, &operation(method), shape).outcome
    else {
        panic!("not answered")
    };
    let shown: Vec<_> =
        answer.headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    assert_eq!(shown, expected, "{method} {headers:?}");
}

#[test]
fn well_known_response_headers_are_shown() {
    let all = [
        ("Location", "/items/7"),
        ("etag", "W/\"1\""),
        ("retry-after", "5"),
        ("x-total", "7"),
        ("x-total", "canary-token\u{200b}"),
        ("x-own", "9"),
        ("x-default", "d"),
        ("content-length", "12"),
        ("date", "Wed, 21 Oct 2015 07:28:00 GMT"),
        ("set-cookie", "a=b"),
    ];
    let told = [("etag", "W/\"1\""), ("location", "/items/7"), ("retry-after", "5")];
    let declared = [("x-default", "d"), ("x-total", "7, ****")];
    check_headers("post", &all, &[&told[..], &declared].concat());
    let about = [("x-default", "d"), ("x-own", "9"), ("x-total", "7, ****")];
    let head = [&[("content-length", "12")], &told[..], &about].concat();
    check_headers("head", &all, &head);
    check_headers("get", &[("x-own", "9")], &[]);
}

#[test]
fn only_configured_response_headers_are_shown_if_any_are_configured() {
    let all = [("etag", "1"), ("x-own", "canary-token"), ("x-total", "7"), ("set-cookie", "a=b")];
    for (names, expected) in [
        (&["x-own", "date", "x-own"][..], &[("x-own", "****")][..]),
        (&["x-total", "etag", "set-cookie"], &[("etag", "1"), ("x-total", "7")]),
        (&[], &[]),
    ] {
        let names = names.iter().map(|name| name.parse().unwrap()).collect();
        let shape = Shape { headers: ShownHeaders::Named(names), ..Shape::default() };
        for method in ["get", "head"] {
            check_chosen(method, &all, &shape, expected);
        }
    }
}

#[test]
fn arguments_of_the_next_page_are_masked_and_cleaned() {
    let body = json!({"items": [1], "next_cursor": "a\u{200b}b\u{1b}[1m cana\u{2060}ry-token"})
        .to_string();
    let response = Response::builder().header("content-type", "application/json");
    let response = response.body(Bytes::from(body)).unwrap();
    let secrets = [Secret::new("canary-token".to_owned())];
    for result_bytes in [10, 16 * 1024] {
        let shape = Shape { result_bytes, ..Shape::default() };
        let understood = read_response(&response, &operation("get"), (&shape, &secrets));
        let Outcome::Answered(answer) = understood.outcome else { panic!("not answered") };
        assert_eq!(Value::Object(answer.next), json!({"cursor": "ab ****"}));
    }
}

#[test]
fn each_change_to_an_answer_is_noted_in_the_journal() {
    for (media_type, body, expected) in [
        ("text/html", "<p>a&#8203;b\u{202e}</p>", Some("2 characters")),
        ("application/x-ndjson", "[\"\\ud83d\"]\n[\"\\ud83d\"]", Some("2 characters")),
        ("text/event-stream", "data: [\"\\ud83d\"]\n\n", Some("1 characters")),
        ("application/json", r#"["\ud83d", "\ude00\ude00"]"#, Some("3 characters")),
        ("application/json", "[\"a\u{200b}\", \"\\u001b[1mb\u{202e}\"]", Some("3 characters")),
        ("text/plain", "a\u{200b}\u{1b}[1mb\u{200d}", Some("3 characters")),
        ("text/plain", "\u{645}\u{6cc}\u{200c}\u{62e}\r\n", None),
        ("application/json", "[\"\u{1f468}\u{200d}\u{1f469}\"]", None),
    ] {
        for status in [200, 500] {
            // The words of a failure are one text, whatever its media type.
            if status == 500 && (media_type.contains("ndjson") || media_type.contains("event")) {
                continue;
            }
            let response = Response::builder().status(status).header("content-type", media_type);
            let response = response.body(Bytes::from(body)).unwrap();
            let journal = journal_of(&response, &operation("get"));
            let told: Vec<_> = journal.events().iter().map(ToString::to_string).collect();
            match expected {
                Some(expected) => {
                    assert!(told.len() == 1 && told[0].starts_with(expected), "{told:?}");
                }
                None => assert_eq!(told, Vec::<String>::new(), "{body:?}"),
            }
        }
    }
}

#[test]
fn a_text_is_noted_where_json_alone_is_declared() {
    let page = "<!doctype html><h1>Sign in</h1>";
    let note =
        "expected `application/json`, got text: the page of a login, maybe, or of another server";
    for (declared, sent, body, expected) in [
        (&["application/json"][..], "text/html", page, Some(note)),
        (&["application/json"], "text/plain", "please sign in", Some(note)),
        (&["application/json"], "text/html", "{\"a\": 1}", None),
        (&["application/json"], "application/problem+json", "{\"a\": 1}", None),
        (&["application/json"], "application/json", "\"a text\"", None),
        (&["application/json", "text/html"], "text/html", page, None),
        (&[], "text/html", page, None),
    ] {
        let mut operation = operation("get");
        std::sync::Arc::get_mut(&mut operation).unwrap().accept =
            declared.iter().copied().map(Into::into).collect();
        let response = Response::builder().header("content-type", sent);
        let response = response.body(Bytes::from(body)).unwrap();
        let journal = journal_of(&response, &operation);
        assert_eq!(journal.notes(), Vec::from_iter(expected), "{declared:?} {sent}");
    }
}
