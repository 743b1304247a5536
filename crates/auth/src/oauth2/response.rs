//! The response of a token endpoint, read as servers write it: a token under any media type, in JSON or in a form, and a
//! refusal under any status. Of the server's text only the token, a standard's code and the reason of a refusal leave this module.

use std::time::Duration;

use bytes::Bytes;
use callgate_tool::clamped_duration;
use http::{
    HeaderMap, Response, StatusCode,
    header::{CONTENT_TYPE, RETRY_AFTER},
};
use serde_json::{Map, Value};
use url::form_urlencoded;

use super::{
    codes::{ITS_OWN, standard_code},
    failure::{EndpointFailure, Retry},
    token_response::TokenResponse,
};
use crate::challenge::challenges;

pub(super) fn token_response(answer: &Response<Bytes>) -> Result<TokenResponse, EndpointFailure> {
    if !answer.status().is_success() {
        return Err(endpoint_failure(answer));
    }
    if answer.body().trim_ascii().is_empty() {
        let why = "the answer of the token endpoint is empty";
        return Err(EndpointFailure::unavailable(why, Retry::Soon));
    }
    let members = body_members(answer.body())
        .filter(|members| members.get("access_token").is_some_and(Value::is_string));
    members.map_or_else(|| Err(endpoint_failure(answer)), TokenResponse::from_members)
}

pub(super) fn endpoint_failure(answer: &Response<Bytes>) -> EndpointFailure {
    let status = answer.status();
    let challenges = challenges(answer.headers());
    let challenge = challenges.iter().find(|challenge| challenge.reason().is_some());
    let code = refusal_code(answer.body()).or_else(|| {
        let code = challenge?.error.unwrap_or_default().to_ascii_lowercase();
        Some(standard_code(&code).unwrap_or(ITS_OWN))
    });
    let said = refusal_reason(answer.body())
        .or_else(|| challenge?.description.clone())
        .or_else(|| plain_text_reason(answer));
    // ServiceNow says `server_error` to a wrong secret, with the status 401.
    let is_refusal = matches!(status, StatusCode::FORBIDDEN | StatusCode::UNAUTHORIZED);
    match code {
        Some("server_error" | "temporarily_unavailable") if !is_refusal => {
            temporary_failure(answer, Retry::Later, said)
        }
        Some(code) if status.is_client_error() && !is_temporary_refusal(status) => {
            EndpointFailure::Refused { code, said }
        }
        Some(code) if status.is_success() => EndpointFailure::Refused { code, said },
        _ => status_failure(answer, said),
    }
}

/// The code of the refusal in a body, if it contains one: where RFC 6749 §5.2 has it, or where servers of other
/// traditions have it.
pub(super) fn refusal_code(body: &[u8]) -> Option<&'static str> {
    let members = body_members(body)?;
    let error = members.get("error").filter(|error| is_filled_error(error));
    let inner = error.and_then(Value::as_object);
    let inner = inner.into_iter().flat_map(|inner| INNER.iter().map(|name| inner.get(*name)));
    let outer = OUTER.iter().map(|name| members.get(*name));
    let mut said = inner.chain(outer).chain([error]).flatten().filter_map(Value::as_str);
    let standard = said.find_map(|said| standard_code(&said.to_ascii_lowercase()));
    let is_refusal =
        error.is_some() || (has_server_code(&members) && refusal_reason(body).is_some());
    standard.or_else(|| is_refusal.then_some(ITS_OWN))
}

/// True if there is a code of the server's own: 0 and 200 say that all is well.
fn has_server_code(members: &Map<String, Value>) -> bool {
    let mut codes = OUTER.iter().filter_map(|name| members.get(*name));
    codes.any(|code| is_filled_error(code) && *code != 200 && *code != "0")
}

/// The reason of a refusal, where RFC 6749 §5.2 has it, or where servers of other traditions have it: in the first member of
/// `REASONS` that holds words, however deep, or as a code of the server's own.
fn refusal_reason(body: &[u8]) -> Option<String> {
    let own = |members: Map<String, Value>| {
        first_reason_in_members(&members, MOST_LEVELS).map(ToOwned::to_owned)
    };
    let reason = body_members(body).map_or_else(|| reason_in_list(body), own);
    reason.filter(|reason| standard_code(&reason.to_ascii_lowercase()).is_none())
}

fn reason_in_list(body: &[u8]) -> Option<String> {
    let list: Vec<Map<String, Value>> = serde_json::from_slice(body).ok()?;
    list.iter()
        .find_map(|members| first_reason_in_members(members, MOST_LEVELS))
        .map(ToOwned::to_owned)
}

fn first_reason_in_members(members: &Map<String, Value>, levels: usize) -> Option<&str> {
    let mut values = REASONS.iter().filter_map(|name| members.get(*name));
    values.find_map(|value| first_text_in(value, levels))
}

