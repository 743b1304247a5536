//! Every sentence a model reads, as text. A sentence is at most 600 bytes whatever goes into it.

use crate::prelude::*;
use std::time::Duration;

use callgate_call::wording;
use callgate_tool::Effect;

#[track_caller]
fn check(fault: &Fault, expected: &str) {
    let shown = format!(
        "{}, reached {}, {}: {}",
        fault.code.as_str(),
        fault.reached.as_str(),
        fault.next.as_str(),
        fault.message
    );
    assert_eq!(shown, expected);
    assert!(fault.message.len() <= wording::MAX_MESSAGE);
}

#[test]
fn faults_of_the_executor_have_their_messages() {
    let faults = [
        wording::unknown_tool("getPt", &["getPet", "getPets"]),
        wording::unknown_tool("x", &[]),
        wording::refused_tool("getPet", "`hostile-path`: expected a plain path"),
        wording::timed_out(Duration::from_secs(30), Effect::Read),
        wording::timed_out(Duration::from_millis(1500), Effect::Write),
        wording::stopped_call(Reached::No, Effect::Write),
        wording::stopped_call(Reached::Maybe, Effect::Write),
        wording::unreachable(Reached::No, Effect::Write),
        wording::unreachable(Reached::Maybe, Effect::Idempotent),
        wording::answer::too_large_answer(1_048_576, Effect::Read),
        wording::nothing_recorded(),
        wording::auth_failed("the session has no `$session.params.token`"),
        wording::refused_request("its origin is not public https"),
        wording::not_supported("its body is XML"),
    ];
    let expected = r"
        unknown_tool, reached no, correct_arguments: there is no tool `getPt`; the nearest are `getPet`, `getPets`
        unknown_tool, reached no, correct_arguments: there is no tool `x`; call one of the declared tools
        unknown_tool, reached no, give_up: the tool `getPet` is not offered, nothing was sent: its operation is refused, `hostile-path`: expected a plain path
        timed_out, reached maybe, try_later: the service did not answer within 30 s; it only reads, so it may be tried again later
        timed_out, reached maybe, ask_user: the service did not answer within 1.5 s; it may or may not have been executed; do not repeat it before checking whether it was
        stopped, reached no, try_later: the call was stopped before it was made, nothing was sent; try again later
        stopped, reached maybe, ask_user: the call was stopped before it ended; it may or may not have been executed; do not repeat it before checking whether it was
        unreachable, reached no, try_later: the service could not be reached, nothing was sent; try again later
        unreachable, reached maybe, try_later: the connection broke before the answer was complete; it may or may not have been executed; the same call may be tried again
        response_too_large, reached yes, correct_arguments: the service answered with more than 1048576 bytes, which is the bound; ask for less, for example with a filter or a page size
        nothing_recorded, reached no, give_up: no answer is recorded for this request, nothing was sent; use arguments of a recorded call
        auth_failed, reached no, give_up: no credential for this tool, nothing was sent: the session has no `$session.params.token`
        refused, reached no, give_up: the request was refused, nothing was sent: its origin is not public https
        not_supported, reached no, give_up: this tool cannot be called, nothing was sent: its body is XML
        ";
    let expected: Vec<[&str; 1]> = rows(expected).collect();
    assert_eq!(faults.len(), expected.len());
    for (fault, [expected]) in faults.iter().zip(expected) {
        check(fault, expected);
    }
}

#[test]
fn faults_of_arguments_have_their_messages() {
    let plan = operation(
        "get",
        "/x/{id}",
        json!({"parameters": [
        {"name": "id", "in": "path", "required": true, "schema": {"type": "string"}},
        {"name": "X-H", "in": "header", "schema": {"type": "array", "items": {"type": "string"}}}]}),
    );
    for [arguments, expected] in rows(
        r#"
            {} => invalid_arguments, reached no, correct_arguments: `id`: expected a value, got nothing; correct and call again
            {"id": ".."} => refused, reached no, correct_arguments: `id`: expected a value without `.` and `..` as a path, got a dot segment; correct and call again
            {"id": "a\u0000"} => refused, reached no, correct_arguments: `id`: expected text without control characters, got a control character; correct and call again
            {"id": "7", "X_H": ["a,b"]} => invalid_arguments, reached no, correct_arguments: `X_H`: expected items without `,`, which separates them, got an item that holds it; correct and call again
            "#,
    ) {
        check(call(&plan, Value::parse(arguments).unwrap()).fault(), expected);
    }
    let session = with_parameters(json!([
        {"name": "s", "in": "query", "required": true, "schema": {"$ref": "@dialogflow/sessionId"}}]));
    check(
        call(&session, json!({})).fault(),
        "missing_session_value, reached no, give_up: `s`: expected `$context.session_id` in the session, got nothing; the value comes from the session, not from arguments",
    );
}

#[test]
fn members_of_a_body_at_the_top_level_are_reported_with_their_location() {
    let body = json!({"oneOf": [{"type": "object", "properties": {"name": {"type": "string"}}}]});
    let body = json!({"required": true, "content": {"application/json": {"schema": body}}});
    let plan = operation("post", "/x", json!({"requestBody": body}));
    check(
        call(&plan, json!({"name": "Rex"})).fault(),
        "invalid_arguments, reached no, correct_arguments: `name`: expected one of `body`, got an unknown argument, did you mean `body.name`; `body`: expected a value, got nothing; put them inside `body` and call again",
    );
}

