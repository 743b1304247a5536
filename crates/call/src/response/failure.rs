//! Turns an unsuccessful response into a fault: the next step by its status, and the service's own words,
//! cut to the length of a reason.

use bytes::Bytes;
use callgate_openapi::Operation;
use callgate_tool::{DEPTH, Effect, Event, Fault, Journal, Next, Object, Value};
use http::{HeaderMap, Response, StatusCode, header::LOCATION};
use url::Url;

use super::{
    ReadContext, is_text,
    json::{NoJson, ParsedJson, begins_like_json, decode_and_parse_json},
    media::{Kind, Media},
    multipart::{MAX_PARTS, SplitError},
    note_removed_characters, note_replaced_characters,
    wait::response_wait,
};
use crate::{
    cut, echo, html,
    sanitize::{n_invisible_characters, visible_text},
    shape,
    wording::{self, answer::RedirectTarget},
};

pub(super) fn unsuccessful_response_fault(
    response: &Response<Bytes>,
    operation: &Operation,
    reading: &mut ReadContext<'_>,
) -> Box<Fault> {
    let (status, effect) = (response.status(), operation.retry_effect());
    if is_redirect(status) {
        return redirect_fault(response, operation, reading);
    }
    refusal_fault(response, effect, reading)
}

fn redirect_fault(
    response: &Response<Bytes>,
    operation: &Operation,
    reading: &mut ReadContext<'_>,
) -> Box<Fault> {
    let status = response.status();
    let (mut target, to) =
        redirect_target(response.headers(), &operation.server.url, &operation.path);
    // RFC 9110 §15.4.4: the result of a call that was executed is there, and not the operation.
    if status == StatusCode::SEE_OTHER && matches!(target, RedirectTarget::Slash(_)) {
        target = RedirectTarget::Below;
    }
    let path = match &target {
        RedirectTarget::Slash(path) => Some(path.clone()),
        _ => None,
    };
    let to = reading.masker.mask_text(&to).into_owned();
    let is_other_host = target == RedirectTarget::OtherHost;
    reading.journal.note(Event::Redirected { to, path, is_other_host });
    wording::answer::redirect_fault(status.as_u16(), &target, operation.effect)
}

fn refusal_fault(
    response: &Response<Bytes>,
    effect: Effect,
    reading: &mut ReadContext<'_>,
) -> Box<Fault> {
    let status = response.status();
    let mut fault =
        wording::service_error(status.as_u16(), next_step_by_status(status.as_u16(), effect));
    fault.retry_after = response_wait(response);
    fault.body = failure_body_value(response, reading);
    fault
}

pub(super) fn unreadable_response_fault(
    status: u16,
    effect: Effect,
    why: NoJson,
    body: &str,
    reading: &mut ReadContext<'_>,
) -> Box<Fault> {
    let mut fault = match why {
        NoJson::Malformed => wording::answer::unreadable_json(status, effect),
        NoJson::TooDeep => wording::answer::too_deep_json(status, DEPTH, effect),
    };
    fault.body = masked_text_value(body, reading);
    fault
}

pub(super) fn broken_response_fault(
    response: &Response<Bytes>,
    operation: &Operation,
    why: SplitError,
    reading: &mut ReadContext<'_>,
) -> Box<Fault> {
    let SplitError::Form { at, expected, got } = why else {
        return wording::answer::too_many_parts(MAX_PARTS, operation.retry_effect());
    };
    let mut fault = wording::answer::broken_parts(operation.retry_effect(), at, expected, got);
    fault.status = Some(response.status().as_u16());
    fault.body = failure_body_value(response, reading);
    fault
}

pub(super) fn fault_in_part(mut fault: Box<Fault>, number: usize) -> Box<Fault> {
    fault.message = format!("in part {number} of its answer, {}", fault.message);
    fault
}

fn failure_body_value(response: &Response<Bytes>, reading: &mut ReadContext<'_>) -> Option<Value> {
    let body = response.body();
    let media = Media::from_headers(response.headers());
    match media.kind() {
        _ if body.trim_ascii().is_empty() => None,
        Kind::Binary | Kind::Multipart if !is_text(body) => None,
        Kind::Perceived => None,
        Kind::Html if !begins_like_json(body) => {
            let (page, n_removed) = html::cleaned_page_text(&media.decoded_text(body));
            note_removed_characters(n_removed, reading.journal);
            masked_text_value(&page, reading)
        }
        Kind::Binary | Kind::Html | Kind::Json | Kind::Unnamed => {
            match decode_and_parse_json(body, &media) {
                Ok(ParsedJson { json, n_replaced }) => {
                    note_replaced_characters(n_replaced, reading.journal);
                    let (json, _) = echo::masked_json(json, reading.masker);
                    Some(limited_value(json.into_value(), reading.journal))
                }
                Err(_) => masked_text_value(&media.decoded_text(body), reading),
            }
        }
        Kind::Events | Kind::JsonLines | Kind::Multipart | Kind::Text => {
            masked_text_value(&media.decoded_text(body), reading)
        }
    }
}

