//! Reads answers that are many values one after the other: JSON lines, JSON text sequences and event streams. They were
//! collected; an unfinished value at the end is kept where it can be read. What comes piece by piece is split in
//! `stream`.

use std::borrow::Cow;

use serde_json::{Map, Value};

/// The values of JSON lines or of a JSON text sequence (RFC 7464), or `None` where a line is no JSON.
pub(super) fn lines(text: &str) -> Option<Value> {
    // A value of a sequence may span lines; then the separator alone ends it.
    let separator = if text.starts_with(SEPARATOR) { SEPARATOR } else { LINE };
    let split = text.split(separator);
    let values = split.map(str::trim).filter(|line| !line.is_empty());
    values.map(|line| serde_json::from_str(line).ok()).collect::<Option<Vec<_>>>().map(Value::Array)
}

/// The events of a stream (HTML, "Parsing an event stream"): `event` and `id` where they are given, `data` as the JSON
/// it is or else as text.
pub(super) fn events(text: &str) -> Value {
    let mut events = Vec::new();
    let mut event = Map::new();
    let mut data: Option<String> = None;
    for line in with_line_feeds(text).lines().chain([""]) {
        if line.is_empty() {
            if let Some(data) = data.take() {
                event.insert("data".to_owned(), value(data));
                events.push(Value::Object(std::mem::take(&mut event)));
            }
            event.clear();
            continue;
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => match &mut data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
                None => data = Some(value.to_owned()),
            },
            "event" | "id" => {
                event.insert(field.to_owned(), Value::from(value));
            }
            // A comment, `retry`, or a field nobody knows.
            _ => {}
        }
    }
    Value::Array(events)
}

/// The three line ends of an event stream as one.
fn with_line_feeds(text: &str) -> Cow<'_, str> {
    if text.contains('\r') {
        text.replace("\r\n", "\n").replace('\r', "\n").into()
    } else {
        text.into()
    }
}

fn value(data: String) -> Value {
    match serde_json::from_str(&data) {
        Ok(value @ (Value::Array(_) | Value::Object(_))) => value,
        _ => Value::String(data),
    }
}

const LINE: char = '\n';
/// RFC 7464 §2.1: the record separator begins each text of a sequence.
const SEPARATOR: char = '\u{1e}';

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn lines_are_values() {
        for (text, expected) in [
            ("{\"a\":1}\n\n[2]\r\n", Some(json!([{"a": 1}, [2]]))),
            ("\u{1e}{\"a\":\n1}\n\u{1e}2\n", Some(json!([{"a": 1}, 2]))),
            ("", Some(json!([]))),
            ("{\"a\":1}\n{", None),
        ] {
            assert_eq!(lines(text), expected, "{text:?}");
        }
    }

    #[test]
    fn events_have_names_ids_and_data() {
        for (text, expected) in [
            ("data: a\n\ndata: b", json!([{"data": "a"}, {"data": "b"}])),
            ("data: a\ndata:b\n\n", json!([{"data": "a\nb"}])),
            (
                ": hello\nevent: add\nid: 7\nretry: 10\r\ndata: {\"x\": 1}\n\n",
                json!([{"event": "add", "id": "7", "data": {"x": 1}}]),
            ),
            ("data: a\rdata: b\r\rdata: c\r\n\r\n", json!([{"data": "a\nb"}, {"data": "c"}])),
            ("event: empty\n\ndata: [DONE]\n\n", json!([{"data": "[DONE]"}])),
            ("", json!([])),
        ] {
            assert_eq!(events(text), expected, "{text:?}");
        }
    }
}
