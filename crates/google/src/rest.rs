//! Requests to Google's services over our own transport, so that its rules and limits apply to them too. A refusal
//! keeps the status and Google's code for it; the rest of the response is dropped, unless the caller asked for it.

use std::{
    sync::Arc,
    time::{Duration, SystemTime},
};

use bytes::Bytes;
use callgate_secret::Secret;
use callgate_transport::{Clock, CredentialPlaces, Limits, Transport};
use http::{
    HeaderValue, Method, Request, Response,
    header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE},
};
use serde_json::Value;

use crate::error::{self, Error};

/// The connection to Google's services. Clones share the transport.
#[derive(Clone, Debug)]
pub struct Rest {
    transport: Arc<dyn Transport>,
    limits: Limits,
    clock: Clock,
}

#[derive(Debug)]
pub(crate) struct ServiceRequest<'a> {
    pub(crate) service: &'static str,
    pub(crate) url: &'a str,
    pub(crate) token: Option<&'a Secret>,
    /// The content type and the text of the body; `None` for a request without a body.
    pub(crate) body: Option<(&'static str, String)>,
}

impl Rest {
    /// Reaches Google over `transport`.
    pub fn new(transport: Arc<dyn Transport>) -> Self {
        let limits = Limits { timeout: TIMEOUT, response_bytes: ANSWER_BYTES };
        Self { transport, limits, clock: Clock::default() }
    }

    /// Uses another clock for assertions and for the expiry of tokens. Signatures of Google's library use the machine's
    /// clock.
    #[must_use]
    pub fn with_clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }

    pub(crate) fn now(&self) -> SystemTime {
        self.clock.now()
    }

    pub(crate) async fn send_request(&self, question: ServiceRequest<'_>) -> Result<Value, Error> {
        let service = question.service;
        let request = http_request(question)?;
        let sent = self.transport.send(request, &self.limits).await;
        let response = sent.map_err(|error| error::unsent(service, &error))?;
        successful_response_json(service, &response)
    }
}

fn http_request(question: ServiceRequest<'_>) -> Result<Request<Bytes>, Error> {
    let ServiceRequest { service, url, token, body } = question;
    let method = if body.is_some() { Method::POST } else { Method::GET };
    let mut request = Request::builder().method(method).uri(url).header(ACCEPT, "application/json");
    if let Some((media_type, _)) = &body {
        request = request.header(CONTENT_TYPE, *media_type);
    }
    let text = body.map(|(_, text)| text).unwrap_or_default();
    let mut request =
        request.body(Bytes::from(text)).map_err(|_| error::unexpected_answer(service))?;
    if let Some(token) = token {
        let value = HeaderValue::try_from(format!("Bearer {}", token.expose()));
        let mut value = value.map_err(|_| error::unusable_token())?;
        value.set_sensitive(true);
        request.headers_mut().insert(AUTHORIZATION, value);
        CredentialPlaces::mark_header(request.extensions_mut(), AUTHORIZATION);
    }
    Ok(request)
}

fn successful_response_json(
    service: &'static str,
    response: &Response<Bytes>,
) -> Result<Value, Error> {
    let json: Option<Value> = serde_json::from_slice(response.body()).ok();
    if response.status() != 200 {
        let code = json.as_ref().and_then(refusal_code);
        return Err(error::service_refusal(service, response.status().as_u16(), code));
    }
    json.filter(Value::is_object).ok_or_else(|| error::unexpected_answer(service))
}

/// Google's code for a refusal: `PERMISSION_DENIED` of its services, `invalid_grant` of its token endpoint (RFC 6749
/// §5.2). Text that does not look like such a code is not passed on.
fn refusal_code(json: &Value) -> Option<&str> {
    let error = json.get("error")?;
    let word = error.as_str().or_else(|| error.get("status")?.as_str())?;
    let is_word = !word.is_empty()
        && word.len() <= 40
        && word.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'_');
    is_word.then_some(word)
}

const TIMEOUT: Duration = Duration::from_secs(10);

/// The size limit of a response. A secret has 64 KiB at most, a third more as base64, and a few names around it.
const ANSWER_BYTES: usize = 128 * 1024;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;

    #[track_caller]
    fn check(status: u16, body: &str, expected: Result<(), (ErrorKind, &str)>) {
        let response =
            Response::builder().status(status).body(Bytes::from(body.to_owned())).unwrap();
        let found = successful_response_json("the service", &response);
        match expected {
            Ok(()) => assert!(found.is_ok(), "{found:?}"),
            Err((kind, end)) => {
                let error = found.unwrap_err();
                assert_eq!(error.kind(), kind, "{error}");
                let shown = error.to_string();
                assert!(shown.ends_with(end) && !shown.contains("canary"), "{shown}");
            }
        }
    }

    #[test]
    fn an_undocumented_answer_is_refused() {
        check(200, "{}", Ok(()));
        check(200, "[]", Err((ErrorKind::Unexpected, "says")));
        check(200, "<html>canary", Err((ErrorKind::Unexpected, "says")));
        check(200, "", Err((ErrorKind::Unexpected, "says")));
        check(302, "{}", Err((ErrorKind::Denied, "302")));
        check(401, "canary", Err((ErrorKind::Denied, "401")));
        let denied = r#"{"error":{"code":403,"message":"canary","status":"PERMISSION_DENIED"}}"#;
        check(403, denied, Err((ErrorKind::Denied, "403, PERMISSION_DENIED")));
        let grant = r#"{"error":"invalid_grant","error_description":"canary"}"#;
        check(400, grant, Err((ErrorKind::Denied, "400, invalid_grant")));
        check(400, r#"{"error":"canary canary"}"#, Err((ErrorKind::Denied, "400")));
        check(404, r#"{"error":{"status":"NOT_FOUND"}}"#, Err((ErrorKind::NotFound, "NOT_FOUND")));
        check(503, "", Err((ErrorKind::Unavailable, "503")));
        check(429, "", Err((ErrorKind::Unavailable, "429")));
    }
}
