//! Splits responses that are sequences of values while they arrive: event streams, JSON lines and JSON text sequences.
//! Bytes come from the transport in pieces of any size; one value is held at a time. Reads no clock: the caller limits the
//! wait for a value.

use callgate_secret::Masker;
use callgate_tool::{Json, Value};
use http::HeaderMap;

use super::{
    json::parse_repairing_surrogates,
    media::{self, Kind, Media},
    sequence,
};
use crate::{echo, shape::remove_invisible_characters};

/// Marks a response that was cut off before its end: an extension of the [`http::Response`] that its reader sets. Complete
/// values are returned, with a note that there may be more.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "a mark, without more to say")]
pub struct Unfinished;

/// Splits one response into its values.
///
/// ```
/// use callgate_call::Splitter;
/// use http::{HeaderMap, HeaderValue, header::CONTENT_TYPE};
///
/// let headers = HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static("application/jsonl"))]);
/// let mut splitter = Splitter::from_headers(&headers).expect("a sequence");
/// splitter.push(b"{\"n\":1}\n{\"n\"");
/// assert_eq!(splitter.next_value_bytes().as_deref(), Some(&b"{\"n\":1}"[..]));
/// assert_eq!(splitter.next_value_bytes(), None);
/// ```
#[derive(Debug)]
pub struct Splitter {
    form: SequenceFormat,
    held: Vec<u8>,
    start: usize,
    /// The offset in `held` from which the end of a value is still to be searched.
    seen: usize,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum SequenceFormat {
    /// An empty line (HTML, "Parsing an event stream").
    Events,
    /// The end of the line.
    Lines,
    /// The next record separator (RFC 7464 §2.1).
    Records,
}

/// One value of a sequence, as it is shown.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SplitValue {
    /// The value.
    pub json: Json,
    /// The number of invisible characters that were removed from it.
    pub n_removed: usize,
    /// The number of characters that were replaced in it.
    pub n_replaced: usize,
}

impl Splitter {
    /// The splitter for a response with these headers; `None` if it is not a sequence.
    pub fn from_headers(headers: &HeaderMap) -> Option<Self> {
        let media = Media::from_headers(headers);
        let form = match media.kind() {
            Kind::Events => SequenceFormat::Events,
            Kind::JsonLines if media.essence.ends_with("json-seq") => SequenceFormat::Records,
            Kind::JsonLines => SequenceFormat::Lines,
            _ => return None,
        };
        Some(Self { form, held: Vec::new(), start: 0, seen: 0 })
    }

    /// Adds a piece of the response.
    pub fn push(&mut self, chunk: &[u8]) {
        self.held.drain(..self.start);
        self.seen = self.seen.saturating_sub(self.start);
        self.start = 0;
        self.held.extend_from_slice(chunk);
    }

    /// The number of bytes that wait for the rest of their value.
    pub fn pending_size(&self) -> usize {
        self.held.len().saturating_sub(self.start)
    }

    /// The bytes of the next complete value; blank values are skipped.
    pub fn next_value_bytes(&mut self) -> Option<Vec<u8>> {
        loop {
            let Some(end) = self.next_value_end() else {
                // A line end at the end of the bytes may begin an empty line.
                self.seen = self.held.len().saturating_sub(3).max(self.start);
                return None;
            };
            let value = trimmed_value(self.held.get(self.start..end)?).to_vec();
            (self.start, self.seen) = (end, end);
            if !value.is_empty() {
                return Some(value);
            }
        }
    }

    /// The bytes of the last value, after the end of the response.
    pub fn last_value_bytes(&mut self) -> Option<Vec<u8>> {
        let last = self.held.get(self.start..).map(trimmed_value).unwrap_or_default().to_vec();
        self.start = self.held.len();
        (!last.is_empty()).then_some(last)
    }

    /// Reads the bytes of a value, and masks secrets; `None` for an event without data. A line that is not JSON becomes a
    /// text.
    pub fn read_value(&self, bytes: &[u8], masker: &Masker<'_>) -> Option<SplitValue> {
        let text = String::from_utf8_lossy(bytes);
        let n_undecodable = media::n_new_replacement_characters(bytes, &text);
        let (mut value, n_replaced) = match self.form {
            SequenceFormat::Events => {
                let text = text.trim_start_matches('\u{feff}');
                let events = sequence::parse_events(text, usize::MAX);
                (events.values.into_iter().next()?, events.n_replaced)
            }
            SequenceFormat::Lines | SequenceFormat::Records => {
                match parse_repairing_surrogates(text.trim_start_matches(SEPARATOR)) {
                    Ok(taken) => (taken.json.into_value(), taken.n_replaced),
                    Err(_) => (Value::String(text.into_owned()), 0),
                }
            }
        };
        let n_removed = remove_invisible_characters(&mut value);
        let (json, _) = echo::masked_json(Json::from(value), masker);
        Some(SplitValue { json, n_removed, n_replaced: n_replaced + n_undecodable })
    }

