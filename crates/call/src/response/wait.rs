//! The wait that a response asks for before another request: by its headers, and in its body as Google's interfaces write it.
//! Every wait is bounded.

#![warn(clippy::arithmetic_side_effects)]

use std::time::{Duration, SystemTime};

use bytes::Bytes;
use callgate_tool::{Value, clamped_duration};
use http::{
    HeaderMap, Response,
    header::{DATE, RETRY_AFTER},
};

use super::json::begins_like_json;

/// The wait that the headers of a response ask for: milliseconds in `retry-after-ms`, as OpenAI and Azure write it, or
/// `Retry-After` (RFC 9110 §10.2.3): seconds, or a date. The date counts from the response's own `Date`, so that differing
/// clocks do no harm. The transport adds a missing `Date` (§6.6.1). It is bounded.
pub fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let of_milliseconds = headers.get("retry-after-ms").and_then(|value| value.to_str().ok());
    if let Some(milliseconds) = of_milliseconds.and_then(|text| unsigned_number(text.trim())) {
        return Some(clamped_duration(milliseconds / 1000.0));
    }
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    // Shopify, Sentry and Microsoft Graph write a fraction.
    if let Some(seconds) = unsigned_number(text) {
        return Some(clamped_duration(seconds));
    }
    let until = parse_date(text)?;
    let answered = parse_date(headers.get(DATE)?.to_str().ok()?)?;
    let wait = until.duration_since(answered).unwrap_or_default();
    Some(clamped_duration(wait.as_secs_f64()))
}

/// The wait that an error asks for: `retryDelay` of a `google.rpc.RetryInfo` among its `details`, or `retry_after`. It is bounded.
pub fn retry_delay(error: &Value) -> Option<Duration> {
    retry_info_delay(error).or_else(|| retry_after_member_delay(error))
}

/// The seconds in `retry_after`, as Discord and Cloudflare write it, and Telegram among `parameters`.
fn retry_after_member_delay(error: &Value) -> Option<Duration> {
    let holders = [Some(error), error.get("parameters")];
    let stated = holders.into_iter().flatten().find_map(|holder| holder.get("retry_after"))?;
    let seconds = match stated {
        Value::Number(number) => number.as_f64()?,
        Value::String(text) => unsigned_number(text)?,
        _ => return None,
    };
    (seconds >= 0.0).then(|| clamped_duration(seconds))
}

/// The delay that an error of Google's interfaces states.
fn retry_info_delay(error: &Value) -> Option<Duration> {
    let details = error.get("details")?.as_array()?;
    let is_retry_info = |detail: &&Value| {
        let kind = detail.get("@type").and_then(Value::as_str);
        kind.is_some_and(|kind| kind.rsplit('/').next() == Some("google.rpc.RetryInfo"))
    };
    let mut delays = details.iter().filter(is_retry_info).filter_map(|it| it.get("retryDelay"));
    // The JSON of `google.protobuf.Duration`: seconds with up to nine fractional digits, and `s`.
    let seconds = delays.find_map(|delay| unsigned_number(delay.as_str()?.strip_suffix('s')?))?;
    Some(clamped_duration(seconds))
}

/// The wait that the body of a response asks for, as [`retry_delay`] reads it from its error or from all of it. It is bounded.
pub fn retry_delay_in_body(body: &[u8]) -> Option<Duration> {
    let body = std::str::from_utf8(body).ok()?;
    let body = Some(body).filter(|body| begins_like_json(body.as_bytes()))?;
    let body = Value::parse(body).ok()?;
    body.get("error").and_then(retry_delay).or_else(|| retry_delay(&body))
}

/// The wait that a response without success asks for by its headers, or else in its body.
pub(super) fn response_wait(response: &Response<Bytes>) -> Option<Duration> {
    retry_after(response.headers()).or_else(|| retry_delay_in_body(response.body()))
}

/// A number of digits with a fraction or without.
fn unsigned_number(text: &str) -> Option<f64> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    text.parse().ok().filter(|_| is_plain)
}

fn parse_date(text: &str) -> Option<SystemTime> {
    httpdate::parse_http_date(text.trim()).ok()
}

#[cfg(test)]
mod tests {
    use callgate_tool::json;

    use super::*;

    const YEAR: u64 = 365 * 24 * 3600;

