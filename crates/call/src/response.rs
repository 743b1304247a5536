//! Reads an answer by its status and its media type: JSON keeps its digits, text loses what a reader cannot see,
//! errors become faults that keep the service's own words. It has no clock, so a `Retry-After` that is a date is not
//! read. Bytes come from the transport, already bounded.

use std::{borrow::Cow, time::Duration};

use bytes::Bytes;
use callgate_tool::{Answer, Content, Effect, Fault, Json, Next, Outcome};
use http::{
    HeaderMap, Response, StatusCode,
    header::{CONTENT_TYPE, RETRY_AFTER},
};
use serde_json::Value;

use crate::{
    readable::{cleaned, html_to_text},
    wording,
};

/// What an answer means for a tool of this effect.
pub(crate) fn outcome(response: &Response<Bytes>, effect: Effect) -> Outcome {
    let status = response.status();
    if status.is_success() {
        return match content(response) {
            Ok(content) => Outcome::Answered(Answer { status: status.as_u16(), content }),
            Err(fault) => Outcome::Failed(fault),
        };
    }
    Outcome::Failed(if is_redirect(status) {
        wording::redirected(status.as_u16())
    } else {
        failure(response, effect)
    })
}

fn content(response: &Response<Bytes>) -> Result<Content, Box<Fault>> {
    let (status, body) = (response.status().as_u16(), response.body());
    if body.is_empty() || response.status() == StatusCode::NO_CONTENT {
        return Ok(Content::Empty);
    }
    let media = Media::of(response.headers());
    match media.kind() {
        Kind::Binary => Err(wording::unreadable_media(status, &media.essence, body.len())),
        Kind::Json => json(body).map(Content::Json).ok_or_else(|| unreadable(status, body)),
        Kind::Text | Kind::Html => Ok(text(body, &media)),
        Kind::Unnamed => Ok(match json(body) {
            Some(json) if json.text().trim_start().starts_with(['[', '{']) => Content::Json(json),
            _ if std::str::from_utf8(body).is_ok() => text(body, &media),
            _ => return Err(wording::unreadable_media(status, &media.essence, body.len())),
        }),
    }
}

fn failure(response: &Response<Bytes>, effect: Effect) -> Box<Fault> {
    let status = response.status();
    let mut fault = wording::service_error(status.as_u16(), next(status.as_u16(), effect));
    fault.retry_after = retry_after(response.headers());
    fault.body = failure_body(response);
    fault
}

fn failure_body(response: &Response<Bytes>) -> Option<Value> {
    let body = response.body();
    let media = Media::of(response.headers());
    let text = match media.kind() {
        _ if body.is_empty() => return None,
        Kind::Binary => return None,
        Kind::Html => html_to_text(&decoded(body, &media)),
        Kind::Json | Kind::Unnamed => match json(body) {
            Some(json) => return Some(json.into_value()),
            None => cleaned(&decoded(body, &media)),
        },
        Kind::Text => cleaned(&decoded(body, &media)),
    };
    let text = wording::clipped(text.trim(), MAX_FAILURE_TEXT);
    (!text.is_empty()).then(|| Value::String(text.to_owned()))
}

fn unreadable(status: u16, body: &[u8]) -> Box<Fault> {
    let mut fault = wording::unreadable_json(status);
    let text = cleaned(&String::from_utf8_lossy(body));
    fault.body = Some(Value::String(wording::clipped(text.trim(), MAX_FAILURE_TEXT).to_owned()));
    fault
}

/// What a model should do after an error, by the status (RFC 9110 §15.5, §15.6).
fn next(status: u16, effect: Effect) -> Next {
    match status {
        400 | 404 | 409 | 410 | 412 | 413 | 414 | 416 | 422 => Next::CorrectArguments,
        402 | 403 | 407 | 451 => Next::AskUser,
        408 | 423 | 425 | 429 | 503 => Next::TryLater,
        501 | 505 => Next::GiveUp,
        // A write may have been executed before the service failed.
        500.. if effect != Effect::Write => Next::TryLater,
        _ => Next::GiveUp,
    }
}