fn first_text_in(value: &Value, levels: usize) -> Option<&str> {
    let below = levels.checked_sub(1)?;
    match value {
        Value::Array(items) => items.iter().find_map(|item| first_text_in(item, below)),
        Value::Object(members) => first_reason_in_members(members, below),
        Value::String(text) => Some(text.trim()).filter(|text| !text.is_empty()),
        _ => None,
    }
}

/// A refusal that is text alone: neither a form nor the address of a redirect, which may have secrets of others.
fn plain_text_reason(answer: &Response<Bytes>) -> Option<String> {
    let media_type = answer.headers().get(CONTENT_TYPE)?.to_str().ok()?;
    let is_text = media_type.to_ascii_lowercase().starts_with("text/plain");
    let text = std::str::from_utf8(answer.body()).ok()?.trim();
    let status = answer.status();
    let is_failure = status.is_client_error() || status.is_server_error();
    let is_reason =
        is_text && is_failure && !text.is_empty() && body_members(answer.body()).is_none();
    (is_reason && !text.starts_with(['<', '{', '['])).then(|| text.to_owned())
}

fn is_filled_error(error: &Value) -> bool {
    !matches!(error, Value::Null | Value::Bool(false)) && *error != "" && *error != 0
}

/// The members of a body, whatever its media type says.
fn body_members(body: &[u8]) -> Option<Map<String, Value>> {
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body).trim_ascii();
    if body.starts_with(b"{") {
        return serde_json::from_slice(body).ok();
    }
    let is_form = FORMS.iter().any(|first| body.starts_with(first));
    let is_form = is_form || body.windows(14).any(|window| window == b"&access_token=");
    let pairs = is_form.then(|| form_urlencoded::parse(body).into_owned())?;
    Some(pairs.map(|(name, value)| (name, Value::String(value))).collect())
}

fn status_failure(answer: &Response<Bytes>, said: Option<String>) -> EndpointFailure {
    let status = answer.status();
    let retry = match status {
        StatusCode::BAD_GATEWAY | StatusCode::GATEWAY_TIMEOUT | StatusCode::SERVICE_UNAVAILABLE => {
            Retry::Soon
        }
        _ => Retry::Later,
    };
    if status.is_server_error() || is_temporary_refusal(status) {
        return temporary_failure(answer, retry, said);
    }
    let why = if status.is_redirection() {
        "the token endpoint redirects, which is not followed".into()
    } else if status.is_success() {
        NO_TOKEN.into()
    } else {
        format!("the token endpoint answered {}, which is no token", status.as_u16()).into()
    };
    EndpointFailure::Unreadable { why, said }
}

fn temporary_failure(
    answer: &Response<Bytes>,
    retry: Retry,
    said: Option<String>,
) -> EndpointFailure {
    let why = match answer.status() {
        StatusCode::TOO_MANY_REQUESTS => "the token endpoint has had too many requests",
        _ => "the token endpoint is out of order",
    };
    let retry = retry_after(answer.headers()).map_or(retry, Retry::After);
    EndpointFailure::Unavailable { why, retry, said }
}

/// Client errors that go away by themselves: RFC 9110 §15.5.9, RFC 8470 §5.2, RFC 6585 §4.
fn is_temporary_refusal(status: StatusCode) -> bool {
    [StatusCode::REQUEST_TIMEOUT, StatusCode::TOO_EARLY, StatusCode::TOO_MANY_REQUESTS]
        .contains(&status)
}

/// The seconds of `Retry-After`; a date there counts as missing.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    // Some servers write a fraction.
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    text.parse().ok().filter(|_| is_number).map(clamped_duration)
}

const NO_TOKEN: &str = "the answer of the token endpoint is no token";

/// The members of a refusal beside `error` in which servers write a code.
const OUTER: [&str; 5] = ["errorCode", "ErrorCode", "error_code", "code", "errcode"];

/// The members in which servers write a reason, the likeliest first; the last ones hold objects and lists with them, or a code.
const REASONS: [&str; 19] = [
    "error_description",
    "errorSummary",
    "Error",
    "message",
    "error_message",
    "msg",
    "errmsg",
    "error_msg",
    "errorMessage",
    "Message",
    "reason",
    "description",
    "detail",
    "faultstring",
    "title",
    "error",
    "errors",
    "fault",
    "non_field_errors",
];
/// The levels of a refusal down to its words.
const MOST_LEVELS: usize = 5;

/// The members of an object at `error` in which servers write a code.
const INNER: [&str; 4] = ["code", "error", "status", "type"];

/// The beginnings of a form.
const FORMS: [&[u8]; 2] = [b"access_token=", b"error="];

#[cfg(test)]
mod tests;
