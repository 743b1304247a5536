//! Any arguments for the operations of fixed descriptions: whatever a model writes, the request keeps origin, base path,
//! template and method, carries no header that is not declared, and a plain value arrives as it was meant, as do the bytes
//! of earlier results, whatever these hold and are called.

#![no_main]

use std::sync::OnceLock;

use arbitrary::{Arbitrary, Result, Unstructured};
use bytes::Bytes;
use callgate_call::{Plan, StoredResults};
use callgate_openapi::{
    BodyKind, Document, Encoding, InputLocation, Limits, LoadOptions, PathPart, Placement, Style,
    load,
};
use callgate_tool::{Arguments, Handle, Journal, Number, Object, Session, StoredResult, Value};
use http::Request;
use libfuzzer_sys::fuzz_target;
use percent_encoding::percent_decode_str;
use url::Url;

const DESCRIPTIONS: [&[u8]; 3] = [
    include_bytes!("../descriptions/lax.yaml"),
    include_bytes!("../../../fixtures/pets/spec.yaml"),
    include_bytes!("../../../fixtures/ledger/spec.json"),
];

static PLANS: OnceLock<Vec<Plan>> = OnceLock::new();

fuzz_target!(|bytes: &[u8]| {
    let plans = PLANS.get_or_init(|| DESCRIPTIONS.iter().copied().flat_map(plans).collect());
    let mut from = Unstructured::new(bytes);
    let Ok((plan, arguments, session)) = call(plans, &mut from) else { return };
    let Ok(results) = results(&mut from) else { return };
    let find = |handle: &Handle| kept(&results, handle.as_str());
    let mut journal = Journal::default();
    let mut request = || {
        plan.request_with_stored_results(
            &arguments,
            &session,
            StoredResults::new(&find),
            &mut journal,
        )
    };
    let Ok(request_once) = request() else { return };
    let again = request().expect("a second time too");
    let request = request_once;
    stays(plan, &request);
    arrives(plan, &request, &arguments);
    bytes_arrive(plan, &request, &arguments, &results);
    assert_eq!(
        (again.uri(), again.headers(), again.body()),
        (request.uri(), request.headers(), request.body())
    );
});

fn plans(description: &[u8]) -> Vec<Plan> {
    let document = Document::read(description, &Limits::default()).expect("a description").value;
    let loaded = load(&document, &LoadOptions::default());
    assert!(!loaded.operations.is_empty());
    loaded.operations.into_iter().map(Plan::new).collect()
}

/// Results of earlier calls: their media types are words of a service, too.
fn results(from: &mut Unstructured<'_>) -> Result<Vec<StoredResult>> {
    let one = |from: &mut Unstructured<'_>| {
        let media_type = match from.int_in_range(0..=3)? {
            0 => String::arbitrary(from)?,
            1 => "application/octet-stream".to_owned(),
            2 => "text/plain; charset=utf-8".to_owned(),
            _ => "image/png".to_owned(),
        };
        Ok(StoredResult::new(&media_type, Bytes::from(Vec::<u8>::arbitrary(from)?)))
    };
    (0..N_RESULTS).map(|_| one(from)).collect()
}

/// The result that a handle names: `result:00` is the first.
fn kept(results: &[StoredResult], handle: &str) -> Option<StoredResult> {
    let at = (0..N_RESULTS).find(|at| handle == handle_of(*at))?;
    results.get(at).cloned()
}

fn handle_of(at: usize) -> String {
    format!("result:{at:02x}")
}

/// How many results are kept.
const N_RESULTS: usize = 2;

/// A call of one of the plans.
fn call<'p>(
    plans: &'p [Plan],
    from: &mut Unstructured<'_>,
) -> Result<(&'p Plan, Arguments, Session)> {
    let plan = from.choose(plans)?;
    let mut arguments = Arguments::new();
    for input in &plan.operation().inputs {
        if from.ratio(7u8, 8u8)? {
            let schema =
                &plan.operation().arguments_schema()["properties"][input.argument.as_str()];
            arguments.insert(input.argument.to_string(), fitting(schema, from)?);
        }
    }
    if from.ratio(1u8, 16u8)? {
        arguments.insert(String::arbitrary(from)?, any(from, 2)?);
    }
    if from.ratio(1u8, 16u8)? {
        arguments.insert("content_type".to_owned(), any(from, 0)?);
    }
    let mut session = Session::new(String::arbitrary(from)?);
    if from.ratio(1u8, 4u8)? {
        session = session.with_parameters(members(from, 2)?).with_payload(members(from, 2)?);
    }
    Ok((plan, arguments, session))
}