fn is_redirect(status: StatusCode) -> bool {
    matches!(status.as_u16(), 300..=303 | 305..=308)
}

/// `Retry-After` in seconds (RFC 9110 §10.2.3).
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let seconds = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    let is_number = !seconds.is_empty() && seconds.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| Duration::from_secs(seconds.parse().unwrap_or(u64::MAX)))
}

fn text(body: &[u8], media: &Media) -> Content {
    let media_type = if media.essence.is_empty() { "text/plain" } else { &media.essence };
    Content::Text { text: cleaned(&decoded(body, media)), media_type: media_type.to_owned() }
}

/// The JSON of a body; its depth is bounded (127).
fn json(body: &[u8]) -> Option<Json> {
    // RFC 8259 §8.1: a reader may ignore a byte order mark.
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    Json::parse(std::str::from_utf8(body).ok()?)
}

/// The characters of a text: Latin-1 where it is announced, UTF-8 otherwise, U+FFFD for what is neither.
fn decoded<'a>(body: &'a [u8], media: &Media) -> Cow<'a, str> {
    match media.charset.as_deref() {
        Some("iso-8859-1" | "latin1" | "windows-1252") => {
            body.iter().map(|byte| char::from(*byte)).collect()
        }
        _ => String::from_utf8_lossy(body),
    }
}

/// The media type of an answer.
struct Media {
    /// In lower case, without parameters; empty when there is none.
    essence: String,
    charset: Option<String>,
}

enum Kind {
    Binary,
    Html,
    Json,
    Text,
    Unnamed,
}

impl Media {
    fn of(headers: &HeaderMap) -> Self {
        let value = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let mut parts = value.unwrap_or_default().split(';').map(str::trim);
        let essence = parts.next().unwrap_or_default().to_ascii_lowercase();
        let charset = parts.find_map(|parameter| {
            let (name, value) = parameter.split_once('=')?;
            let is_charset = name.trim().eq_ignore_ascii_case("charset");
            is_charset.then(|| value.trim().trim_matches('"').to_ascii_lowercase())
        });
        Self { essence, charset }
    }

    fn kind(&self) -> Kind {
        let essence = self.essence.as_str();
        match essence {
            "" => Kind::Unnamed,
            "application/json" | "text/json" => Kind::Json,
            "application/xhtml+xml" | "text/html" => Kind::Html,
            "application/csv"
            | "application/graphql"
            | "application/javascript"
            | "application/jsonl"
            | "application/ndjson"
            | "application/problem+xml"
            | "application/toml"
            | "application/x-ndjson"
            | "application/x-www-form-urlencoded"
            | "application/x-yaml"
            | "application/xml"
            | "application/yaml" => Kind::Text,
            _ if essence.ends_with("+json") => Kind::Json,
            _ if essence.starts_with("text/") => Kind::Text,
            _ if essence.ends_with("+xml") || essence.ends_with("+yaml") => Kind::Text,
            _ => Kind::Binary,
        }
    }
}

/// The most text of a failure that is kept, in bytes: enough for a reason, too little for a page.
const MAX_FAILURE_TEXT: usize = 2 * 1024;

#[cfg(test)]
mod tests {
    use callgate_tool::{FaultCode, Reached};
    use serde_json::json;

    use super::*;

    fn answer(status: u16, media_type: &str, body: &'static [u8]) -> Outcome {
        let mut builder = Response::builder().status(status);
        if !media_type.is_empty() {
            builder = builder.header(CONTENT_TYPE, media_type);
        }
        outcome(&builder.body(Bytes::from_static(body)).unwrap(), Effect::Write)
    }

    #[track_caller]
    fn check(media_type: &str, body: &'static [u8], expected: Content) {
        assert_eq!(
            answer(200, media_type, body),
            Outcome::Answered(Answer { status: 200, content: expected })
        );
    }

