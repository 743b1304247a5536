//! Redirects on real connections: none is followed unless the toolset says so, and then only reads, within the origin,
//! with the credentials put on anew.

use crate::prelude::*;

const DESCRIPTION: &str = r"
paths:
  /start:
    get: { operationId: read, responses: { 200: { description: ok } } }
    post: { operationId: write, responses: { 200: { description: ok } } }
";
const KEY_IN_QUERY: &str = "auth: { api_key: { in: query, name: key, value: literal:canary-key } }\nredirects: same_origin";
const KEY_IN_HEADER: &str = "auth: { api_key: { in: header, name: X-Key, value: literal:canary-key } }\nredirects: same_origin";

/// Answers `/v1/start` with this redirect, `/v1/loop` with one to itself, and anything else with the request's head.
async fn moved(status: u16, location: &str) -> Raw {
    let redirect =
        format!("HTTP/1.1 {status} Moved\r\nlocation: {location}\r\ncontent-length: 0\r\n\r\n");
    Raw::start(move |mut connection| {
        let redirect = redirect.clone();
        async move {
            while let Some(head) = connection.read_head().await {
                let answer = match head.split(['?', ' ']).nth(1) {
                    Some("/v1/start") => redirect.clone(),
                    Some("/v1/loop") => "HTTP/1.1 302 Moved\r\nlocation: loop\r\ncontent-length: 0\r\n\r\n".to_owned(),
                    _ => format!(
                        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{}",
                        json!(head).to_string().len(),
                        json!(head)
                    ),
                };
                connection.write(answer).await;
            }
        }
    })
    .await
}

#[tokio::test]
async fn redirects_are_followed_only_if_the_toolset_allows_them() {
    let server = moved(302, "/v1/end").await;
    for settings in ["", "redirects: none"] {
        let executor = target::executor(DESCRIPTION, &format!("{}/v1", server.origin), settings);
        for (tool, expected, next) in [
            ("read", "`redirects: same_origin`", Next::GiveUp),
            ("write", "never follows", Next::AskUser),
        ] {
            let fault = fault(call(&executor, tool, json!({})).await.outcome);
            assert_eq!((fault.status, fault.reached), (Some(302), Reached::Yes));
            assert_eq!(fault.next, next);
            assert!(fault.message.contains(expected), "{}", fault.message);
        }
    }
}

#[tokio::test]
async fn a_read_follows_within_the_origin_and_is_authorized_anew() {
    for status in [301, 302, 303, 307, 308] {
        let server = moved(status, "end?page=2&key=theirs").await;
        let origin = format!("{}/v1", server.origin);
        let executor = target::executor(DESCRIPTION, &origin, KEY_IN_QUERY);
        let result = call(&executor, "read", json!({})).await;
        let n_attempts =
            result.journal.events().iter().filter(|event| matches!(event, Event::Attempt { .. }));
        assert_eq!(n_attempts.count(), 2);
        let head = target::json(result.outcome);
        let line = head.as_str().unwrap().lines().next().unwrap();
        assert_eq!(line, "GET /v1/end?page=2&key=**** HTTP/1.1", "the credential, once");
        let executor = target::executor(DESCRIPTION, &origin, KEY_IN_HEADER);
        let head = target::json(call(&executor, "read", json!({})).await.outcome);
        assert_eq!(head.as_str().unwrap().matches("x-key: ****").count(), 1, "{head}");
    }
}

#[tokio::test]
async fn a_write_is_not_followed() {
    let server = moved(307, "/v1/end").await;
    let executor =
        target::executor(DESCRIPTION, &format!("{}/v1", server.origin), "redirects: same_origin");
    let fault = fault(call(&executor, "write", json!({})).await.outcome);
    assert_eq!((fault.status, fault.reached), (Some(307), Reached::Yes));
}

#[tokio::test]
async fn a_redirect_to_another_origin_is_never_followed() {
    let elsewhere = Raw::always("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await;
    let port = elsewhere.origin.rsplit(':').next().unwrap().to_owned();
    for location in [
        format!("{}/v1/end", elsewhere.origin),
        format!("//127.0.0.1:{port}/v1/end"),
        format!("http://localhost:{port}/"),
        "https://127.0.0.1/".to_owned(),
        "file:///etc/passwd".to_owned(),
    ] {
        let server = moved(302, &location).await;
        let origin = format!("{}/v1", server.origin);
        let executor = target::executor(DESCRIPTION, &origin, KEY_IN_HEADER);
        let result = call(&executor, "read", json!({})).await;
        let told: Vec<_> = result.journal.events().iter().map(ToString::to_string).collect();
        let fault = fault(result.outcome);
        assert_eq!(fault.status, Some(302), "{location}");
        let is_same_host = location.contains("127.0.0.1");
        let expected = if is_same_host { "leads elsewhere" } else { "leads to another host" };
        assert!(fault.message.contains(expected), "{}", fault.message);
        assert_eq!(fault.message.contains("`server`"), is_same_host, "{}", fault.message);
        assert!(
            !fault.message.contains(&port) && !fault.message.contains("127.0.0.1"),
            "{fault:?}"
        );
        let is_told = |event: &String| event.starts_with("a redirect to `");
        assert!(told.iter().any(is_told), "{told:?}");
    }
    assert_eq!(elsewhere.n_connections(), 0);
}

#[tokio::test]
async fn a_redirect_loop_ends_after_five_redirects() {
    let server = moved(302, "/v1/loop").await;
    let executor =
        target::executor(DESCRIPTION, &format!("{}/v1", server.origin), "redirects: same_origin");
    let result = call(&executor, "read", json!({})).await;
    let events = result.journal.events();
    let n_attempts = events.iter().filter(|event| matches!(event, Event::Attempt { .. })).count();
    assert_eq!(n_attempts, 6, "the first and five more");
    let fault = fault(result.outcome);
    assert_eq!(fault.status, Some(302));
    assert!(fault.message.contains("more than 5 redirects in turn"), "{}", fault.message);
    assert!(!fault.message.contains("same_origin"), "{}", fault.message);
}