    #[test]
    fn retry_after_is_read_in_seconds_and_as_a_date() {
        for (value, date, expected) in [
            ("120", None, Some(120)),
            ("0", None, Some(0)),
            ("-1", None, None),
            ("18446744073709551615", None, Some(YEAR)),
            ("99999999999999999999999", None, Some(YEAR)),
            ("Fri, 31 Dec 9999 23:59:59 GMT", Some("Wed, 21 Oct 2015 07:26:30 GMT"), Some(YEAR)),
            ("Wed, 21 Oct 2015 07:28:00 GMT", None, None),
            ("Wed, 21 Oct 2015 07:28:00 GMT", Some("Wed, 21 Oct 2015 07:26:30 GMT"), Some(90)),
            ("Wed, 21 Oct 2015 07:28:00 GMT", Some("Wed, 21 Oct 2015 08:00:00 GMT"), Some(0)),
            ("tomorrow", Some("Wed, 21 Oct 2015 08:00:00 GMT"), None),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(RETRY_AFTER, value.parse().unwrap());
            if let Some(date) = date {
                headers.insert(DATE, date.parse().unwrap());
            }
            assert_eq!(retry_after(&headers), expected.map(Duration::from_secs), "{value}");
        }
    }

    #[test]
    fn seconds_may_have_a_fraction() {
        for (value, expected) in [
            ("2.0", Some(2000)),
            ("0.503", Some(503)),
            ("292.052427053", Some(292_052)),
            ("1.5.2", None),
            (".", None),
            ("1e3", None),
            ("1,5", None),
        ] {
            let headers = HeaderMap::from_iter([(RETRY_AFTER, value.parse().unwrap())]);
            let wait = retry_after(&headers).map(|wait| wait.as_millis());
            assert_eq!(wait, expected, "{value}");
        }
    }

    #[test]
    fn milliseconds_count_before_seconds() {
        for (value, expected) in [
            ("1500", Some(1500)),
            (" 20.5 ", Some(20)),
            ("0", Some(0)),
            ("99999999999999999999999", Some(YEAR * 1000)),
            // What is no number leaves the seconds.
            ("-1", Some(7000)),
            ("", Some(7000)),
            (".", Some(7000)),
            ("NaN", Some(7000)),
            ("inf", Some(7000)),
            ("1e9", Some(7000)),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert("retry-after-ms", value.parse().unwrap());
            headers.insert(RETRY_AFTER, "7".parse().unwrap());
            let wait = retry_after(&headers).map(|wait| wait.as_millis());
            assert_eq!(wait, expected.map(u128::from), "{value}");
        }
    }

    #[test]
    fn a_body_states_the_seconds_of_the_wait() {
        for (body, expected) in [
            (
                r#"{"message": "You are being rate limited.", "retry_after": 226.591, "global": false}"#,
                Some(226_591),
            ),
            (
                r#"{"ok":false,"error_code":429,"description":"Too Many Requests: retry after 14","parameters":{"retry_after":14}}"#,
                Some(14_000),
            ),
            (r#"{"error":{"code":524,"retry_after":"120"}}"#, Some(120_000)),
            (r#"{"retry_after":1e300}"#, Some(YEAR * 1000)),
            (r#"{"retry_after":-1}"#, None),
            (r#"{"retry_after":"soon"}"#, None),
            (r#"{"retry_after":null}"#, None),
        ] {
            let wait = retry_delay_in_body(body.as_bytes()).map(|wait| wait.as_millis());
            assert_eq!(wait, expected.map(u128::from), "{body}");
        }
    }

    #[test]
    fn a_retry_info_of_google_names_the_wait() {
        let kind = "type.googleapis.com/google.rpc.RetryInfo";
        for (details, expected) in [
            (json!([{"@type": kind, "retryDelay": "3.2s"}]), Some(3200)),
            (json!([{"@type": kind, "retryDelay": "34s"}]), Some(34_000)),
            (json!([{"@type": "x"}, {"@type": kind, "retryDelay": "0.050s"}]), Some(50)),
            (json!([{"@type": kind, "retryDelay": "99999999999999999999s"}]), Some(YEAR * 1000)),
            (json!([{"@type": kind, "retryDelay": "-3s"}]), None),
            (json!([{"@type": kind, "retryDelay": "3"}]), None),
            (json!([{"@type": kind, "retryDelay": "s"}]), None),
            (json!([{"@type": kind, "retryDelay": 3}]), None),
            (json!([{"@type": kind}]), None),
            (json!([{"@type": "google.rpc.Other", "retryDelay": "3s"}]), None),
            (json!({"@type": kind, "retryDelay": "3s"}), None),
        ] {
            let body = json!({"error": {"code": 429, "details": details}}).to_string();
            let response = Response::new(Bytes::from(body.clone()));
            let wait = response_wait(&response).map(|wait| wait.as_millis());
            assert_eq!(wait, expected.map(u128::from), "{body}");
            let mut response = response;
            response.headers_mut().insert(RETRY_AFTER, "1".parse().unwrap());
            assert_eq!(response_wait(&response), Some(Duration::from_secs(1)), "{body}");
        }
        for body in ["", "[]", "7", "<p>", r#"{"error":"later"}"#] {
            assert_eq!(response_wait(&Response::new(Bytes::from(body))), None, "{body}");
        }
    }
}
