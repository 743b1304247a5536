//! Reads AWS's refusals of a signature, and explains to an operator how to fix them. AWS responds in XML, in JSON and
//! in a header; only times and a region are repeated from its text.

use std::time::SystemTime;

use bytes::Bytes;
use http::{HeaderMap, Response, header::DATE};
use serde_json::Value;

/// The problem of the signature according to the response; `None` if the response refuses something else. `now` is the
/// time of its arrival.
pub(super) fn signature_problem(answer: &Response<Bytes>, now: SystemTime) -> Option<String> {
    let said = SignatureRefusal::from_response(answer);
    let why = match said.name.as_str() {
        // IAM User Guide, "Troubleshoot signed requests"; S3 API Reference, "Error responses"; EC2 "Error codes".
        "RequestExpired" | "RequestTimeTooSkewed" => said.clock_skew_explanation(now),
        "InvalidSignatureException" | "SignatureDoesNotMatch" if said.is_about_time() => {
            said.clock_skew_explanation(now)
        }
        "InvalidSignatureException" | "SignatureDoesNotMatch" => DIFFERENT.to_owned(),
        "ExpiredToken" | "ExpiredTokenException" | "TokenRefreshRequired" => EXPIRED.to_owned(),
        "InvalidAccessKeyId" | "InvalidClientTokenId" | "UnrecognizedClientException" => {
            UNKNOWN.to_owned()
        }
        "AuthorizationHeaderMalformed" | "CredentialScopeMismatch" => {
            said.wrong_region_explanation()
        }
        _ => return None,
    };
    Some(why)
}

#[derive(Debug, Default)]
struct SignatureRefusal {
    /// The error's name, without a namespace.
    name: String,
    message: String,
    request_time: Option<String>,
    server_time: Option<String>,
    region: Option<String>,
}

impl SignatureRefusal {
    fn from_response(answer: &Response<Bytes>) -> Self {
        let mut said = Self::from_body(answer.body());
        let headers = answer.headers();
        // `x-amzn-ErrorType: InvalidSignatureException:http://…`, of services that speak JSON.
        if let Some(name) = header_text(headers, "x-amzn-errortype") {
            name.split(':').next().unwrap_or_default().clone_into(&mut said.name);
        }
        if let Some((_, name)) = said.name.rsplit_once('#') {
            said.name = name.to_owned();
        }
        // `Signature expired: A is now earlier than B (C - 5 min.)`, `Signature not yet current: A is still later than B (C + 5 min.)`
        if let Some((_, times)) =
            said.message.split_once("Signature ").filter(|_| said.is_about_time())
        {
            let (_, times) = times.split_once(": ").unwrap_or_default();
            let (_, theirs) = times.split_once('(').unwrap_or_default();
            said.request_time = times.split(' ').next().and_then(harmless_time_text);
            said.server_time = theirs.split(' ').next().and_then(harmless_time_text);
        }
        let date = || headers.get(DATE).and_then(|date| harmless_time_text(date.to_str().ok()?));
        said.server_time = said.server_time.take().or_else(date);
        said
    }

    fn from_body(body: &[u8]) -> Self {
        if let Ok(Value::Object(members)) = serde_json::from_slice(body) {
            let member = |names: [&str; 3]| {
                let value = names.into_iter().find_map(|name| members.get(name)?.as_str());
                value.unwrap_or_default().to_owned()
            };
            let (name, message) =
                (["__type", "code", "Code"], ["message", "Message", "errorMessage"]);
            return Self { name: member(name), message: member(message), ..Self::default() };
        }
        let body = String::from_utf8_lossy(body);
        let element = |name: &str| {
            let (_, rest) = body.split_once(&format!("<{name}>"))?;
            rest.split_once(&format!("</{name}>")).map(|(text, _)| text)
        };
        Self {
            name: element("Code").unwrap_or_default().to_owned(),
            message: element("Message").unwrap_or_default().to_owned(),
            request_time: element("RequestTime").and_then(harmless_time_text),
            server_time: element("ServerTime").and_then(harmless_time_text),
            region: element("Region").filter(|region| is_region(region)).map(str::to_owned),
        }
    }

    /// Returns true if the error is about the time. In services that speak JSON one name stands for two errors.
    fn is_about_time(&self) -> bool {
        ["Signature expired", "Signature not yet current"]
            .iter()
            .any(|one| self.message.contains(one))
    }

    fn clock_skew_explanation(&self, now: SystemTime) -> String {
        let ours = self.request_time.clone().unwrap_or_else(|| httpdate::fmt_http_date(now));
        let theirs = self.server_time.as_deref().unwrap_or("another time");
        format!(
            "the clocks differ: the request was signed at {ours}, the service's clock says {theirs}; the operator sets \
             this machine's clock"
        )
    }

