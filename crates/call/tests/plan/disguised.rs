//! Whatever a service does to a credential that it echoes, and whatever reading its answer undoes, the credential is not
//! in what a model is shown: escapes, references, tags, terminal sequences, characters nobody sees, encodings, split data.

use crate::prelude::*;
use std::fmt::Write as _;

use base64::{Engine as _, prelude::BASE64_STANDARD};
use callgate_call::Splitter;
use callgate_secret::Secret;
use http::{HeaderValue, Response};
use proptest::prelude::*;

/// What a character of a credential is written as.
#[derive(Clone, Copy, Debug)]
enum Spelled {
    Decimal,
    Hexadecimal,
    Hidden(&'static str),
    Itself,
    Percent,
    Tagged(&'static str),
    Unit,
}

/// What is read of an answer, and what is put around the credential there.
#[derive(Clone, Copy, Debug)]
struct Form {
    status: u16,
    media_type: &'static str,
    before: &'static str,
    after: &'static str,
    /// Whether texts are JSON strings.
    is_json: bool,
}

const FORMS: [Form; 13] = [
    form(200, "text/html", "<p>a ", " b</p>", false),
    form(500, "text/html; charset=utf-8", "<p>a ", " b</p>", false),
    form(200, "text/plain", "a ", " b", false),
    form(403, "text/plain", "a ", " b", false),
    form(200, "application/xml", "<a>", "</a>", false),
    form(200, "application/json", "{\"a\":[\"x ", "\"]}", true),
    form(200, "application/json", "{\"", "\":1}", true),
    form(400, "application/problem+json", "{\"detail\":\"x ", "\"}", true),
    form(200, "text/event-stream", "data: {\"a\":\"", "\"}\n\n", true),
    form(200, "application/x-ndjson", "1\n{\"a\":\"", "\"}\n", true),
    form(200, "application/json", "{\"items\":[],\"next_cursor\":\"x ", "\"}", true),
    form(200, "", "a ", " b", false),
    form(200, "application/octet-stream", "a ", " b", false),
];

const fn form(
    status: u16,
    media_type: &'static str,
    before: &'static str,
    after: &'static str,
    is_json: bool,
) -> Form {
    Form { status, media_type, before, after, is_json }
}

fn spelled(text: &str, ways: &[Spelled], is_json: bool) -> String {
    let mut out = String::new();
    for (character, way) in text.chars().zip(ways.iter().cycle()) {
        let code = u32::from(character);
        let itself = if is_json {
            let quoted = Value::from(character.to_string()).to_string();
            quoted.trim_start_matches('"').strip_suffix('"').unwrap_or_default().to_owned()
        } else {
            character.to_string()
        };
        let _: std::fmt::Result = match way {
            Spelled::Decimal => write!(out, "&#{code};"),
            Spelled::Hexadecimal => write!(out, "&#x{code:X};"),
            Spelled::Itself => write!(out, "{itself}"),
            Spelled::Percent => write!(out, "%{code:02x}"),
            Spelled::Tagged(tag) => write!(out, "{tag}{itself}"),
            Spelled::Unit => write!(out, "\\u{code:04x}"),
            Spelled::Hidden(hidden) if is_json => {
                let escaped = Value::from(*hidden).to_string();
                write!(out, "{}{itself}", escaped.trim_matches('"'))
            }
            Spelled::Hidden(hidden) => write!(out, "{hidden}{itself}"),
        };
    }
    out
}

fn ways() -> impl Strategy<Value = Vec<Spelled>> {
    let hidden = ["\u{200b}", "\u{200d}", "\u{feff}", "\u{1b}[0m", "\u{0}", "\r\n", "\u{e0041}"];
    let way = prop_oneof![
        4 => Just(Spelled::Itself),
        1 => Just(Spelled::Decimal),
        1 => Just(Spelled::Hexadecimal),
        1 => Just(Spelled::Percent),
        1 => Just(Spelled::Unit),
        2 => select(hidden.to_vec()).prop_map(Spelled::Hidden),
        2 => select(vec!["<wbr>", "<b x='y'>", "<!-- z -->"]).prop_map(Spelled::Tagged),
    ];
    prop::collection::vec(way, 1..12)
}

fn credential() -> impl Strategy<Value = String> {
    // Seven characters at least, none of them one the forms are made of.
    "[A-Za-z0-9+/=._~-]{7,40}"
}

/// All texts of an outcome, one after the other.
fn shown(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Answered(answer) => {
            let content = match &answer.content {
                Content::Json(json) => json.text().to_owned(),
                Content::Text { text, .. } => text.clone(),
                other => format!("{other:?}"),
            };
            let headers: Vec<_> = answer.headers.iter().map(|(_, value)| value.as_str()).collect();
            let next = Value::Object(answer.next.clone());
            format!("{content} {} {next} {:?}", headers.join(" "), answer.truncated)
        }
        Outcome::Failed(fault) => {
            format!("{} {}", fault.message, fault.body.clone().unwrap_or_default())
        }
        other => panic!("no answer: {other:?}"),
    }
}

/// What a reader makes of a text who passes over what nobody sees.
fn seen(text: &str) -> String {
    let text = text.replace("\\n", "").replace("\\r", "");
    text.chars()
        .filter(|one| !one.is_control() && !matches!(one, '\u{200b}'..='\u{200f}'))
        .collect()
}

/// An operation whose answers may name a next page.
fn paged() -> Plan {
    let cursor = json!({"name": "cursor", "in": "query", "schema": {"type": "string"}});
    operation("get", "/x", json!({ "parameters": [cursor] }))
}

#[track_caller]
fn check(plan: &Plan, form: Form, body: Vec<u8>, secret: &str) {
    let mut response = Response::builder().status(form.status);
    response = response.header("content-type", form.media_type);
    let written = String::from_utf8_lossy(&body).into_owned();
    // What fits in a header is said there too.
    if let Ok(value) = HeaderValue::from_bytes(&body) {
        response = response.header("etag", &value).header("location", value);
    }
    let response = response.body(Bytes::from(body)).unwrap();
    let masker = Masker::new(vec![Secret::new(secret.to_owned())]);
    let (shape, mut journal) = (Shape::default(), Journal::default());
    let reading = ReadContext {
        shape: &shape,
        masker: &masker,
        arguments: &Arguments::new(),
        journal: &mut journal,
    };
    let mut shown = shown(&plan.understood_response(&response, reading).outcome);
    // Piece by piece it is what it is at once.
    if let Some(mut splitter) = Splitter::from_headers(response.headers()) {
        splitter.push(response.body());
        while let Some(bytes) = splitter.next_value_bytes() {
            let value = splitter.read_value(&bytes, &masker);
            shown.extend(value.map(|value| value.json.text().to_owned()));
        }
    }
    for text in [shown.clone(), seen(&shown)] {
        assert!(!text.contains(secret), "{form:?} {written:?} shows {shown:?}");
    }
    assert!(!format!("{journal:?}").contains(secret));
}

#[test]
fn a_credential_that_only_decoding_puts_together_is_masked() {
    let plan = paged();
    let secret = "Zm9v/canary+token=";
    for form in FORMS {
        for way in [
            Spelled::Itself,
            Spelled::Decimal,
            Spelled::Hexadecimal,
            Spelled::Percent,
            Spelled::Tagged("<wbr>"),
            Spelled::Tagged("<script>x</script>"),
            Spelled::Hidden("\u{200b}"),
            Spelled::Hidden("\u{200d}"),
            Spelled::Hidden("\u{1b}[1m"),
            Spelled::Hidden("\n"),
            Spelled::Unit,
        ] {
            let is_script = matches!(way, Spelled::Tagged("<script>x</script>"));
            if is_script && !form.media_type.starts_with("text/html") {
                continue;
            }
            let text = spelled(secret, &[way], form.is_json);
            check(&plan, form, [form.before, &text, form.after].concat().into(), secret);
        }
    }
}

#[test]
fn a_credential_in_another_encoding_or_split_over_lines_is_masked() {
    let plan = paged();
    let secret = "canary-token-value";
    for (media_type, prefix) in [
        ("text/plain; charset=utf-16le", ""),
        ("text/plain", "\u{feff}"),
        ("application/json", "\u{feff}"),
    ] {
        let text = format!("{prefix}\"{secret}\"");
        let body = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        check(&plan, form(200, media_type, "", "", false), body, secret);
    }
    let events = "data: canary-\ndata: token-value\n\ndata: {\"a\":\ndata: \"canary\\u002dtoken-value\"}\n\n";
    for body in [events.to_owned(), events.replace('\n', "\r\n"), events.replace('\n', "\r")] {
        check(&plan, form(200, "text/event-stream", "", "", false), body.into(), secret);
    }
    // ISO-2022-JP: the sequence that switches to ASCII says nothing where ASCII is on already.
    let body = b"canary-\x1b(Btoken-value".to_vec();
    check(&plan, form(200, "text/plain; charset=iso-2022-jp", "", "", false), body, secret);
    let wrapped = BASE64_STANDARD.encode(secret.repeat(3)).into_bytes();
    let wrapped = wrapped.chunks(20).collect::<Vec<_>>().join(&b"\r\n"[..]);
    check(&plan, form(200, "text/plain", "", "", false), wrapped, &secret.repeat(3));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600.max(ProptestConfig::default().cases)))]
    #[test]
    fn a_credential_is_masked_in_every_combination_of_encodings(
        secret in credential(),
        ways in ways(),
        form in select(FORMS.to_vec()),
        is_twice in any::<bool>(),
    ) {
        let plan = paged();
        let once = spelled(&secret, &ways, form.is_json);
        let text = if is_twice { spelled(&once, &[Spelled::Itself, Spelled::Decimal], form.is_json) } else { once };
        check(&plan, form, [form.before, &text, form.after].concat().into(), &secret);
    }
}
