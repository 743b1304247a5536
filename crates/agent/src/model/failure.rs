//! The reason why a model did not reply, in words for the caller of a turn. No sentence names a header or a credential.

use std::time::Duration;

use bytes::Bytes;
use callgate_auth::Error as AuthError;
use callgate_call::{retry_after, retry_delay};
use callgate_secret::Masker;
use callgate_tool::{Reached, Value, escape_invisible_in_line};
use callgate_transport::{Error as TransportError, ErrorKind};
use http::{HeaderMap, Response, StatusCode};

use super::{overflow::is_overflow, refusal::is_refusal};
use crate::wire::{ReplyFault, error_words, is_transient_error, take_error};

#[derive(Clone, Debug)]
pub(crate) struct ModelFailure {
    pub(crate) message: String,
    /// True if the conversation has more tokens than the model can read.
    pub(crate) is_overflow: bool,
    /// True if the provider refused the content of the request.
    pub(crate) is_refusal: bool,
    pub(super) is_transient: bool,
    pub(super) retry_after: Option<Duration>,
}

impl ModelFailure {
    fn new(message: String) -> Self {
        Self {
            message,
            is_overflow: false,
            is_refusal: false,
            is_transient: false,
            retry_after: None,
        }
    }

    pub(super) fn of_credential(error: &AuthError) -> Self {
        Self::new(format!("the model has no credential: {error}"))
    }

    pub(super) fn of_transport(error: &TransportError) -> Self {
        let failure = Self::new(format!("the model did not answer: {error}"));
        // A model that is only slow writes on, and its reply is paid for.
        let is_slow = error.kind() == ErrorKind::TimedOut && error.reached_service() != Reached::No;
        Self { is_transient: error.is_transient() && !is_slow, ..failure }
    }

    /// The stream paused for longer than the time of the model. Its reply is paid for, so it is not asked for again.
    pub(super) fn stream_pause(limit: Duration) -> Self {
        let seconds = limit.as_secs_f64();
        Self::new(format!("the reply of the model paused for more than {seconds} s, its `timeout`"))
    }

    /// The stream ended before the reply did; this text without secrets came in place of an event.
    pub(super) fn cut_stream(stray_text: &str) -> Self {
        let shown = message_excerpt(stray_text.trim());
        let message = "the reply of the model ended before it was whole".to_owned();
        let message = if shown.is_empty() {
            message
        } else {
            format!("{message}; its server also wrote: {shown}")
        };
        Self { is_transient: true, ..Self::new(message) }
    }

    pub(super) fn unreadable(problem: String) -> Self {
        Self::new(problem)
    }

    /// The failure of a reply that is an error, or that cannot be read.
    pub(super) fn of_reply(fault: &ReplyFault, masker: &Masker<'_>) -> Self {
        let failure = Self::new(message_excerpt(&masker.mask_text(&fault.message)));
        let Some(error) = &fault.error else { return failure };
        let is_overflow = is_overflow(error, &fault.message);
        let is_refusal = !is_overflow && is_refusal(error, &fault.message);
        let is_final = is_overflow || is_refusal || is_unpaid(error, &fault.message);
        let is_transient = !is_final && is_transient(error);
        let retry_after = retry_delay(error);
        Self { is_overflow, is_refusal, is_transient, retry_after, ..failure }
    }

    /// The failure of a response that is no success; `text` is its body without secrets.
    pub(super) fn of_status(response: &Response<Bytes>, text: &str) -> Self {
        let status = response.status();
        let (error, said) = error_and_words(text);
        let shown = message_excerpt(&said);
        let message = format!("the model answered with status {}", status.as_u16());
        let message = if shown.is_empty() { message } else { format!("{message}: {shown}") };
        // llama.cpp says it with the status 500.
        let is_overflow = status == StatusCode::PAYLOAD_TOO_LARGE || is_overflow(&error, &said);
        let is_refusal = !is_overflow && is_refusal(&error, &said);
        let is_said =
            (is_transient_status(status) || is_transient(&error)) && !is_unpaid(&error, &said);
        let may_pass = provider_retry_hint(response.headers()).unwrap_or(is_said);
        let is_transient = !is_overflow && !is_refusal && may_pass;
        let retry_after = retry_after(response.headers()).or_else(|| retry_delay(&error));
        Self { message, is_overflow, is_refusal, is_transient, retry_after }
    }
}

