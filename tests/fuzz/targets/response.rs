//! Any answer, shown in any shape: status, headers and body become an outcome that can be written down, within the budget,
//! with words of ours that stay short and texts without characters that a reader cannot see. In pieces of any size the
//! values of a sequence are the same.

#![no_main]

use std::sync::OnceLock;

use arbitrary::{Result, Unstructured};
use bytes::Bytes;
use callgate_call::{BigIntegers, Plan, ReadContext, Selection, Shape, Splitter, Unfinished};
use callgate_openapi::{Document, Limits, LoadOptions, load};
use callgate_secret::{Masker, Secret};
use callgate_tool::{Arguments, Content, Journal, Outcome, ToolCall, ToolResult};
use http::{HeaderValue, Response, header};
use libfuzzer_sys::fuzz_target;

/// The most bytes of our own words in a fault (the service's body is data and counts apart).
const MOST_WORDS: usize = 600;

const TYPES: [&str; 17] = [
    "application/json",
    "application/x-ndjson",
    "application/json-seq",
    "text/event-stream",
    "application/jsonl; charset=utf-8",
    "audio/ogg",
    "application/problem+json; charset=utf-8",
    "text/html",
    "text/plain; charset=ISO-8859-1",
    "text/csv",
    "application/xml",
    "application/octet-stream",
    "image/png",
    "text/plain; charset=\"utf-16\"",
    "",
    "multipart/mixed; boundary=b",
    "multipart/form-data; boundary=\"b\"",
];

static PLANS: OnceLock<Vec<Plan>> = OnceLock::new();

fuzz_target!(|bytes: &[u8]| {
    let plans = PLANS.get_or_init(plans);
    let mut from = Unstructured::new(bytes);
    let Ok(shape) = shape(&mut from) else { return };
    let Ok((plan, response)) = answer(plans, &mut from) else { return };
    let mut journal = Journal::default();
    let (masker, arguments) = (&masker(), &Arguments::new());
    let reading = ReadContext { shape: &shape, masker, arguments, journal: &mut journal };
    let outcome = plan.understood_response(&response, reading).outcome;
    check(&outcome, &shape);
    pieces(&response);
    let call = ToolCall::new("1", plan.operation().tool_name.as_str(), Default::default());
    let result = ToolResult { id: call.id, tool: call.tool, outcome, journal };
    let written = callgate_dialect::json_result(&result).to_string();
    assert!(!written.contains(CANARY), "{written}");
    callgate_tool::Value::parse(&written).expect("JSON");
});

fn plans() -> Vec<Plan> {
    let description = include_bytes!("../../../fixtures/pets/spec.yaml");
    let document = Document::read(description, &Limits::default()).expect("a description").value;
    load(&document, &LoadOptions::default()).operations.into_iter().map(Plan::new).collect()
}

/// The credential of the call, which an answer may hold in any spelling.
fn masker() -> Masker<'static> {
    Masker::new(vec![Secret::new(CANARY.to_owned())])
}

const CANARY: &str = "canary-token";

/// A way to show results: any budget from which a value can be cut.
fn shape(from: &mut Unstructured<'_>) -> Result<Shape> {
    let mut shape = Shape::default();
    shape.result_bytes = from.int_in_range(8..=512)?;
    shape.media_bytes = from.int_in_range(0..=64)?;
    shape.selection = match from.int_in_range(0..=4)? {
        0 => Selection::paths(["id", "items.name"]),
        1 => Selection::json_path("$..*").expect("a path"),
        2 => Selection::json_path("$[?@.a == 1 || length(@.b) > 2]").expect("a path"),
        _ => Selection::All,
    };
    if from.arbitrary()? {
        shape.big_integers = BigIntegers::String;
    }
    Ok(shape)
}

/// What comes in pieces is what comes at once.
fn pieces(response: &Response<Bytes>) {
    let Some(mut whole) = Splitter::from_headers(response.headers()) else { return };
    let mut split = Splitter::from_headers(response.headers()).expect("the same");
    whole.push(response.body());
    let mut expected = values(&mut whole);
    expected.extend(whole.last_value_bytes());
    let mut found = Vec::new();
    for (index, chunk) in response.body().chunks(5).enumerate() {
        let (first, second) = chunk.split_at(chunk.len().min(index % 5));
        split.push(first);
        found.extend(values(&mut split));
        split.push(second);
        found.extend(values(&mut split));
    }
    found.extend(split.last_value_bytes());
    assert_eq!(found, expected);
    for value in &found {
        if let Some(value) = split.read_value(value, &masker()) {
            assert!(!value.json.text().contains(CANARY), "{}", value.json.text());
        }
    }
}

fn values(splitter: &mut Splitter) -> Vec<Vec<u8>> {
    std::iter::from_fn(|| splitter.next_value_bytes()).collect()
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
    if from.ratio(1u8, 8u8)? {
        response = response.header(header::LINK, "<?page=2&limit=x>; rel=next");
    }
    if from.ratio(1u8, 8u8)? {
        response = response.extension(Unfinished);
    }
    let body = Bytes::copy_from_slice(from.bytes(from.len())?);
    Ok((plan, response.body(body).expect("a response")))
}

fn check(outcome: &Outcome, shape: &Shape) {
    match outcome {
        Outcome::Answered(answer) => {
            let (text, media) = content(&answer.content);
            assert!(text <= shape.result_bytes, "{text}");
            assert!(media <= shape.media_bytes, "{media}");
            if let Some(truncated) = &answer.truncated {
                assert!(truncated.message.len() <= MOST_WORDS, "{}", truncated.message);
            }
        }
        Outcome::Failed(fault) => {
            assert!(!fault.message.is_empty());
            assert!(fault.message.len() <= MOST_WORDS, "{}", fault.message);
            if let Some(callgate_tool::Value::String(text)) = &fault.body {
                seen(text);
            }
        }
        other => panic!("an answer became {other:?}"),
    }
}

/// The bytes of a content that are text, and those of images and sounds; all parts of one answer have one bound.
fn content(content: &Content) -> (usize, usize) {
    match content {
        Content::Empty | Content::File { .. } => (0, 0),
        Content::Json(json) => {
            callgate_tool::Value::parse(json.text()).expect("JSON");
            (json.text().len(), 0)
        }
        Content::Media { data, .. } => (0, data.len()),
        Content::Parts(parts) => {
            let mut sum = (0, 0);
            for part in parts {
                assert!(!matches!(part.content, Content::Parts(_)), "nothing is nested");
                [&part.name, &part.filename, &part.content_id]
                    .into_iter()
                    .flatten()
                    .for_each(|name| seen(name));
                let (text, media) = self::content(&part.content);
                sum = (sum.0 + text, sum.1 + media);
            }
            sum
        }
        Content::Text { text, .. } => {
            seen(text);
            (text.len(), 0)
        }
    }
}

fn seen(text: &str) {
    let hidden = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
    assert!(!text.contains(hidden), "{text:?}");
}
