//! Bodies: forms, multipart bodies with files, JSON lines, XML.

use crate::prelude::*;
use base64::{Engine, prelude::BASE64_STANDARD};
use proptest::prelude::*;
use roxmltree::Node;

use super::{check, leaf, name, object, single, text};

fn posting(media_type: &str, schema: &Value) -> Plan {
    let body = json!({"required": true, "content": {media_type: {"schema": schema}}});
    operation("post", "/", json!({"requestBody": body}))
}

/// An object with a text, a number, a list of texts and an object, each of which may be absent; and `more`.
fn record(more: BoxedStrategy<Option<Value>>) -> impl Strategy<Value = Value> {
    let texts = prop::collection::vec(text().prop_map(Value::from), 1..4).prop_map(Value::from);
    let members = (
        prop::option::of(single("string")),
        prop::option::of(single("integer")),
        prop::option::of(texts),
        prop::option::of(object("string")),
        more,
    );
    members.prop_map(|(title, count, tags, place, more)| {
        let members =
            [("title", title), ("count", count), ("tags", tags), ("place", place), ("more", more)];
        let members =
            members.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
        Value::Object(members.collect())
    })
}

fn schema(more: &Value) -> Value {
    json!({"type": "object", "properties": {
        "title": {"type": "string"}, "count": {"type": "integer"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "place": {"type": "object", "additionalProperties": {"type": "string"}},
        "more": more}})
}

/// The record that pairs of names and texts stand for.
fn of_pairs(pairs: impl Iterator<Item = (String, String)>) -> Option<Value> {
    let mut members = Object::new();
    for (name, text) in pairs {
        match name.as_str() {
            "tags" => {
                let items = members.entry("tags").or_insert_with(|| json!([])).as_array_mut();
                items?.push(text.into());
            }
            "title" | "more" => drop(members.insert(name, text.into())),
            _ => drop(members.insert(name, leaf("json", &text)?)),
        }
    }
    Some(Value::Object(members))
}

#[test]
fn form_bodies_decode_to_their_arguments() {
    let plan = posting("application/x-www-form-urlencoded", &schema(&json!({"type": "string"})));
    let more = prop::option::of(single("string")).boxed();
    check("form", (&plan, "body"), record(more), |request, _| {
        let pairs = url::form_urlencoded::parse(request.body());
        of_pairs(pairs.map(|(name, text)| (name.into_owned(), text.into_owned())))
    });
}

/// A part: its name, its file name, its content.
type Part = (String, Option<String>, Vec<u8>);

/// The parts of a multipart body: name, file name, content (RFC 2046 §5.1.1, RFC 7578 §4).
fn parts(request: &http::Request<Bytes>) -> Option<Vec<Part>> {
    if request.body().is_empty() {
        // RFC 2046 §5.1.1: a multipart body has at least one part, so there is none.
        return Some(Vec::new());
    }
    let media_type = request.headers().get("content-type")?.to_str().ok()?;
    let boundary = media_type.split_once("boundary=")?.1;
    let text = [b"\r\n", &request.body()[..]].concat();
    let delimiter = format!("\r\n--{boundary}");
    let mut rest = &text[..];
    let mut pieces = Vec::new();
    while let Some(at) = find(rest, delimiter.as_bytes()) {
        pieces.push(&rest[..at]);
        rest = &rest[at + delimiter.len()..];
    }
    assert_eq!(rest, b"--\r\n", "the last delimiter closes the body");
    pieces.into_iter().skip(1).map(part).collect()
}

fn part(piece: &[u8]) -> Option<Part> {
    let piece = piece.strip_prefix(b"\r\n")?;
    let end = find(piece, b"\r\n\r\n")?;
    let head = std::str::from_utf8(&piece[..end]).ok()?;
    let disposition =
        head.lines().find_map(|line| line.strip_prefix("Content-Disposition: form-data; "))?;
    let quoted = |name: &str| {
        let rest = disposition.split_once(&format!("{name}=\""))?.1;
        let text = rest.split_once('"')?.0;
        Some(text.replace("%22", "\"").replace("%0D", "\r").replace("%0A", "\n"))
    };
    Some((
        quoted(" name").or_else(|| quoted("name"))?,
        quoted("filename"),
        piece[end + 4..].to_vec(),
    ))
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}

#[test]
fn multipart_bodies_decode_to_their_arguments() {
    let plan =
        posting("multipart/form-data", &schema(&json!({"type": "string", "format": "binary"})));
    let bytes = prop::collection::vec(
        prop_oneof![any::<u8>(), Just(b'\r'), Just(b'\n'), Just(b'-')],
        0..60,
    );
    let file = bytes.prop_map(|bytes| Value::from(BASE64_STANDARD.encode(bytes)));
    check("multipart", (&plan, "body"), record(prop::option::of(file).boxed()), |request, _| {
        let parts = parts(request)?.into_iter().map(|(name, filename, content)| {
            assert_eq!(filename.is_some(), name == "more", "only a file has a file name");
            match filename {
                Some(_) => Some((name, BASE64_STANDARD.encode(content))),
                None => Some((name, String::from_utf8(content).ok()?)),
            }
        });
        of_pairs(parts.collect::<Option<Vec<_>>>()?.into_iter())
    });
}

/// The names and the bytes of the files in an answer that is the body of a request.
fn answered(plan: &Plan, request: &http::Request<Bytes>) -> Option<Value> {
    let mut response = http::Response::new(request.body().clone());
    let media_type = request.headers().get("content-type")?.clone();
    response.headers_mut().insert("content-type", media_type);
    let (shape, masker) = (Shape::default(), Masker::new(&[][..]));
    let journal = &mut Journal::default();
    let read = plan.understood(&response, Reading { shape: &shape, masker: &masker, journal });
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
    let bytes = || {
        let piece = prop_oneof![any::<u8>(), Just(b'\r'), Just(b'\n'), Just(b'-')];
        let bytes = prop::collection::vec(piece, 0..60);
        // A byte that no text has.
        bytes.prop_map(|bytes| Value::from(BASE64_STANDARD.encode([&bytes[..], b"\xff"].concat())))
    };
    let files = (bytes(), prop::option::of(bytes())).prop_map(|(one, two)| {
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

/// Texts that XML can hold, with those it treats in a way of its own.
fn xml_text() -> impl Strategy<Value = Value> {
    let alphabet = "[a-z <>&\"'\n\t\r\\]é😀]{0,10}";
    proptest::string::string_regex(alphabet).expect("an alphabet").prop_map(Value::from)
}

#[test]
fn xml_bodies_decode_to_their_arguments() {
    let schema = json!({"type": "object", "xml": {"name": "album"}, "properties": {
        "id": {"type": "string", "xml": {"attribute": true}},
        "title": {"type": "string", "xml": {"name": "name", "prefix": "p", "namespace": "urn:x"}},
        "notes": {"type": "array", "items": {"type": "string"}},
        "pictures": {"type": "array", "xml": {"wrapped": true}, "items": {"type": "string", "xml": {"name": "picture"}}}}});
    let plan = posting("application/xml", &schema);
    let list = || prop::collection::vec(xml_text(), 1..4).prop_map(Value::from);
    let album = (xml_text(), xml_text(), list(), list()).prop_map(|(id, title, notes, pictures)| {
        json!({"id": id, "title": title, "notes": notes, "pictures": pictures})
    });
    check("xml", (&plan, "body"), album, |request, _| {
        let document =
            roxmltree::Document::parse(std::str::from_utf8(request.body()).ok()?).ok()?;
        let root = document.root_element();
        assert_eq!(root.tag_name().name(), "album");
        let text = |one: Node<'_, '_>| one.text().unwrap_or_default().to_owned();
        let texts = |parent: Node<'_, '_>, name: &str| -> Value {
            parent.children().filter(|one| one.has_tag_name(name)).map(text).collect()
        };
        let title = root.children().find(|one| one.has_tag_name(("urn:x", "name")))?;
        let pictures = root.children().find(|one| one.has_tag_name("pictures"))?;
        let (notes, pictures) = (texts(root, "notes"), texts(pictures, "picture"));
        let (id, title) = (root.attribute("id")?, text(title));
        Some(json!({"id": id, "title": title, "notes": notes, "pictures": pictures}))
    });
}

#[test]
fn names_of_body_members_decode_to_their_arguments() {
    let any = json!({"type": "object", "additionalProperties": {"type": "string"}});
    let objects = || {
        prop::collection::btree_map(name(), text(), 1..4).prop_map(|members| {
            Value::Object(members.into_iter().map(|(name, text)| (name, text.into())).collect())
        })
    };
    let form = posting("application/x-www-form-urlencoded", &any);
    check("form", (&form, "body"), objects(), |request, _| {
        let pairs = url::form_urlencoded::parse(request.body());
        let pairs = pairs.map(|(name, text)| (name.into_owned(), Value::from(text.into_owned())));
        Some(Value::Object(pairs.collect()))
    });
    let multipart = posting("multipart/form-data", &any);
    check("multipart", (&multipart, "body"), objects(), |request, _| {
        let members = parts(request)?
            .into_iter()
            .map(|(name, _, content)| Some((name, Value::from(String::from_utf8(content).ok()?))));
        members.collect::<Option<Object>>().map(Value::Object)
    });
}