/// The error in the body of a response, and its words. A body that is neither JSON nor a page is words.
fn error_and_words(text: &str) -> (Value, String) {
    let Ok(mut body) = Value::parse(text) else {
        let is_page = text.trim_start().starts_with('<');
        return (Value::Null, if is_page { String::new() } else { text.trim().to_owned() });
    };
    let error = take_error(&mut body).unwrap_or(body);
    let said = error_words(&error);
    (error, said)
}

/// The provider's own word on whether the request may succeed later, as OpenAI and Anthropic send it.
fn provider_retry_hint(headers: &HeaderMap) -> Option<bool> {
    headers.get("x-should-retry")?.to_str().ok()?.parse().ok()
}

/// Words of a provider as one line.
fn message_excerpt(said: &str) -> String {
    escape_invisible_in_line(said).chars().take(MOST_SHOWN).collect()
}

/// True for a status after which a provider may take the same request; 409 is a lock that was not free, 498 Groq's want of resources.
fn is_transient_status(status: StatusCode) -> bool {
    status.is_server_error() || matches!(status.as_u16(), 408 | 409 | 429 | 498)
}

/// True for an account that has to be paid for first, which many providers say with the status 429.
fn is_unpaid(error: &Value, said: &str) -> bool {
    let mut kinds = KINDS.iter().filter_map(|name| error.get(*name)?.as_str());
    kinds.any(|kind| UNPAID.contains(&kind)) && !said.contains(TOKEN_LIMIT)
}

/// True for the error of a reply that stands for a status after which a request is sent again. Its kind is a name or a
/// status.
fn is_transient(error: &Value) -> bool {
    let mut kinds = KINDS.iter().filter_map(|name| error.get(*name));
    kinds.any(|kind| {
        let name = kind.as_str().unwrap_or_default();
        let status = kind.as_u64().or_else(|| name.parse().ok());
        let status =
            status.and_then(|status| StatusCode::from_u16(u16::try_from(status).ok()?).ok());
        status.is_some_and(is_transient_status) || is_transient_error(name)
    })
}

const MOST_SHOWN: usize = 400;
/// The members of an error that say its kind: a name or a status.
const KINDS: [&str; 4] = ["code", "status", "status_code", "type"];
/// The kinds of errors of accounts: of OpenAI and Moonshot, and of those that copy them.
const UNPAID: [&str; 5] = [
    "billing_error",
    "billing_hard_limit_reached",
    "billing_not_active",
    "exceeded_current_quota_error",
    "insufficient_quota",
];
/// The page that `DashScope` names where `insufficient_quota` is its limit of tokens for a minute.
const TOKEN_LIMIT: &str = "error-code#token-limit";

#[cfg(test)]
mod tests {
    use callgate_secret::Secret;
    use callgate_tool::json;

    use super::*;

    #[track_caller]
    fn check(error: &Value, is_transient: bool, is_overflow: bool) {
        let message = error["message"].as_str().unwrap_or_default().to_owned();
        let fault = ReplyFault { message, error: Some(error.clone()) };
        let failure = ModelFailure::of_reply(&fault, &Masker::new(Vec::new()));
        assert_eq!(
            (failure.is_transient, failure.is_overflow),
            (is_transient, is_overflow),
            "{error}"
        );
    }

    #[test]
    fn errors_of_streams_are_transient_by_their_names_and_statuses() {
        check(&json!({"type": "overloaded_error", "message": "Overloaded"}), true, false);
        check(&json!({"type": "invalid_request_error", "message": "bad"}), false, false);
        check(&json!({"type": "throttlingException"}), true, false);
        check(&json!({"type": "validationException"}), false, false);
        check(&json!({"code": 503, "status": "UNAVAILABLE"}), true, false);
        check(&json!({"code": 400, "status": "INVALID_ARGUMENT"}), false, false);
        check(&json!({"code": "429", "message": "later"}), true, false);
        check(&json!({"code": "rate_limit_exceeded", "type": "tokens"}), true, false);
        check(&json!({"code": "context_length_exceeded", "type": "error"}), false, true);
        check(
            &json!({"type": "invalid_request_error", "message": "prompt is too long"}),
            false,
            true,
        );
        check(&json!("busy"), false, false);
        check(&json!({"code": 99999, "type": null}), false, false);
        check(&json!({"code": "too_many_requests"}), true, false);
        check(&json!({"code": "tool_use_failed", "status_code": 400}), true, false);
        check(&json!({"message": "busy", "status_code": 503}), true, false);
        check(&json!({"code": 429, "type": "insufficient_quota"}), false, false);
        let limit = "Allocated quota exceeded. See: https://help.example/model-studio/error-code#token-limit";
        let error = json!({"code": 429, "type": "insufficient_quota", "message": limit});
        check(&error, true, false);
    }