fn masked_text_value(body: &str, reading: &mut ReadContext<'_>) -> Option<Value> {
    let text = visible_text(body);
    note_removed_characters(n_invisible_characters(body), reading.journal);
    // Masked before it is cut: half a secret would not be found.
    let text = reading.masker.mask_text(&text);
    let text = wording::clipped_text(text.trim(), MAX_WORDS);
    (!text.is_empty()).then(|| Value::String(text.to_owned()))
}

/// The value within its limit; the most informative members of problem details (RFC 9457 §3) come first and are cut last.
fn limited_value(value: Value, journal: &mut Journal) -> Value {
    let value = match value {
        Value::Object(members)
            if members.contains_key("title") || members.contains_key("detail") =>
        {
            Value::Object(informative_members_first(members))
        }
        other => other,
    };
    let (mut value, _) = cut::cut_to_budget(value, MAX_WORDS);
    note_removed_characters(shape::remove_invisible_characters(&mut value), journal);
    value
}

fn informative_members_first(mut members: Object) -> Object {
    let mut sorted = Object::new();
    for name in ["title", "detail", "errors"] {
        sorted.insert_if_some(name, members.remove(name));
    }
    // RFC 9457 §4.2.1: this type adds nothing to the status.
    members.retain(|name, value| !(name == "type" && value == "about:blank"));
    sorted.extend(members);
    sorted
}

/// The model's next step after an error, by the status (RFC 9110 §15.5, §15.6).
fn next_step_by_status(status: u16, effect: Effect) -> Next {
    match status {
        400 | 404 | 409 | 410 | 412 | 413 | 414 | 416 | 422 => Next::CorrectArguments,
        402 | 403 | 407 | 451 => Next::AskUser,
        408 | 423 | 425 | 429 | 503 => Next::TryLater,
        501 | 505 => Next::GiveUp,
        // A write may have been executed before the service failed.
        500..=599 if effect != Effect::Write => Next::TryLater,
        _ => Next::GiveUp,
    }
}

/// The target of a redirect, and its address for the operator: the path only of the same server, which may be shown, and never
/// a query.
fn redirect_target(headers: &HeaderMap, server: &Url, path: &str) -> (RedirectTarget, String) {
    let base = server.path().trim_end_matches('/');
    let location = headers.get(LOCATION).and_then(|value| value.to_str().ok());
    let Some(location) = location else { return (RedirectTarget::Unnamed, "nowhere".to_owned()) };
    // RFC 9110 §10.2.2: relative to the address of the request, of which the template stands here.
    let mut own = server.clone();
    own.set_path(&format!("{base}{path}"));
    let Ok(to) = own.join(location) else {
        return (RedirectTarget::Elsewhere, "no URL".to_owned());
    };
    let rest = to.path().strip_prefix(base);
    let is_within = rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    let origin = to.origin().ascii_serialization();
    if to.host_str() != server.host_str() {
        return (RedirectTarget::OtherHost, origin);
    }
    if to.origin() != server.origin() || !is_within {
        return (RedirectTarget::Elsewhere, origin);
    }
    let other = rest.and_then(|rest| slash_variant_if_matching(path, rest));
    let shown = to.path().replace("%7B", "{").replace("%7D", "}");
    (other.map_or(RedirectTarget::Below, RedirectTarget::Slash), format!("{origin}{shown}"))
}

/// The path of an operation with a slash more or less at its end, if that is the template of `target`.
fn slash_variant_if_matching(path: &str, target: &str) -> Option<String> {
    let other = path.strip_suffix('/').map_or_else(|| format!("{path}/"), ToOwned::to_owned);
    let is_its = |(template, segment): (&str, &str)| {
        template == segment || (template.contains('{') && !segment.is_empty())
    };
    let n_segments = |path: &str| path.split('/').count();
    let is_other = n_segments(&other) == n_segments(target)
        && other.split('/').zip(target.split('/')).all(is_its);
    is_other.then_some(other)
}

pub(super) fn is_redirect(status: StatusCode) -> bool {
    matches!(status.as_u16(), 300..=303 | 305..=308)
}

/// The most bytes of the service's own words that are kept: enough for a reason, too few for a page.
const MAX_WORDS: usize = 2 * 1024;

#[cfg(test)]
mod tests {
    use callgate_secret::Masker;
    use callgate_tool::{Arguments, FaultCode, Reached, json};

    use super::*;
    use crate::shape::Shape;

    /// The expected next step after a write and after a read.
    fn expected(status: u16) -> (Next, Next) {
        use Next::{AskUser, CorrectArguments, GiveUp, TryLater};
        match status {
            402 | 403 | 407 | 451 => (AskUser, AskUser),
            408 | 423 | 425 | 429 | 503 => (TryLater, TryLater),
            400 | 404 | 409 | 410 | 412 | 413 | 414 | 416 | 422 => {
                (CorrectArguments, CorrectArguments)
            }
            501 | 505 => (GiveUp, GiveUp),
            500..=599 => (GiveUp, TryLater),
            _ => (GiveUp, GiveUp),
        }
    }

