//! Tests that every outcome is read back from its bytes, and other bytes are none.

use bytes::Bytes;

use super::*;
use crate::DEPTH;

#[track_caller]
fn check(outcome: impl Into<Outcome>) {
    let outcome = outcome.into();
    let bytes = outcome.to_bytes();
    assert_eq!(Outcome::from_bytes(&bytes).as_ref(), Some(&outcome));
    for length in 0..bytes.len() {
        let cut = Outcome::from_bytes(&bytes[..length]);
        assert_eq!(cut, None, "{length} of {} bytes", bytes.len());
    }
}

fn handle() -> Option<Handle> {
    Handle::new("result:00ff")
}

fn every_content() -> Vec<Content> {
    let media_type = || "a/b".to_owned();
    vec![
        Content::Empty,
        Content::File {
            media_type: media_type(),
            filename: Some("a/b \"c\"".to_owned()),
            size: 7,
            sha256: "00".to_owned(),
        },
        Content::File {
            media_type: media_type(),
            filename: None,
            size: 7,
            sha256: "00".to_owned(),
        },
        Content::Json(Json::parse("{\"b\": 1.10,\n \"b\": 9007199254740993}").unwrap()),
        Content::Media { media_type: media_type(), data: Bytes::from_static(b"\0\n\xff") },
        Content::Text { text: "a\n\"b\u{20ac}".to_owned(), media_type: media_type() },
    ]
}

#[test]
fn an_answer_is_read_back_from_bytes_with_every_kind_of_content() {
    for content in every_content() {
        check(Answer::new(None, content));
    }
    let parts = every_content().into_iter().map(|content| {
        let mut part = Part::new(content);
        (part.name, part.content_id) = (Some("n".to_owned()), Some("c".to_owned()));
        (part.filename, part.handle) = (Some("f".to_owned()), handle());
        part
    });
    let mut answer = Answer::new(201, Content::Parts(parts.collect()));
    answer = answer.with_header("etag", "1").with_header("etag", "2");
    (answer.still_sending, answer.handle) = (true, handle());
    let cut = |unit| Cut { at: "a".to_owned(), shown: 1, of: 2, unit };
    let cuts = [Unit::Bytes, Unit::Items, Unit::Members].map(cut).to_vec();
    answer.truncated = Some(Truncated::new("cut", 7, cuts));
    answer.next = Object::from([("page", Value::parse("12345678901234567890.10").unwrap())]);
    check(answer);
}

#[test]
fn the_json_text_of_a_service_survives_storing_byte_for_byte() {
    let text = "{ \"b\":1.10 ,\n\"b\": 1e400}";
    let outcome = Outcome::from(Answer::new(200, Content::Json(Json::parse(text).unwrap())));
    let read = Outcome::from_bytes(&outcome.to_bytes()).unwrap();
    assert_eq!(read.text(), Some(text));
}

#[test]
fn every_fault_is_read_back_from_bytes() {
    for &code in FaultCode::ALL {
        for (next, reached) in [
            (Next::AskUser, Reached::Maybe),
            (Next::CorrectArguments, Reached::No),
            (Next::GiveUp, Reached::Yes),
            (Next::TryLater, Reached::Yes),
        ] {
            check(Fault::new(code, "no", next).with_reached(reached));
        }
    }
    let problem = |suggestion| Problem {
        at: "a".to_owned(),
        expected: "b".to_owned(),
        got: "c".to_owned(),
        suggestion,
    };
    let mut fault = Fault::new(FaultCode::ServiceError, "no", Next::TryLater);
    fault.problems = vec![problem(None), problem(Some("d".to_owned()))];
    (fault.retry_after, fault.status) = (Some(Duration::from_millis(1_500)), Some(503));
    let deepest = format!("{}{}", "[".repeat(DEPTH), "]".repeat(DEPTH));
    for body in [Value::Null, json!({"a": [1]}), Value::parse(&deepest).unwrap()] {
        fault.body = Some(body);
        check(fault.clone());
    }
}

#[test]
fn pending_and_planned_outcomes_are_read_back_from_bytes() {
    for kind in [PendingKind::Approval, PendingKind::Client] {
        let pending = Pending::new(kind, "p", json!({"method": "GET"}));
        check(Outcome::Pending(Box::new(pending.clone())));
        let expires = UNIX_EPOCH + Duration::from_millis(1_795_305_599_123);
        check(Outcome::Pending(Box::new(pending.with_expiry(expires))));
    }
    check(Outcome::Planned(Box::new(Preview::Text("asks".to_owned()))));
    let request = PlannedRequest {
        method: "GET".to_owned(),
        url: "https://a.example".to_owned(),
        headers: vec![("a".to_owned(), "b".to_owned())],
        body: None,
        curl: "curl".to_owned(),
    };
    check(Outcome::Planned(Box::new(Preview::Request(request))));
}

#[test]
fn malformed_bytes_are_no_outcome() {
    for bytes in ["", "\n", "{}\n", "{\"fault\":{}}\n", "[]\n", "{\"answer\":null}\n", "x\n"] {
        assert_eq!(Outcome::from_bytes(bytes.as_bytes()), None, "{bytes}");
    }
}
