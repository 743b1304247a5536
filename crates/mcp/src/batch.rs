//! Several messages in one request, which the revision 2025-03-26 has and later ones do not (JSON-RPC 2.0 §6): splits them and
//! joins their responses. `http_service` handles each message as if it had come alone.

use std::convert::Infallible;

use bytes::Bytes;
use callgate_tool::Value;
use http::{HeaderMap, HeaderValue, Response, StatusCode, header::CONTENT_TYPE};
use http_body_util::{BodyExt, Collected, combinators::BoxBody};

use crate::message::{ExactCall, Refusal};

/// The messages of a body with several; `None` if it has one, or if its client speaks another revision.
pub(crate) fn messages_if_batch(
    headers: &HeaderMap,
    body: &[u8],
) -> Option<Result<Vec<Bytes>, Refusal>> {
    // Clients of this revision do not know the header.
    let is_revision = headers.get("mcp-protocol-version").is_none_or(|value| value == REVISION);
    let is_batch = is_revision && body.trim_ascii_start().starts_with(b"[");
    is_batch.then(|| split_batch(body))
}

pub(crate) fn split_batch(body: &[u8]) -> Result<Vec<Bytes>, Refusal> {
    let refused = |message: String| Refusal::invalid_request(body, message);
    ExactCall::from_text(body)?;
    let value = Value::from_slice(body).unwrap_or_default();
    let items = value.as_array().filter(|items| (1..=MOST).contains(&items.len()));
    let items = items.ok_or_else(|| refused(format!("expected 1 to {MOST} messages of MCP")))?;
    // MCP 2025-03-26, "Lifecycle": `initialize` is not part of a batch.
    let begins = |item: &Value| item.get("method").and_then(Value::as_str) == Some("initialize");
    if items.iter().any(begins) {
        return Err(refused("expected `initialize` in a request of its own".to_owned()));
    }
    Ok(items.iter().map(|item| item.to_string().into()).collect())
}

/// The final message in a response; `None` for a message that needs no response.
pub(crate) async fn final_message(
    response: Response<BoxBody<Bytes, Infallible>>,
) -> Option<String> {
    let (head, body) = response.into_parts();
    let Ok(text) = body.collect().await.map(Collected::to_bytes);
    let text = str::from_utf8(&text).ok()?;
    let kind = head.headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    if !kind.is_some_and(|kind| kind.starts_with("text/event-stream")) {
        return Some(text.to_owned()).filter(|text| !text.is_empty());
    }
    // Notifications before the final message are left out: a batch has no stream for them.
    let mut events = text.lines().filter_map(|line| line.strip_prefix("data:"));
    let is_answer = |text: &&str| {
        Value::parse(text).is_ok_and(|it| it.get("result").is_some() || it.get("error").is_some())
    };
    events.find(is_answer).map(str::to_owned)
}

pub(crate) fn batch_response(answers: &[String]) -> Response<Bytes> {
    let mut response = Response::new(Bytes::new());
    if answers.is_empty() {
        *response.status_mut() = StatusCode::ACCEPTED;
        return response;
    }
    *response.body_mut() = format!("[{}]", answers.join(",")).into();
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

const REVISION: &str = "2025-03-26";
/// The most messages in a batch; `/v1/calls` has this limit too.
const MOST: usize = 256;
/// The number of messages that are handled at once.
pub(crate) const AT_ONCE: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(version: Option<&'static str>, body: &str, expected: Option<Result<&[&str], &str>>) {
        let version = version.map(HeaderValue::from_static);
        let headers = version.into_iter().map(|it| ("mcp-protocol-version".parse().unwrap(), it));
        let found = messages_if_batch(&headers.collect(), body.as_bytes());
        let texts = |them: Vec<Bytes>| {
            them.iter().map(|it| String::from_utf8_lossy(it).into_owned()).collect::<Vec<_>>()
        };
        match (found.map(|found| found.map(texts)), expected) {
            (None, None) => {}
            (Some(Ok(found)), Some(Ok(expected))) => assert_eq!(found, expected, "{body}"),
            (Some(Err(refusal)), Some(Err(expected))) => {
                assert!(
                    refusal.json_rpc_error_text().contains(expected),
                    "{}",
                    refusal.json_rpc_error_text()
                );
            }
            (found, expected) => panic!("{body}: {found:?}, {expected:?}"),
        }
    }

    #[test]
    fn batches_are_read_only_in_the_protocol_revision_that_has_them() {
        check(
            None,
            r#" [{"n":9007199254740993}, 1]"#,
            Some(Ok(&[r#"{"n":9007199254740993}"#, "1"])),
        );
        check(Some("2025-03-26"), "[1]", Some(Ok(&["1"])));
        check(Some("2025-06-18"), "[1]", None);
        check(None, "{}", None);
    }

    #[test]
    fn an_empty_oversized_or_malformed_batch_is_refused_as_a_whole() {
        check(None, "[]", Some(Err("expected 1 to 256 messages")));
        check(None, &format!("[1{}]", ",1".repeat(256)), Some(Err("expected 1 to 256 messages")));
        check(None, "[1", Some(Err("expected JSON")));
        check(None, r#"[{"id":1,"id":2}]"#, Some(Err("each name once")));
        check(None, r#"[{"id":1,"method":"initialize"}]"#, Some(Err("a request of its own")));
    }
}
