//! Reads complete responses that are sequences of values: JSON lines, JSON text sequences and event streams. An unfinished
//! last value is kept if it can be read. `stream` splits responses that arrive piece by piece.

use std::borrow::Cow;

use callgate_tool::{Object, Value};

use super::json::{self, parse_repairing_surrogates};
use crate::cut::json_size_within;

/// The first values of a response, as many as are needed: a tree of small values takes many times its text.
#[derive(Debug)]
pub(super) struct Sequence {
    pub(super) values: Vec<Value>,
    pub(super) n_more: usize,
    /// The number of characters that were replaced in the values.
    pub(super) n_replaced: usize,
    room: usize,
}

impl Sequence {
    /// Keeps the first values, up to `room` bytes of JSON.
    pub(super) fn new(room: usize) -> Self {
        Self { values: Vec::new(), n_more: 0, n_replaced: 0, room }
    }

    pub(super) fn add_or_count(&mut self, value: impl FnOnce() -> Value) {
        if self.room == 0 {
            self.n_more += 1;
            return;
        }
        let value = value();
        let size = json_size_within(&value, self.room).unwrap_or(self.room);
        self.room -= size;
        self.values.push(value);
    }
}

/// The values of JSON lines or of a JSON text sequence (RFC 7464), or `None` if a line is not JSON.
pub(super) fn parse_json_lines(text: &str, room: usize) -> Option<Sequence> {
    // A value of a sequence may span lines; only the separator ends it.
    let separator = if text.starts_with(SEPARATOR) { SEPARATOR } else { LINE };
    let mut sequence = Sequence::new(room);
    for line in text.split(separator).map(str::trim).filter(|line| !line.is_empty()) {
        let json::ParsedJson { json, n_replaced } = parse_repairing_surrogates(line).ok()?;
        sequence.n_replaced += n_replaced;
        sequence.add_or_count(|| json.into_value());
    }
    Some(sequence)
}

/// The events of a stream (HTML, "Parsing an event stream"): `event` and `id` if present, `data` as JSON if it is JSON,
/// otherwise as text.
pub(super) fn parse_events(text: &str, room: usize) -> Sequence {
    let mut events = Sequence::new(room);
    let mut event = Object::new();
    let mut data: Option<String> = None;
    for line in with_line_feeds(text).lines().chain([""]) {
        if line.is_empty() {
            let event = std::mem::take(&mut event);
            if let Some(data) = data.take() {
                let mut n_replaced = 0;
                events.add_or_count(|| event_with_data(event, data, &mut n_replaced));
                events.n_replaced += n_replaced;
            }
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
            // A comment, `retry`, or an unknown field.
            _ => {}
        }
    }
    events
}

/// Replaces the three line ends of an event stream by line feeds.
fn with_line_feeds(text: &str) -> Cow<'_, str> {
    if text.contains('\r') {
        text.replace("\r\n", "\n").replace('\r', "\n").into()
    } else {
        text.into()
    }
}

fn event_with_data(mut event: Object, data: String, n_replaced: &mut usize) -> Value {
    let data = match parse_repairing_surrogates(&data) {
        Ok(taken) if matches!(taken.json.value(), Value::Array(_) | Value::Object(_)) => {
            *n_replaced += taken.n_replaced;
            taken.json.into_value()
        }
        _ => Value::String(data),
    };
    event.insert("data".to_owned(), data);
    Value::Object(event)
}

const LINE: char = '\n';
/// RFC 7464 §2.1: the record separator begins each text of a sequence.
const SEPARATOR: char = '\u{1e}';

#[cfg(test)]
mod tests {
    use callgate_tool::json;

    use super::*;

    #[test]
    fn each_line_of_a_json_sequence_is_a_value() {
        for (text, expected) in [
            ("{\"a\":1}\n\n[2]\r\n", Some(json!([{"a": 1}, [2]]))),
            ("\u{1e}{\"a\":\n1}\n\u{1e}2\n", Some(json!([{"a": 1}, 2]))),
            ("", Some(json!([]))),
            ("[\"\\ud83d\"]\n2\n", Some(json!([["\u{fffd}"], 2]))),
            ("{\"a\":1}\n{", None),
        ] {
            let values = parse_json_lines(text, usize::MAX).map(|read| Value::Array(read.values));
            assert_eq!(values, expected, "{text:?}");
        }
    }

    #[test]
    fn each_server_sent_event_has_its_name_id_and_data() {
        for (text, expected) in [
            ("data: a\n\ndata: b", json!([{"data": "a"}, {"data": "b"}])),
            ("data: a\ndata:b\n\n", json!([{"data": "a\nb"}])),
            (
                ": hello\nevent: add\nid: 7\nretry: 10\r\ndata: {\"x\": 1}\n\n",
                json!([{"event": "add", "id": "7", "data": {"x": 1}}]),
            ),
            ("data: a\rdata: b\r\rdata: c\r\n\r\n", json!([{"data": "a\nb"}, {"data": "c"}])),
            ("event: empty\n\ndata: [DONE]\n\n", json!([{"data": "[DONE]"}])),
            ("data: [\"\\ude00\"]\n\n", json!([{"data": ["\u{fffd}"]}])),
            ("", json!([])),
        ] {
            assert_eq!(Value::Array(parse_events(text, usize::MAX).values), expected, "{text:?}");
        }
    }

    #[test]
    fn values_beyond_the_budget_of_a_sequence_are_only_counted() {
        for room in [1, 7, 8, 12] {
            let read = parse_json_lines("[1,2,3]\n4\n\n5\n", room).unwrap();
            let n_kept = if room < 8 { 1 } else { room / 4 };
            assert_eq!(
                (read.values.len(), read.n_more),
                (n_kept.min(3), 3 - n_kept.min(3)),
                "{room}"
            );
        }
        assert!(parse_json_lines("1\n2\nx", 1).is_none(), "a line beyond is no JSON");
        let read = parse_events("data: a\n\nevent: b\n\ndata: c\n\ndata: d", 1);
        assert_eq!((read.values, read.n_more), (vec![json!({"data": "a"})], 2));
    }
}