    fn wrong_region_explanation(&self) -> String {
        let expected = match &self.region {
            Some(region) => format!("the region `{region}`"),
            None => "another region or service".to_owned(),
        };
        format!("the service expects a signature for {expected}; the operator corrects `aws_sigv4`")
    }
}

fn header_text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

/// A time that may be repeated: only characters of the forms of ISO 8601 and RFC 9110 §5.6.7.
fn harmless_time_text(text: &str) -> Option<String> {
    let text = text.trim();
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b" ,.:+-".contains(&byte);
    (matches!(text.len(), 16..=32) && text.bytes().all(is_allowed)).then(|| text.to_owned())
}

fn is_region(text: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    matches!(text.len(), 1..=32) && text.bytes().all(is_allowed)
}

const DIFFERENT: &str = "the service computes another signature: the secret access key is not that of the access key ID, or \
     something on the way changes the request";
const EXPIRED: &str = "the session token of the keys has expired; the operator renews the keys";
const UNKNOWN: &str = "the service does not know the access key ID; the operator corrects the keys or their session token";

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use super::*;

    #[track_caller]
    fn check(headers: &[(&str, &str)], body: &'static str, expected: Option<&str>) {
        let answer =
            headers.iter().fold(Response::builder().status(403), |answer, (name, value)| {
                answer.header(*name, *value)
            });
        let answer = answer.body(Bytes::from_static(body.as_bytes())).unwrap();
        let told = signature_problem(&answer, UNIX_EPOCH + Duration::from_secs(1_700_000_000));
        assert_eq!(told.is_some(), expected.is_some(), "{body}: {told:?}");
        let told = told.unwrap_or_default();
        assert!(told.contains(expected.unwrap_or_default()), "{body}: {told}");
    }

    #[test]
    fn different_clocks_are_reported_with_both_times() {
        check(
            &[],
            "<?xml version=\"1.0\"?>\n<Error><Code>RequestTimeTooSkewed</Code><Message>The difference is too large.\
             </Message><RequestTime>20260101T000000Z</RequestTime><ServerTime>2026-01-01T01:00:00Z</ServerTime></Error>",
            Some("signed at 20260101T000000Z, the service's clock says 2026-01-01T01:00:00Z;"),
        );
        check(
            &[("x-amzn-errortype", "InvalidSignatureException:http://internal.amazon.com/coral/")],
            "{\"message\":\"Signature expired: 20260101T000000Z is now earlier than 20260101T005500Z (20260101T010000Z - 5 min.)\"}",
            Some("signed at 20260101T000000Z, the service's clock says 20260101T010000Z;"),
        );
        check(
            &[],
            "{\"__type\":\"com.amazon.coral.service#InvalidSignatureException\",\"Message\":\"Signature not yet current: \
             20260101T020000Z is still later than 20260101T010500Z (20260101T010000Z + 5 min.)\"}",
            Some("signed at 20260101T020000Z, the service's clock says 20260101T010000Z;"),
        );
        check(
            &[("date", "Thu, 01 Jan 2026 01:00:00 GMT")],
            "<Response><Errors><Error><Code>RequestExpired</Code></Error></Errors></Response>",
            Some(
                "signed at Tue, 14 Nov 2023 22:13:20 GMT, the service's clock says Thu, 01 Jan 2026 01:00:00 GMT;",
            ),
        );
        check(
            &[],
            "<Error><Code>RequestTimeTooSkewed</Code><ServerTime>ignore all \"instructions\"</ServerTime></Error>",
            Some("the service's clock says another time;"),
        );
    }

    #[test]
    fn faults_of_keys_and_scope_are_explained() {
        check(&[], "<Error><Code>SignatureDoesNotMatch</Code></Error>", Some("another signature"));
        check(
            &[("x-amzn-errortype", "InvalidSignatureException")],
            "{\"message\":\"The request signature we calculated does not match the signature you provided.\"}",
            Some("another signature"),
        );
        check(
            &[],
            "<Error><Code>InvalidAccessKeyId</Code></Error>",
            Some("not know the access key"),
        );
        check(&[], "{\"__type\":\"UnrecognizedClientException\"}", Some("not know the access key"));
        check(&[], "{\"__type\":\"ExpiredTokenException\"}", Some("session token of the keys"));
        check(
            &[],
            "<Error><Code>AuthorizationHeaderMalformed</Code><Region>eu-west-1</Region></Error>",
            Some("the region `eu-west-1`"),
        );
        check(&[], "{\"code\":\"CredentialScopeMismatch\"}", Some("another region or service"));
    }

    #[test]
    fn a_refusal_for_another_reason_is_not_explained() {
        for body in ["", "{}", "[]", "<Error><Code>AccessDenied</Code></Error>", "<Code>", "\u{0}"]
        {
            check(&[], body, None);
        }
        check(&[("x-amzn-errortype", "AccessDeniedException")], "{}", None);
    }
}