    #[test]
    fn every_failing_status_has_its_next_step() {
        for status in (100..200).chain(300..=999) {
            let response = Response::builder().status(status).body(Bytes::new()).unwrap();
            for (effect, next) in
                [(Effect::Write, expected(status).0), (Effect::Read, expected(status).1)]
            {
                let (masker, mut journal) = (Masker::new(Vec::new()), Journal::default());
                let (shape, masker) = (&Shape::default(), &masker);
                let (arguments, journal) = (&Arguments::new(), &mut journal);
                let mut reading = ReadContext { shape, masker, arguments, journal };
                let fault = refusal_fault(&response, effect, &mut reading);
                assert_eq!(fault.next, next, "{status} {effect:?}");
                assert_eq!(fault.reached, Reached::Yes, "{status}");
                assert_eq!(fault.status, Some(status), "{status}");
                assert_eq!(fault.code, FaultCode::ServiceError, "{status}");
                assert!(fault.message.contains(&status.to_string()), "{}", fault.message);
            }
        }
    }

    #[test]
    fn a_redirect_fault_says_whether_its_target_is_below_the_server() {
        let server = Url::parse("https://h.example/v1").unwrap();
        let slash = || RedirectTarget::Slash("/items/{id}/".to_owned());
        for (location, expected, to) in [
            ("/v1/b", RedirectTarget::Below, "https://h.example/v1/b"),
            ("b?x=1", RedirectTarget::Below, "https://h.example/v1/items/b"),
            ("7/", slash(), "https://h.example/v1/items/7/"),
            ("../items/7/?x=1", slash(), "https://h.example/v1/items/7/"),
            ("?x=1", RedirectTarget::Below, "https://h.example/v1/items/{id}"),
            ("../../b", RedirectTarget::Elsewhere, "https://h.example"),
            ("https://h.example:443/v1", RedirectTarget::Below, "https://h.example/v1"),
            ("/v1/items/7/?token=canary", slash(), "https://h.example/v1/items/7/"),
            ("https://h.example/v1/items/7/", slash(), "https://h.example/v1/items/7/"),
            ("/v1/items/7", RedirectTarget::Below, "https://h.example/v1/items/7"),
            ("/v1/items//", RedirectTarget::Below, "https://h.example/v1/items//"),
            ("/v1/things/7/", RedirectTarget::Below, "https://h.example/v1/things/7/"),
            ("/v2/b", RedirectTarget::Elsewhere, "https://h.example"),
            ("//other.example/v1/b", RedirectTarget::OtherHost, "https://other.example"),
            ("http://h.example/v1/b", RedirectTarget::Elsewhere, "http://h.example"),
            ("javascript:alert(1)", RedirectTarget::OtherHost, "null"),
        ] {
            let headers = HeaderMap::from_iter([(LOCATION, location.parse().unwrap())]);
            let target = redirect_target(&headers, &server, "/items/{id}");
            assert_eq!(target, (expected, to.to_owned()), "{location}");
            for effect in [Effect::Read, Effect::Write] {
                let message = wording::answer::redirect_fault(302, &target.0, effect).message;
                assert!(!message.contains("example") && !message.contains('7'), "{message}");
                let is_of_reads = message.contains("same_origin");
                assert_eq!(message.contains("`server`"), target.0 == RedirectTarget::Elsewhere);
                let is_slash = matches!(target.0, RedirectTarget::Slash(_));
                assert_eq!(
                    message.contains("may have been executed"),
                    effect == Effect::Write && !is_slash,
                    "{message}"
                );
                assert_eq!(
                    is_of_reads,
                    target.0 == RedirectTarget::Below && effect == Effect::Read
                );
            }
        }
        for status in [307, 308] {
            let fault =
                wording::answer::redirect_fault(status, &RedirectTarget::Below, Effect::Write);
            assert!(!fault.message.contains("executed"), "{}", fault.message);
        }
        assert_eq!(redirect_target(&HeaderMap::new(), &server, "/").0, RedirectTarget::Unnamed);
        assert_eq!(slash_variant_if_matching("/items/", "/items").as_deref(), Some("/items"));
    }

    #[test]
    fn problem_details_keep_their_most_telling_members_first() {
        let noise = "x".repeat(5000);
        let problem = json!({"type": "about:blank", "trace": noise, "title": "no", "status": 422, "detail": "bad\u{200b} day",
            "errors": [{"detail": "must be a date", "pointer": "#/day"}]});
        let kept = limited_value(problem, &mut Journal::default());
        let names: Vec<_> = kept.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(names, ["title", "detail", "errors", "trace", "status"]);
        assert_eq!(kept["errors"][0]["pointer"], "#/day");
        assert_eq!(kept["detail"], "bad day");
        assert!(kept.to_string().len() <= MAX_WORDS);
    }
}
