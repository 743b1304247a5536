//! The pieces of a message, apart from its format: words, files, calls and their results. A conversation is converted by
//! these; thoughts, signatures and searches of a provider are for that provider alone.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use callgate_call::wording::turn as wording;
use callgate_tool::{StoredResult, Value};

use super::Wire;

/// A piece of a message.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Piece {
    Call,
    File(StoredResult),
    /// Something that only the provider of the format reads.
    Other,
    /// The result of the call of an id.
    Result(String, String),
    Text(String),
}

/// The pieces of a message, in their order.
pub(crate) fn message_pieces(wire: Wire, message: &Value) -> Vec<Piece> {
    if wire.rules.parts.is_none() && (wire.answers)(message).is_some() {
        return vec![piece(wire, message)];
    }
    if let Some(item) = (wire.rules.item)(message) {
        return vec![item];
    }
    match message.get(wire.rules.content) {
        Some(Value::String(text)) => vec![Piece::Text(text.clone())],
        Some(Value::Array(parts)) => parts.iter().map(|part| piece(wire, part)).collect(),
        _ => Vec::new(),
    }
}

fn piece(wire: Wire, part: &Value) -> Piece {
    if let Some(id) = (wire.answers)(part) {
        return Piece::Result(
            id,
            part.pointer(wire.rules.answer_pointer).map(result_text).unwrap_or_default(),
        );
    }
    if wire.rules.list_of_calls == Some(wire.rules.content) && (wire.call_pointer)(part).is_some() {
        return Piece::Call;
    }
    if let Some(cited) = part.get("citationsContent") {
        return Piece::Text(cited.get("content").map(result_text).unwrap_or_default());
    }
    let is_thought = part.get("thought").and_then(Value::as_bool).unwrap_or_default();
    let text = part.get("text").and_then(Value::as_str);
    let is_words = matches!(kind(part), "" | "input_text" | "output_text" | "text");
    if let Some(text) = text.filter(|_| is_words && !is_thought) {
        return Piece::Text(text.to_owned());
    }
    if let Some(refusal) = part.get("refusal").and_then(Value::as_str) {
        return Piece::Text(refusal.to_owned());
    }
    (wire.file)(part).map_or(Piece::Other, Piece::File)
}

/// The type of a part; empty if it has none.
pub(super) fn kind(value: &Value) -> &str {
    value.get("type").and_then(Value::as_str).unwrap_or_default()
}

/// The words of a result: a text, or the texts of its parts.
pub(super) fn result_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().map(part_words).collect::<Vec<_>>().join("\n"),
        other => other.to_string(),
    }
}

/// The words of a part of a result: its text, or the JSON of data. Of a file the next model reads that it was there.
pub(super) fn part_words(part: &Value) -> String {
    let kind = kind(part);
    let is_alone = part.as_object().is_some_and(|members| members.len() == 1);
    let is_text = matches!(kind, "input_text" | "output_text" | "text") || is_alone;
    let text = part.get("text").and_then(Value::as_str).filter(|_| is_text);
    if let Some(text) = part.as_str().or(text) {
        return text.to_owned();
    }
    let has_file = FILE_MEMBERS.iter().any(|name| part.get(*name).is_some());
    let has_only = |name: &str| is_alone && part.get(name).is_some_and(Value::is_object);
    let is_file = |name: &str| (has_file && name == kind) || has_only(name);
    if let Some(name) = FILES.iter().find(|name| is_file(name)) {
        return wording::unreadable_file_words(name);
    }
    part.get("json").filter(|_| is_alone).unwrap_or(part).to_string()
}

/// The text at a JSON pointer of a part.
pub(super) fn text_at<'v>(part: &'v Value, pointer: &str) -> Option<&'v str> {
    part.pointer(pointer).and_then(Value::as_str)
}

/// The file in a `data:` URL.
pub(super) fn file_of_data_url(url: &str, name: Option<&str>) -> Option<StoredResult> {
    let (media_type, data) = url.strip_prefix("data:")?.split_once(";base64,")?;
    decoded_file(media_type, data, name)
}

/// A file from its base64.
pub(super) fn decoded_file(
    media_type: &str,
    data: &str,
    name: Option<&str>,
) -> Option<StoredResult> {
    Some(stored_file(media_type, BASE64_STANDARD.decode(data).ok()?, name))
}

pub(super) fn stored_file(media_type: &str, bytes: Vec<u8>, name: Option<&str>) -> StoredResult {
    StoredResult::new(media_type, bytes.into()).with_filename(name.map(str::to_owned))
}

/// The types of parts that are files; Bedrock has members of these names.
const FILES: [&str; 8] =
    ["document", "file", "image", "image_url", "input_audio", "input_file", "input_image", "video"];
/// The members of such a part that hold a file, or say where it is.
const FILE_MEMBERS: [&str; 7] =
    ["file", "file_data", "file_id", "file_url", "image_url", "input_audio", "source"];

#[cfg(test)]
mod tests {
    use callgate_tool::json;

    use super::*;
    use crate::wire::anthropic::FORMAT;

    #[test]
    fn an_image_in_a_result_leaves_words_in_its_place() {
        let content = json!([{"type": "text", "text": "Seen."}, {"type": "image", "source": {}}]);
        let message = json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": content}]});
        let [Piece::Result(id, words)] = &*message_pieces(&FORMAT, &message) else { panic!() };
        assert_eq!(id, "a");
        assert_eq!(words, "Seen.\n[A file was here that this model cannot read: image]");
    }

    #[test]
    fn data_in_a_list_stays_whole() {
        for (part, expected) in [
            (json!("So."), "So."),
            (json!({"type": "text", "text": "So.", "citations": []}), "So."),
            (json!({"text": "So."}), "So."),
            (json!({"json": {"id": 1.5}}), r#"{"id":1.5}"#),
            (json!({"id": 7, "text": "So."}), r#"{"id":7,"text":"So."}"#),
            (json!({"type": "bug", "json": 1}), r#"{"type":"bug","json":1}"#),
            (
                json!({"image": {"format": "png"}}),
                "[A file was here that this model cannot read: image]",
            ),
            (json!(7), "7"),
        ] {
            assert_eq!(part_words(&part), expected, "{part}");
        }
    }
}
