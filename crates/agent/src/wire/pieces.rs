//! The pieces of a message, apart from its format: words, files, calls and their results. A conversation is converted by
//! these; thoughts, signatures and searches of a provider are for that provider alone.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use callgate_call::wording::turn as wording;
use callgate_tool::{StoredResult, Value};

use super::{Wire, media::media_type};

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
pub(crate) fn pieces(wire: Wire, message: &Value) -> Vec<Piece> {
    if wire.parts().is_none()
        && let Some(id) = wire.answers(message)
    {
        let result = message.get("content").or_else(|| message.get("output"));
        return vec![Piece::Result(id, result.map(words).unwrap_or_default())];
    }
    let content = message.get(if wire == Wire::Gemini { "parts" } else { "content" });
    let kind = kind(message);
    match (wire, content) {
        (Wire::Responses, _) if kind == "function_call" => vec![Piece::Call],
        (Wire::Responses, _) if !matches!(kind, "" | "message") => vec![Piece::Other],
        (_, Some(Value::String(text))) => vec![Piece::Text(text.clone())],
        (_, Some(Value::Array(parts))) => parts.iter().map(|part| piece(wire, part)).collect(),
        _ => Vec::new(),
    }
}

fn piece(wire: Wire, part: &Value) -> Piece {
    if let Some(id) = wire.answers(part) {
        return Piece::Result(id, result_words(wire, part));
    }
    let is_call = ["functionCall", "toolUse"].iter().any(|name| part.get(name).is_some());
    if is_call || kind(part) == "tool_use" {
        return Piece::Call;
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
    file(wire, part).map_or(Piece::Other, Piece::File)
}

fn kind(value: &Value) -> &str {
    value.get("type").and_then(Value::as_str).unwrap_or_default()
}

/// The words of a result: a text, or the texts of its parts.
fn words(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let text = |part: &Value| part.get("text").and_then(Value::as_str).map(str::to_owned);
            let json = |part: &Value| part.get("json").map(ToString::to_string);
            let words = |part: &Value| text(part).or_else(|| json(part));
            // Of an image in a result the next model reads that it was there.
            let lost = |part: &Value| wording::unreadable_file(kind(part));
            let texts = parts.iter().map(|part| words(part).unwrap_or_else(|| lost(part)));
            texts.collect::<Vec<_>>().join("\n")
        }
        other => other.to_string(),
    }
}

fn result_words(wire: Wire, part: &Value) -> String {
    let result = match wire {
        Wire::Bedrock => part.pointer("/toolResult/content"),
        Wire::Gemini => part.pointer("/functionResponse/response"),
        Wire::Anthropic | Wire::OpenAi | Wire::Responses => part.get("content"),
    };
    result.map(words).unwrap_or_default()
}

fn file(wire: Wire, part: &Value) -> Option<StoredResult> {
    let text = |pointer: &str| part.pointer(pointer).and_then(Value::as_str);
    match wire {
        Wire::Anthropic => {
            let (data, media_type) = (text("/source/data")?, text("/source/media_type")?);
            let bytes = match text("/source/type")? {
                "base64" => decode(data)?,
                "text" => data.as_bytes().to_vec(),
                _ => return None,
            };
            Some(stored_file(media_type, bytes, text("/title")))
        }
        Wire::Bedrock => {
            let member = ["image", "document"].into_iter().find(|it| part.get(it).is_some())?;
            let format = text(&format!("/{member}/format"))?;
            let bytes = decode(text(&format!("/{member}/source/bytes"))?)?;
            Some(stored_file(media_type(format)?, bytes, text("/document/name")))
        }
        Wire::Gemini => {
            let bytes = decode(text("/inlineData/data")?)?;
            Some(stored_file(text("/inlineData/mimeType")?, bytes, None))
        }
        Wire::OpenAi if kind(part) == "input_audio" => {
            let bytes = decode(text("/input_audio/data")?)?;
            Some(stored_file(media_type(text("/input_audio/format")?)?, bytes, None))
        }
        Wire::OpenAi => {
            let url = text("/image_url/url").or_else(|| text("/file/file_data"));
            from_url(url?, text("/file/filename"))
        }
        Wire::Responses => {
            let url = text("/image_url").or_else(|| text("/file_data"));
            from_url(url?, text("/filename"))
        }
    }
}

fn from_url(url: &str, name: Option<&str>) -> Option<StoredResult> {
    let (media_type, data) = url.strip_prefix("data:")?.split_once(";base64,")?;
    Some(stored_file(media_type, decode(data)?, name))
}

fn decode(data: &str) -> Option<Vec<u8>> {
    BASE64_STANDARD.decode(data).ok()
}

fn stored_file(media_type: &str, bytes: Vec<u8>, name: Option<&str>) -> StoredResult {
    StoredResult::new(media_type, bytes.into()).with_filename(name.map(str::to_owned))
}

#[cfg(test)]
mod tests {
    use callgate_tool::json;

    use super::*;

    #[test]
    fn an_image_in_a_result_leaves_words_in_its_place() {
        let content = json!([{"type": "text", "text": "Seen."}, {"type": "image", "source": {}}]);
        let message = json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": content}]});
        let [Piece::Result(id, words)] = &*pieces(Wire::Anthropic, &message) else { panic!() };
        assert_eq!(id, "a");
        assert_eq!(words, "Seen.\n[A file was here that this model cannot read: image]");
    }
}