/// A value that often meets the schema.
fn fitting(schema: &Value, from: &mut Unstructured<'_>) -> Result<Value> {
    if let Some(choices) = schema["enum"].as_array().filter(|each| !each.is_empty()) {
        return from.choose(choices).cloned();
    }
    if let Some(branches) = schema["anyOf"].as_array().filter(|each| !each.is_empty()) {
        return fitting(from.choose(branches)?, from);
    }
    // A member of what stands for bytes may be null, too.
    let kind = schema["type"].as_str().or_else(|| schema["type"][0].as_str());
    Ok(match kind {
        Some("array") if from.ratio(7u8, 8u8)? => {
            let n_items = from.int_in_range(0..=3)?;
            Value::Array(
                (0..n_items).map(|_| fitting(&schema["items"], from)).collect::<Result<_>>()?,
            )
        }
        Some("boolean") => Value::Bool(from.arbitrary()?),
        Some("integer" | "number") => number(from)?,
        Some("object") if from.ratio(7u8, 8u8)? => object(schema, from)?,
        Some("string") if from.ratio(15u8, 16u8)? => Value::String(String::arbitrary(from)?),
        _ => any(from, 3)?,
    })
}

fn object(schema: &Value, from: &mut Unstructured<'_>) -> Result<Value> {
    let mut object = Object::new();
    if schema["properties"]["handle"].is_object() && from.ratio(1u8, 2u8)? {
        // One more than there are.
        let handle = handle_of(from.int_in_range(0..=N_RESULTS)?);
        return Ok(Value::Object(Object::from_iter([("handle".to_owned(), handle.into())])));
    }
    for (name, schema) in schema["properties"].as_object().into_iter().flatten() {
        if from.ratio(3u8, 4u8)? {
            object.insert(name.clone(), fitting(schema, from)?);
        }
    }
    if object.is_empty() || from.ratio(1u8, 8u8)? {
        object.extend(members(from, 2)?);
    }
    Ok(Value::Object(object))
}

/// Any value, nested so deep at most.
fn any(from: &mut Unstructured<'_>, depth: usize) -> Result<Value> {
    let last = if depth == 0 { 3 } else { 5 };
    Ok(match from.int_in_range(0..=last)? {
        0 => Value::String(String::arbitrary(from)?),
        1 => number(from)?,
        2 => Value::Bool(from.arbitrary()?),
        3 => Value::Null,
        4 => {
            let n_items = from.int_in_range(0..=3)?;
            Value::Array((0..n_items).map(|_| any(from, depth - 1)).collect::<Result<_>>()?)
        }
        _ => Value::Object(members(from, depth - 1)?),
    })
}

fn members(from: &mut Unstructured<'_>, depth: usize) -> Result<Object> {
    let n_members = from.int_in_range(0..=3)?;
    (0..n_members).map(|_| Ok((String::arbitrary(from)?, any(from, depth)?))).collect()
}

fn number(from: &mut Unstructured<'_>) -> Result<Value> {
    Ok(match from.int_in_range(0..=3)? {
        0 => Value::from(i64::arbitrary(from)?),
        1 => Value::from(u64::arbitrary(from)?),
        2 => Value::from(i64::from(i8::arbitrary(from)?)),
        _ => Number::from_f64(f64::arbitrary(from)?).map_or(Value::Null, Value::Number),
    })
}

