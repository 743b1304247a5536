//! Writes sequences of JSON values: JSON lines, and `json-seq` with a record separator before each (RFC 7464 §2.2). A text
//! counts as a finished sequence. Values come from `content`.

use callgate_tool::Value;

use super::content::Content;

/// The bytes of a sequence: each item of a list on a line of its own, any other value on one line.
pub(super) fn write(content: &Content<'_>, media_type: &str) -> Vec<u8> {
    let separator = media_type.contains("json-seq").then_some(RECORD_SEPARATOR);
    let mut out = Vec::new();
    let mut push = |item: &Value| {
        out.extend(separator);
        out.extend_from_slice(item.to_string().as_bytes());
        out.push(b'\n');
    };
    match content.value().as_ref().map(|(_, value)| &**value) {
        Some(Value::Array(items)) => items.iter().for_each(push),
        Some(Value::String(text)) => out.extend_from_slice(text.as_bytes()),
        Some(value) => push(value),
        None => {}
    }
    out
}

const RECORD_SEPARATOR: u8 = 0x1e;
