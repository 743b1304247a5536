//! Headers that no argument sets unless the operator lets them through (`argument_headers`): what arrives of them, what is
//! refused all the same, and what a configuration may not let through.

use crate::prelude::*;

use crate::target::json as json_of;

const DESCRIPTION: &str = concat!("\n", include_str!("argument_headers.yaml"));

const SOME: &str = "argument_headers: {allow: [X-HTTP-Method-Override], tools: {getSession: [cookie, x-forwarded-for]}}";

/// The headers that arrive of a call.
async fn headers(settings: &str, tool: &str, arguments: Value) -> Value {
    let server = Server::start().await;
    let executor = target::executor(DESCRIPTION, &server.url(""), settings);
    json_of(call(&executor, tool, arguments).await.outcome)["headers"].clone()
}

#[tokio::test]
async fn a_listed_header_is_an_argument_like_others() {
    let given = json!({"Cookie": "sid=1; b=2;", "theme": "dark", "X_Forwarded_For": "192.0.2.1"});
    let headers = headers(SOME, "getSession", given).await;
    assert_eq!(headers["cookie"], "sid=1; b=2; theme=dark");
    assert_eq!(headers["x_forwarded_for"], "192.0.2.1");
    let headers =
        self::headers("argument_headers: [Cookie]", "seats", json!({"Cookie": "a=1"})).await;
    assert_eq!(headers["cookie"], "a=1");
}

#[tokio::test]
async fn headers_that_are_not_listed_are_withheld_from_the_model() {
    let server = Server::start().await;
    for (settings, tool, arguments) in [
        ("", "getSession", json!({"Cookie": "a=1"})),
        ("argument_headers: {tools: {getSession: [Cookie]}}", "seats", json!({"Cookie": "a=1"})),
        (SOME, "getSession", json!({"Host": "evil.example"})),
        (SOME, "getSession", json!({"Cookie": "a=1\r\nX-Evil: 1"})),
        (SOME, "getSession", json!({"Cookie": "a=\u{0}"})),
        (SOME, "getSession", json!({"Cookie": "a=1; theme=light"})),
    ] {
        let executor = target::executor(DESCRIPTION, &server.url(""), settings);
        let outcome = call(&executor, tool, arguments.clone()).await.outcome;
        assert!(matches!(outcome, Outcome::Failed(_)), "{arguments}: {outcome:?}");
    }
    assert_eq!(server.total(), 0);
}

/// The number of connections to a service that closes each before it answers, where reads are sent again.
async fn n_attempts(arguments: Value) -> usize {
    let server = Raw::once("").await;
    let executor = target::executor(DESCRIPTION, &server.origin, &format!("{SOME}\nretry: safe"));
    let ended = call(&executor, "seats", arguments).await;
    assert!(matches!(ended.outcome, Outcome::Failed(_)), "{ended:?}");
    server.n_connections()
}

fn effect(executor: &Executor, tool: &str) -> Effect {
    executor.find(tool).unwrap().declaration().unwrap().effect
}

#[tokio::test]
async fn a_get_with_a_method_override_header_is_sent_once() {
    assert_eq!(n_attempts(json!({"X_HTTP_Method_Override": "DELETE"})).await, 1);
    let executor = target::executor(DESCRIPTION, "https://a.example", SOME);
    assert_eq!(effect(&executor, "seats"), Effect::Write);
    assert_eq!(effect(&executor, "getSession"), Effect::Read);
}

/// What is found wrong with these settings, each with its place.
fn found(settings: &str) -> Vec<String> {
    crate::built::found(toolset(DESCRIPTION, &format!("server: https://a.example\n{settings}")))
}

/// Holds what is found against the lines of a text.
#[track_caller]
fn check(settings: &str, expected: &str) {
    let expected: Vec<_> =
        expected.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    assert_eq!(found(settings), expected, "{settings}");
}

#[test]
fn a_header_that_may_never_be_an_argument_is_a_fault_with_position_and_reason() {
    check(
        "argument_headers: [Host, content_encoding, Accept, Authorization]",
        r"
        error /argument_headers/0: expected a header that an argument may set, got: `Host`; remove it: it frames the message or belongs to the connection
        error /argument_headers/1: expected a header that an argument may set, got: `content_encoding`; remove it: only the gateway knows how the bytes of a message are compressed
        error /argument_headers/2: expected a header that an argument may set, got: `Accept`; remove it: the media types of the description say it
        error /argument_headers/3: expected a header that an argument may set, got: `Authorization`; remove it: the credential goes there, and no argument may choose it
        ",
    );
    check(
        "argument_headers: {tools: {getSession: [Proxy-Authorization]}}",
        "error /argument_headers/tools/getSession/0: expected a header that an argument may set, got: `Proxy-Authorization`; remove it: it frames the message or belongs to the connection",
    );
}

#[test]
fn a_header_that_carries_a_credential_cannot_be_allowed() {
    let cookie = "auth: {api_key: {in: cookie, name: sid, value: literal:s}}\n";
    let header = "auth: {api_key: {in: header, name: X-Forwarded-For, value: literal:s}}\n";
    check(
        &format!("{cookie}argument_headers: {{tools: {{getSession: [Cookie]}}}}"),
        "error /argument_headers/tools/getSession/0: expected a header without a credential, got: `Cookie`; remove it: the credential of `getSession` goes there",
    );
    check(
        &format!("{header}argument_headers: {{allow: [x_forwarded_for]}}"),
        "error /argument_headers/allow/0: expected a header without a credential, got: `x_forwarded_for`; remove it: the credential of `getSession` goes there",
    );
    check(&format!("{header}argument_headers: [Cookie]"), "");
}

#[test]
fn a_method_is_not_overridden_where_only_reads_are_offered() {
    check(
        "tools: {read_only: true}\nargument_headers: [X-HTTP-Method-Override]",
        "error /argument_headers/0: expected no other method than that of the request where only reads are offered, got: `X-HTTP-Method-Override`; remove it or the key `read_only` of `tools`",
    );
}

#[test]
fn a_listed_header_that_no_operation_has_is_a_warning() {
    check(
        "argument_headers: {allow: [Forwarded, Accept-Language], tools: {getSesion: [Cookie]}}",
        r"
        warning /argument_headers/allow/0: expected tools with a header parameter `Forwarded`, got none; correct it or remove it
        warning /argument_headers/allow/1: expected a header that arguments may not set, got: `Accept-Language`; remove it; nothing withholds it
        warning /argument_headers/tools/getSesion/0: expected the name of a tool that is offered, got: `getSesion`; did you mean `getSession`?
        ",
    );
    check(
        "argument_headers: {alow: [Cookie]}",
        "error /argument_headers/alow: expected a key of `argument_headers`, got: `alow`; did you mean `allow`?",
    );
}