    #[test]
    fn a_response_is_transient_by_its_status_unless_its_provider_says_other() {
        let quota = r#"{"error":{"message":"pay","type":"exceeded_current_quota_error"}}"#;
        let minute =
            r#"{"error":{"message":"See: error-code#token-limit","code":"insufficient_quota"}}"#;
        let no_call = r#"{"error":{"message":"bad call","code":"tool_use_failed"}}"#;
        for (status, header, body, is_transient, is_overflow) in [
            (429_u16, None, "busy", true, false),
            (409, None, "", true, false),
            (498, None, "", true, false),
            (529, None, "", true, false),
            (400, None, "", false, false),
            (429, None, quota, false, false),
            (429, None, minute, true, false),
            (400, None, no_call, true, false),
            (429, Some("false"), "busy", false, false),
            (400, Some("true"), "busy", true, false),
            (429, Some("perhaps"), "busy", true, false),
            (413, Some("true"), "<html>", false, true),
        ] {
            let response = Response::builder().status(status);
            let response =
                header.into_iter().fold(response, |it, value| it.header("x-should-retry", value));
            let response = response.body(Bytes::new()).unwrap();
            let failure = ModelFailure::of_status(&response, body);
            let ends = (failure.is_transient, failure.is_overflow);
            assert_eq!(ends, (is_transient, is_overflow), "{status} {header:?} {body}");
        }
    }

    #[test]
    fn words_of_a_response_are_shown_whatever_its_form_and_pages_are_not() {
        for (body, expected) in [
            ("no healthy upstream\n", ": no healthy upstream"),
            ("<html><body>502</body></html>", ""),
            (r#"{"Message":"no rights"}"#, ": no rights"),
            (r#"{"detail":[{"loc":["body"],"msg":"Field required"}]}"#, ": Field required"),
            (r#"{"success":false,"errors":[{"code":7,"message":"no model"}]}"#, ": no model"),
            ("{}", ""),
            ("", ""),
        ] {
            let response = Response::builder().status(502).body(Bytes::new()).unwrap();
            let failure = ModelFailure::of_status(&response, body);
            assert_eq!(failure.message, format!("the model answered with status 502{expected}"));
        }
    }

    #[test]
    fn the_wait_that_a_provider_asks_for_is_read_from_headers_bodies_and_streams() {
        let error = json!({"code": 429, "status": "RESOURCE_EXHAUSTED", "details": [
            {"@type": "type.googleapis.com/google.rpc.QuotaFailure"},
            {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "3.2s"},
        ]});
        let body = json!({"error": error}).to_string();
        let list = format!("[{body}]");
        for (header, body, expected) in [
            (None, &*body, Some(3200)),
            (None, &*list, Some(3200)),
            (Some(("retry-after-ms", "1500")), &*body, Some(1500)),
            (Some(("retry-after-ms", "1500")), "busy", Some(1500)),
            (Some(("retry-after", "2")), &*body, Some(2000)),
            (None, "busy", None),
        ] {
            let builder = Response::builder().status(429);
            let builder =
                header.into_iter().fold(builder, |it, (name, value)| it.header(name, value));
            let response = builder.body(Bytes::from(body.to_owned())).unwrap();
            let failure = ModelFailure::of_status(&response, body);
            let wait = failure.retry_after.map(|wait| wait.as_millis());
            assert_eq!((failure.is_transient, wait), (true, expected), "{header:?} {body}");
        }
        let fault = ReplyFault { message: String::new(), error: Some(error) };
        let failure = ModelFailure::of_reply(&fault, &Masker::new(Vec::new()));
        assert_eq!(failure.retry_after, Some(Duration::from_millis(3200)));
        assert!(failure.is_transient);
    }

    #[test]
    fn a_key_that_a_provider_repeats_in_a_stream_is_masked() {
        let masker = Masker::new(vec![Secret::new("model-key-0123456789".to_owned())]);
        let message = "the model failed: no key\nmodel-key-0123456789".to_owned();
        let failure = ModelFailure::of_reply(&ReplyFault { message, error: None }, &masker);
        assert!(
            failure.message.ends_with("****") && !failure.message.contains('\n'),
            "{failure:?}"
        );
    }
}
