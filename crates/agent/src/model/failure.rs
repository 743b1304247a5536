//! The reason why a model did not reply, in words for the caller of a turn. No sentence names a header or a credential.

use std::time::{Duration, SystemTime};

use bytes::Bytes;
use callgate_auth::Error as AuthError;
use callgate_tool::{Value, visible_line};
use callgate_transport::Error as TransportError;
use http::{HeaderMap, Response, StatusCode, header::RETRY_AFTER};

#[derive(Clone, Debug)]
pub(crate) struct ModelFailure {
    pub(crate) message: String,
    /// True if the conversation has more tokens than the model can read.
    pub(crate) is_overflow: bool,
    pub(super) is_transient: bool,
    pub(super) retry_after: Option<Duration>,
}

impl ModelFailure {
    fn new(message: String) -> Self {
        Self { message, is_overflow: false, is_transient: false, retry_after: None }
    }

    pub(super) fn of_credential(error: &AuthError) -> Self {
        Self::new(format!("the model has no credential: {error}"))
    }

    pub(super) fn of_transport(error: &TransportError) -> Self {
        let failure = Self::new(format!("the model did not answer: {error}"));
        Self { is_transient: error.is_transient(), ..failure }
    }

    /// The stream ended before the reply did, or did not end in time.
    pub(super) fn cut() -> Self {
        let failure = Self::new("the reply of the model ended before it was whole".to_owned());
        Self { is_transient: true, ..failure }
    }

    pub(super) fn unreadable(problem: String) -> Self {
        Self::new(problem)
    }

    /// The failure of a response that is no success; `text` is its body without secrets.
    pub(super) fn of_status(response: &Response<Bytes>, text: &str) -> Self {
        let status = response.status();
        let body = Value::parse(text).unwrap_or_default();
        let said = said(&body).unwrap_or_default();
        let shown: String = visible_line(said).chars().take(MOST_SHOWN).collect();
        let message = format!("the model answered with status {}", status.as_u16());
        let message = if shown.is_empty() { message } else { format!("{message}: {shown}") };
        let is_overflow = status.is_client_error() && is_overflow(&body, said);
        let is_transient = status.is_server_error()
            || matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::REQUEST_TIMEOUT);
        let retry_after = retry_after(response.headers());
        Self { message, is_overflow, is_transient, retry_after }
    }
}

/// The provider's own words: `error.message` of OpenAI, Anthropic and Gemini, `message` of Bedrock.
fn said(body: &Value) -> Option<&str> {
    let error = body.get("error");
    let message = error.and_then(|error| error.get("message")).or_else(|| body.get("message"));
    message.or(error).and_then(Value::as_str)
}

/// OpenAI has a code for a conversation that is too long. The others only have words for it.
fn is_overflow(body: &Value, said: &str) -> bool {
    let code = body.pointer("/error/code").and_then(Value::as_str);
    let said = said.to_lowercase();
    code == Some("context_length_exceeded") || OVERFLOW.iter().any(|words| said.contains(words))
}

fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?;
    if let Ok(seconds) = text.trim().parse() {
        return Some(Duration::from_secs(seconds));
    }
    let at = httpdate::parse_http_date(text).ok()?;
    Some(at.duration_since(SystemTime::now()).unwrap_or_default())
}

/// The words of Anthropic, Bedrock and Gemini.
const OVERFLOW: [&str; 4] = [
    "prompt is too long",
    "input is too long",
    "exceeds the maximum number of tokens",
    "exceed context limit",
];
const MOST_SHOWN: usize = 400;
