//! Any answer: status, headers and body become an outcome that can be written down, with words of ours that stay short
//! and a text without characters that a reader cannot see.

#![no_main]

use std::sync::OnceLock;

use arbitrary::{Result, Unstructured};
use bytes::Bytes;
use callgate_call::Plan;
use callgate_openapi::{Document, Limits, LoadOptions, load};
use callgate_tool::{Content, Journal, Outcome, ToolCall, ToolResult};
use http::{HeaderValue, Response, header};
use libfuzzer_sys::fuzz_target;

/// The most bytes of our own words in a fault (the service's body is data and counts apart).
const MOST_WORDS: usize = 600;

const TYPES: [&str; 10] = [
    "application/json",
    "application/problem+json; charset=utf-8",
    "text/html",
    "text/plain; charset=ISO-8859-1",
    "text/csv",
    "application/xml",
    "application/octet-stream",
    "image/png",
    "text/plain; charset=\"utf-16\"",
    "",
];

static PLANS: OnceLock<Vec<Plan>> = OnceLock::new();

fuzz_target!(|bytes: &[u8]| {
    let plans = PLANS.get_or_init(plans);
    let mut from = Unstructured::new(bytes);
    let Ok((plan, response)) = answer(plans, &mut from) else { return };
    let outcome = plan.outcome(&response);
    check(&outcome);
    let call = ToolCall::new("1", plan.operation().tool_name.as_str(), Default::default());
    let result = ToolResult { id: call.id, tool: call.tool, outcome, journal: Journal::default() };
    let written = callgate_dialect::json_result(&result).to_string();
    serde_json::from_str::<serde_json::Value>(&written).expect("JSON");
});

fn plans() -> Vec<Plan> {
    let description = include_bytes!("../../../fixtures/pets/spec.yaml");
    let document = Document::read(description, &Limits::default()).expect("a description").value;
    load(&document, &LoadOptions::default()).operations.into_iter().map(Plan::new).collect()
}

fn answer<'p>(
    plans: &'p [Plan],
    from: &mut Unstructured<'_>,
) -> Result<(&'p Plan, Response<Bytes>)> {
    let plan = from.choose(plans)?;
    let status = from.choose(&[200u16, 201, 204, 301, 400, 401, 404, 408, 429, 500, 503, 999])?;
    let mut response = Response::builder().status(*status);
    let media_type = if from.ratio(1u8, 8u8)? {
        HeaderValue::from_bytes(from.arbitrary()?).ok()
    } else {
        Some(HeaderValue::from_static(from.choose(&TYPES)?))
    };
    if let Some(media_type) = media_type.filter(|value| !value.is_empty()) {
        response = response.header(header::CONTENT_TYPE, media_type);
    }
    if from.ratio(1u8, 8u8)? {
        if let Ok(wait) = HeaderValue::from_bytes(from.arbitrary()?) {
            response = response.header(header::RETRY_AFTER, wait);
        }
    }
    let body = Bytes::copy_from_slice(from.bytes(from.len())?);
    Ok((plan, response.body(body).expect("a response")))
}

fn check(outcome: &Outcome) {
    match outcome {
        Outcome::Answered(answer) => {
            if let Content::Text { text, .. } = &answer.content {
                seen(text);
            }
        }
        Outcome::Failed(fault) => {
            assert!(!fault.message.is_empty());
            assert!(fault.message.len() <= MOST_WORDS, "{}", fault.message);
            if let Some(serde_json::Value::String(text)) = &fault.body {
                seen(text);
            }
        }
        other => panic!("an answer became {other:?}"),
    }
}

fn seen(text: &str) {
    let hidden = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
    assert!(!text.contains(hidden), "{text:?}");
}
