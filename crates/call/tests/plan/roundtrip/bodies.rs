//! Bodies: forms, multipart bodies with files, JSON lines. Those of XML are in `xml_space`.

use crate::prelude::*;
use base64::{Engine, prelude::BASE64_STANDARD};
use proptest::prelude::*;

use super::{check, object, single};
use crate::differences::parts::{Part, parts};

fn posting(media_type: &str, schema: &Value) -> Plan {
    let body = json!({"required": true, "content": {media_type: {"schema": schema}}});
    operation("post", "/", json!({"requestBody": body}))
}

/// Bytes in base64, with this end.
fn bytes(end: &'static [u8]) -> impl Strategy<Value = Value> {
    let piece = prop_oneof![any::<u8>(), Just(b'\r'), Just(b'\n'), Just(b'-')];
    let bytes = prop::collection::vec(piece, 0..60);
    bytes.prop_map(|bytes| BASE64_STANDARD.encode([&bytes[..], end].concat()).into())
}

/// The names and the bytes of the files in an answer that is the body of a request.
fn answered(plan: &Plan, request: &http::Request<Bytes>) -> Option<Value> {
    let mut response = http::Response::new(request.body().clone());
    let media_type = request.headers().get("content-type")?.clone();
    response.headers_mut().insert("content-type", media_type);
    let (shape, masker) = (Shape::default(), Masker::new(&[][..]));
    let (arguments, journal) = (&Arguments::new(), &mut Journal::default());
    let reading = ReadContext { shape: &shape, masker: &masker, arguments, journal };
    let read = plan.understood_response(&response, reading);
    let Outcome::Answered(answer) = read.outcome else { return None };
    let Content::Parts(parts) = answer.content else { return None };
    let file = |(part, whole): (callgate_tool::Part, callgate_call::WholePart)| {
        assert_eq!(part.name, part.filename);
        Some((part.name?, BASE64_STANDARD.encode(whole.result.bytes).into()))
    };
    let files = parts.into_iter().zip(read.whole_parts).map(file);
    files.collect::<Option<Object>>().map(Value::Object)
}

#[test]
fn multipart_requests_are_read_back_as_answers() {
    let file = json!({"type": "string", "format": "binary"});
    let schema = json!({"type": "object", "properties": {"one": file, "two": file}});
    // A byte that no text has.
    let file = || bytes(b"\xff");
    let files = (file(), prop::option::of(file())).prop_map(|(one, two)| {
        let two = two.map(|two| ("two".to_owned(), two));
        Value::Object([("one".to_owned(), one)].into_iter().chain(two).collect())
    });
    let plan = posting("multipart/form-data", &schema);
    check("multipart", (&plan, "body"), files, |request, _| answered(&plan, request));
}

#[test]
fn json_lines_decode_to_their_arguments() {
    let values = || {
        prop_oneof![single("string"), single("integer"), object("string"), super::list("number")]
    };
    let lists = || prop::collection::vec(values(), 1..5).prop_map(Value::from);
    for (media_type, mark) in [
        ("application/x-ndjson", ""),
        ("application/jsonl", ""),
        ("application/json-seq", "\u{1e}"),
    ] {
        let plan = posting(media_type, &json!({"type": "array", "items": {}}));
        check(media_type, (&plan, "body"), lists(), |request, _| {
            let text = std::str::from_utf8(request.body()).ok()?;
            let lines = text.strip_suffix('\n')?.split('\n');
            let values = lines.map(|line| serde_json::from_str(line.strip_prefix(mark)?).ok());
            values.collect::<Option<Vec<Value>>>().map(Value::Array)
        });
    }
}

#[test]
fn form_bodies_decode_to_their_arguments() {
    let any = json!({"type": "object", "additionalProperties": {"type": "string"}});
    let plan = posting("application/x-www-form-urlencoded", &any);
    check("form", (&plan, "body"), object("string"), |request, _| {
        let pairs = url::form_urlencoded::parse(request.body());
        let pairs = pairs.map(|(name, text)| (name.into_owned(), Value::from(text.into_owned())));
        Some(Value::Object(pairs.collect()))
    });
}

#[test]
fn multipart_bodies_decode_to_their_arguments() {
    let file = json!({"type": "string", "format": "binary"});
    let plan = posting(
        "multipart/form-data",
        &json!({"type": "object", "properties": {"a file": file},
        "additionalProperties": {"type": "string"}}),
    );
    let values = (object("string"), prop::option::of(bytes(b""))).prop_map(|(mut value, file)| {
        if let Some(file) = file {
            value["a file"] = file;
        }
        value
    });
    check("multipart", (&plan, "body"), values, |request, _| {
        let member = |part: Part| {
            assert_eq!(part.file_name.is_some(), part.name == "a file");
            let text = match part.file_name {
                Some(_) => BASE64_STANDARD.encode(part.content),
                None => part.text().ok()?,
            };
            Some((part.name, Value::from(text)))
        };
        let members = parts(request).ok()?.into_iter().map(member);
        members.collect::<Option<Object>>().map(Value::Object)
    });
}