    /// The end of the next value, including its separator.
    fn next_value_end(&self) -> Option<usize> {
        // The separator that begins a value does not end it.
        let is_record = self.form == SequenceFormat::Records;
        let from = if is_record { self.seen.max(self.start + 1) } else { self.seen };
        let ahead = self.held.get(from..)?;
        match self.form {
            SequenceFormat::Events => first_empty_line_end(ahead).map(|end| from + end),
            SequenceFormat::Lines => {
                ahead.iter().position(|byte| *byte == b'\n').map(|at| from + at + 1)
            }
            SequenceFormat::Records => {
                ahead.iter().position(|byte| *byte == RECORD).map(|at| from + at)
            }
        }
    }
}

/// The end of the first empty line: two consecutive line ends, of any of the three kinds.
fn first_empty_line_end(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    let mut is_line_end = false;
    while let Some(byte) = bytes.get(at) {
        let length = match byte {
            b'\r' if bytes.get(at + 1) == Some(&b'\n') => 2,
            b'\n' | b'\r' => 1,
            _ => 0,
        };
        if length > 0 && is_line_end {
            return Some(at + length);
        }
        is_line_end = length > 0;
        at += length.max(1);
    }
    None
}

fn trimmed_value(value: &[u8]) -> &[u8] {
    let is_inner = |byte: &u8| !matches!(*byte, b'\n' | b'\r' | RECORD);
    let start = value.iter().position(is_inner).unwrap_or(value.len());
    let end = value.iter().rposition(is_inner).map_or(start, |last| last + 1);
    value.get(start..end).unwrap_or_default()
}

const RECORD: u8 = 0x1e;
const SEPARATOR: char = '\u{1e}';

#[cfg(test)]
mod tests {
    use http::{HeaderValue, header::CONTENT_TYPE};

    use super::*;

    fn splitter(media_type: &'static str) -> Option<Splitter> {
        let value = HeaderValue::from_static(media_type);
        Splitter::from_headers(&HeaderMap::from_iter([(CONTENT_TYPE, value)]))
    }

    #[track_caller]
    fn check(media_type: &'static str, text: &str, expected: &[&str]) {
        let masker = Masker::new(Vec::new());
        for size in 1..=text.len().max(1) {
            let mut splitter = splitter(media_type).unwrap();
            let mut values = Vec::new();
            for chunk in text.as_bytes().chunks(size) {
                splitter.push(chunk);
                let whole = std::iter::from_fn(|| splitter.next_value_bytes()).collect::<Vec<_>>();
                values.extend(whole.iter().filter_map(|value| splitter.read_value(value, &masker)));
            }
            values.extend(
                splitter.last_value_bytes().and_then(|value| splitter.read_value(&value, &masker)),
            );
            let values: Vec<_> = values.iter().map(|value| value.json.text()).collect();
            assert_eq!(values, expected, "{text:?} in pieces of {size}");
        }
    }

    #[test]
    fn only_media_types_of_sequences_are_streamed_by_value() {
        for (media_type, is_sequence) in [
            ("text/event-stream; charset=utf-8", true),
            ("application/x-ndjson", true),
            ("application/json-seq", true),
            ("application/json", false),
            ("text/plain", false),
            ("", false),
        ] {
            assert_eq!(splitter(media_type).is_some(), is_sequence, "{media_type}");
        }
    }

    #[test]
    fn a_stream_yields_the_same_values_however_it_is_chunked() {
        check(
            "text/event-stream",
            ": hello\n\nevent: add\nid: 7\ndata: {\"n\":9007199254740993}\n\ndata: a\r\ndata: b\r\n\r\n\n\ndata: c",
            &[
                r#"{"event":"add","id":"7","data":{"n":9007199254740993}}"#,
                r#"{"data":"a\nb"}"#,
                r#"{"data":"c"}"#,
            ],
        );
        check(
            "text/event-stream",
            "data: a\r\rdata: b\r\r",
            &[r#"{"data":"a"}"#, r#"{"data":"b"}"#],
        );
        check(
            "application/x-ndjson",
            "{\"n\":1.10}\r\n\n2\nnot json\n[3]",
            &["{\"n\":1.10}", "2", "\"not json\"", "[3]"],
        );
        check("application/json-seq", "\u{1e}{\"a\":\n1}\n\u{1e}2\n", &["{\"a\":1}", "2"]);
        check("application/x-ndjson", "", &[]);
    }
}