    #[track_caller]
    fn check_fault(status: u16, media_type: &str, body: &'static [u8]) -> Box<Fault> {
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
    fn a_success_is_read_by_its_media_type() {
        check("", b"", Content::Empty);
        check("application/json", b"{\"a\":1}", Content::Json(json!({"a": 1}).into()));
        check("Application/HAL+JSON; charset=utf-8", b"[1]", Content::Json(json!([1]).into()));
        check("", b"{\"a\":1}", Content::Json(json!({"a": 1}).into()));
        check("", b"hello", plain("hello", "text/plain"));
        check("application/json", b"\xef\xbb\xbf1", Content::Json(json!(1).into()));
        check("text/csv", b"a,b\r\n1,2", plain("a,b\n1,2", "text/csv"));
        check("text/plain; charset=ISO-8859-1", b"caf\xe9", plain("caf\u{e9}", "text/plain"));
        check("text/plain", b"caf\xe9", plain("caf\u{fffd}", "text/plain"));
    }

    #[test]
    fn numbers_of_an_answer_keep_their_digits() {
        let digits = b"[9007199254740993,1.10,1e+400]";
        let Outcome::Answered(Answer { content: Content::Json(json), .. }) =
            answer(200, "application/json", digits)
        else {
            panic!("not JSON");
        };
        assert_eq!(json.value().to_string().as_bytes(), digits);
    }

    static DEEP: [u8; 1000] = [b'['; 1000];

    #[test]
    fn json_that_is_none_is_unreadable() {
        let fault = check_fault(200, "application/json", b"<html>");
        assert_eq!(fault.code, FaultCode::UnreadableResponse);
        let fault = check_fault(200, "application/json", b"{\"v\":\"\xff\"}");
        assert_eq!(fault.code, FaultCode::UnreadableResponse);
        assert_eq!(check_fault(200, "application/json", &DEEP).code, FaultCode::UnreadableResponse);
    }

    #[test]
    fn bytes_that_are_no_text_are_not_supported_yet() {
        let fault = check_fault(200, "image/png", b"\x89PNG");
        assert_eq!(fault.code, FaultCode::NotSupported);
        assert!(fault.message.contains("4 bytes of type `image/png`"), "{}", fault.message);
    }

    #[test]
    fn a_redirect_is_told_without_its_target() {
        let fault = check_fault(302, "", b"");
        assert_eq!(fault.code, FaultCode::ServiceError);
        assert!(fault.message.contains("redirect"), "{}", fault.message);
    }

    #[test]
    fn an_error_keeps_the_services_words() {
        let fault = check_fault(404, "application/problem+json", b"{\"title\":\"no pet\"}");
        assert_eq!(fault.body, Some(json!({"title": "no pet"})));
        let page = b"<html><style>p{}</style><h1>Oops</h1>\n<p>a &amp; b</p></html>";
        let fault = check_fault(500, "text/html", page);
        assert_eq!(fault.body, Some(json!("Oops a & b")));
        assert_eq!(check_fault(500, "", b"").body, None);
        assert_eq!(
            check_fault(502, "application/json", b"bad gateway").body,
            Some(json!("bad gateway"))
        );
    }

    #[test]
    fn the_status_says_what_to_do_next() {
        for (status, for_write, for_read) in [
            (400, Next::CorrectArguments, Next::CorrectArguments),
            (401, Next::GiveUp, Next::GiveUp),
            (403, Next::AskUser, Next::AskUser),
            (404, Next::CorrectArguments, Next::CorrectArguments),
            (405, Next::GiveUp, Next::GiveUp),
            (429, Next::TryLater, Next::TryLater),
            (500, Next::GiveUp, Next::TryLater),
            (501, Next::GiveUp, Next::GiveUp),
            (503, Next::TryLater, Next::TryLater),
        ] {
            assert_eq!(next(status, Effect::Write), for_write, "{status}");
            assert_eq!(next(status, Effect::Read), for_read, "{status}");
        }
    }

    #[test]
    fn retry_after_is_read_in_seconds_only() {
        for (value, expected) in [
            ("120", Some(120)),
            ("0", Some(0)),
            ("-1", None),
            ("Wed, 21 Oct 2015 07:28:00 GMT", None),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(RETRY_AFTER, value.parse().unwrap());
            assert_eq!(retry_after(&headers), expected.map(Duration::from_secs), "{value}");
        }
    }
}