#[test]
fn members_of_an_optional_body_are_refused_beside_it_with_their_location() {
    let pet = json!({"type": "object", "properties": {"text": {"type": "string"}}});
    let body = json!({"content": {"application/json": {"schema": pet}}});
    let plan = operation("post", "/x", json!({"requestBody": body}));
    check(
        call(&plan, json!({"text": "x"})).fault(),
        "invalid_arguments, reached no, correct_arguments: `text`: expected one of `body`, got an unknown argument, did you mean `body.text`; put them inside `body` and call again",
    );
    check(
        call(&plan, json!({"text": "x", "other": 1})).fault(),
        "invalid_arguments, reached no, correct_arguments: `text`: expected one of `body`, got an unknown argument, did you mean `body.text`; `other`: expected one of `body`, got an unknown argument; correct and call again",
    );
}

#[test]
fn no_member_is_suggested_for_a_body_that_is_no_object() {
    for kind in ["integer", "array"] {
        let body =
            json!({"required": true, "content": {"application/json": {"schema": {"type": kind}}}});
        let plan = operation("post", "/x", json!({"requestBody": body}));
        check(
            call(&plan, json!({"n": 1})).fault(),
            &format!(
                "invalid_arguments, reached no, correct_arguments: `n`: expected one of `body`, got an unknown argument; `body`: expected {kind}, got nothing; correct and call again"
            ),
        );
    }
}

#[test]
fn faults_of_answers_have_their_messages() {
    let answer = |method: &str, status: u16, media_type: &str, body: &'static str| {
        let plan = operation(method, "/x", json!({}));
        let response = http::Response::builder()
            .status(status)
            .header("content-type", media_type)
            .header("location", "https://elsewhere.example/")
            .body(Bytes::from_static(body.as_bytes()))
            .unwrap();
        match plan.outcome(&response, &Shape::default()) {
            Outcome::Failed(fault) => fault,
            other => panic!("no fault: {other:?}"),
        }
    };
    for [status, media_type, expected] in rows(
        r"
            404 => application/json => service_error, reached yes, correct_arguments: the service answered with status 404 (Not Found); correct the arguments and call again
            403 => application/json => service_error, reached yes, ask_user: the service answered with status 403 (Forbidden); ask the user
            401 => application/json => service_error, reached yes, give_up: the service answered with status 401 (Unauthorized); do not call again with the same arguments
            503 => application/json => service_error, reached yes, try_later: the service answered with status 503 (Service Unavailable); try again later
            302 => text/html => service_error, reached yes, give_up: the service answered with a redirect (status 302), which leads to another host and is never followed; if that is its answer, the operator declares the status in the description
            200 => application/json => unreadable_response, reached yes, give_up: the service answered with a body that is not the JSON its headers announce
            ",
    ) {
        let status = status.parse().unwrap();
        check(&answer("get", status, media_type, "<"), expected);
    }
    for body in ["<", "[[[[[["] {
        let fault = answer("post", 200, "application/json", body);
        assert_eq!(fault.next, Next::AskUser);
        let advice = "it may have been executed; do not repeat it before checking whether it was";
        assert!(fault.message.ends_with(advice), "{}", fault.message);
    }
}

#[test]
fn a_redirect_that_the_description_declares_is_the_result() {
    let location = json!({"Location": {"schema": {"type": "string"}}});
    for (method, declared, status, is_answer) in [
        ("get", "302", 302, true),
        ("post", "303", 303, true),
        ("post", "3XX", 307, true),
        ("post", "302", 303, false),
        ("post", "3XX", 304, false),
        ("get", "default", 302, false),
    ] {
        let mut responses = json!({"200": {"description": "fine"}});
        responses[declared] = json!({"description": "there", "headers": location});
        let plan = operation(method, "/x", json!({"responses": responses}));
        let response = http::Response::builder()
            .status(status)
            .header("location", "https://files.example/a?b=c")
            .body(Bytes::new())
            .unwrap();
        match plan.outcome(&response, &Shape::default()) {
            Outcome::Answered(answer) => {
                assert!(is_answer, "{declared} {status}");
                assert_eq!(answer.status, Some(status));
                let location = ("location".to_owned(), "https://files.example/a?b=c".to_owned());
                assert_eq!(answer.headers, [location]);
            }
            _ => assert!(!is_answer, "{declared} {status}"),
        }
    }
}

#[test]
fn an_unknown_tool_without_a_similar_name_is_reported_with_advice() {
    let near = wording::unknown_tool_sentence("x", &["y"], "list them");
    assert_eq!(near, "there is no tool `x`; the nearest is `y`");
    assert_eq!(
        wording::unknown_tool_sentence("x", &[], "list them"),
        "there is no tool `x`; list them"
    );
}

#[test]
fn every_message_of_a_fault_has_a_bounded_length() {
    let long = "`x` é ".repeat(1000);
    let names: Vec<_> = (0..100).map(|at| format!("{long}{at}")).collect();
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    for fault in [
        wording::unknown_tool(&long, &names),
        wording::auth_failed(&long),
        wording::refused_request(&long),
        wording::not_supported(&long),
    ] {
        assert!(fault.message.len() <= wording::MAX_MESSAGE, "{}", fault.message.len());
        assert_ne!(fault.next, Next::TryLater);
    }
}