/// Origin, base path, template, method and headers are those of the description.
fn stays(plan: &Plan, request: &Request<Bytes>) {
    let operation = plan.operation();
    let text = request.uri().to_string();
    let url = Url::parse(&text).expect("a URL");
    assert_eq!(url.as_str(), text, "a parser changes nothing");
    assert_eq!(url.origin(), operation.server.url.origin(), "{text}");
    assert_eq!((url.username(), url.password(), url.fragment()), ("", None, None), "{text}");
    assert_eq!(request.method(), operation.method);
    let base = operation.server.url.path().trim_end_matches('/');
    let below =
        url.path().strip_prefix(base).expect("the base path").strip_prefix('/').expect("a slash");
    let segments: Vec<&str> = below.split('/').collect();
    assert_eq!(segments.len(), operation.segments.len().max(1), "{text}");
    for (written, parts) in segments.iter().zip(operation.segments.iter()) {
        let decoded = percent_decode_str(written).decode_utf8().expect("UTF-8");
        assert!(!matches!(&*decoded, "." | ".."), "{text}");
        if let [PathPart::Literal(literal)] = &**parts {
            assert_eq!(written, &&**literal, "{text}");
        }
    }
    for (name, value) in request.headers() {
        let is_declared = operation.inputs.iter().any(|input| {
            input.place() == InputLocation::Header && input.name.eq_ignore_ascii_case(name.as_str())
        });
        let is_ours = matches!(name.as_str(), "accept" | "content-type" | "cookie");
        assert!(is_declared || is_ours, "{name}: {value:?}");
        assert!(
            !value.as_bytes().iter().any(|byte| matches!(byte, b'\r' | b'\n' | 0)),
            "{value:?}"
        );
    }
    let cookies =
        operation.inputs.iter().filter(|input| input.place() == InputLocation::Cookie).count();
    assert!(cookies > 0 || !request.headers().contains_key("cookie"));
}

/// A text in a plain place decodes to itself.
fn arrives(plan: &Plan, request: &Request<Bytes>, arguments: &Arguments) {
    let operation = plan.operation();
    for input in &operation.inputs {
        let Some(Value::String(meant)) = arguments.get(input.argument.as_str()) else { continue };
        let sent = match &input.placement {
            Placement::Path(Encoding::Styled(styled)) if styled.style == Style::Simple => {
                segment(plan, request, &input.name)
            }
            Placement::Query(Encoding::Styled(styled)) if styled.style == Style::Form => {
                pair(request, &input.name)
            }
            _ => None,
        };
        if let Some(sent) = sent {
            assert_eq!(
                percent_decode_str(&sent).decode_utf8().expect("UTF-8"),
                *meant,
                "{}",
                input.name
            );
        }
    }
}

/// The bytes of an earlier result arrive as they are: as the whole body, or within one of several parts.
fn bytes_arrive(
    plan: &Plan,
    request: &Request<Bytes>,
    arguments: &Arguments,
    results: &[StoredResult],
) {
    let operation = plan.operation();
    let media = operation.body.as_ref().and_then(|body| body.media.first());
    let handle = |argument: &str| arguments.get(argument)?.get("handle")?.as_str();
    match media.map(|media| media.kind) {
        Some(BodyKind::Binary) => {
            if let Some(result) = handle("body").and_then(|handle| kept(results, handle)) {
                assert_eq!(*request.body(), result.bytes);
            }
        }
        Some(BodyKind::Multipart) if !arguments.contains_key("content_type") => {
            if let Some(result) = handle("file").and_then(|handle| kept(results, handle)) {
                let body = request.body();
                let is_there =
                    body.windows(result.bytes.len().max(1)).any(|part| part == result.bytes);
                assert!(is_there || result.bytes.is_empty());
            }
        }
        _ => {}
    }
}

/// What stands in the segment that is this variable and nothing else.
fn segment(plan: &Plan, request: &Request<Bytes>, name: &str) -> Option<String> {
    let operation = plan.operation();
    let at = operation.segments.iter().position(
        |parts| matches!(&**parts, [PathPart::Variable(variable)] if **variable == *name),
    )?;
    let base = operation.server.url.path().trim_end_matches('/');
    Some(request.uri().path().strip_prefix(base)?.split('/').nth(at + 1)?.to_owned())
}

/// What stands behind a name in the query; nothing where another input may use the same name.
fn pair(request: &Request<Bytes>, name: &str) -> Option<String> {
    let pairs: Vec<(&str, &str)> = request
        .uri()
        .query()?
        .split('&')
        .filter_map(|pair| pair.split_once('='))
        .filter(|(sent, _)| percent_decode_str(sent).decode_utf8_lossy() == name)
        .collect();
    let [(_, value)] = *pairs else { return None };
    Some(value.to_owned())
}
