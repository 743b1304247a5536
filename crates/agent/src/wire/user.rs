//! The message of a user with images and files, in the form in which each provider's own pages have them. A file that a
//! provider does not take is refused with its place: nothing is sent.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use callgate_tool::{Object, StoredResult, Value, json};

use super::{
    Wire,
    media::{Form, essence, form, taken},
};
use crate::{
    error::{self, Error},
    input::InputPart,
};

/// The message of a user, which follows so many messages.
pub(crate) fn user_message(
    wire: Wire,
    parts: &[InputPart],
    n_before: usize,
) -> Result<Value, Error> {
    check(wire, parts)?;
    let parts = parts.iter().enumerate().filter(|(_, part)| !is_blank(part));
    let written = parts.map(|(at, part)| match part {
        InputPart::Text(words) => Ok(text(wire, words)),
        InputPart::File(file) => {
            let name = Name { file, place: (n_before, at) };
            block(wire, &name).map_err(|problem| error::unfit_file(at, &problem))
        }
    });
    let content = Value::Array(written.collect::<Result<_, _>>()?);
    Ok(match wire {
        Wire::Anthropic | Wire::Bedrock | Wire::OpenAi => {
            json!({"role": "user", "content": content})
        }
        Wire::Gemini => json!({"role": "user", "parts": content}),
        Wire::Responses => json!({"type": "message", "role": "user", "content": content}),
    })
}

/// True if a provider takes a file.
pub(crate) fn takes(wire: Wire, file: &StoredResult) -> bool {
    match form(wire, &file.media_type) {
        Some(Form::Text) => std::str::from_utf8(&file.bytes).is_ok(),
        form => form.is_some(),
    }
}

/// Checks what holds for the parts together.
fn check(wire: Wire, parts: &[InputPart]) -> Result<(), Error> {
    let files = parts.iter().filter_map(|part| match part {
        InputPart::File(file) => Some(file),
        InputPart::Text(_) => None,
    });
    let n_bytes = files.clone().map(|file| file.bytes.len()).fold(0, usize::saturating_add);
    if files.clone().count() > MOST_FILES {
        return Err(error::too_many_files(MOST_FILES));
    }
    if n_bytes > MOST_FILE_BYTES {
        return Err(error::too_large_files(MOST_FILE_BYTES));
    }
    if parts.iter().all(is_blank) {
        return Err(error::no_words());
    }
    let is_document =
        |file: &StoredResult| matches!(form(wire, &file.media_type), Some(Form::Document(_)));
    let has_words = parts.iter().any(|part| matches!(part, InputPart::Text(_)) && !is_blank(part));
    // `Message` of Converse: a document needs a text beside it.
    if wire == Wire::Bedrock && !has_words && files.clone().any(is_document) {
        return Err(error::lone_document());
    }
    Ok(())
}

fn is_blank(part: &InputPart) -> bool {
    matches!(part, InputPart::Text(text) if text.trim().is_empty())
}

fn text(wire: Wire, text: &str) -> Value {
    match wire {
        Wire::Anthropic | Wire::OpenAi => json!({"type": "text", "text": text}),
        Wire::Bedrock | Wire::Gemini => json!({"text": text}),
        Wire::Responses => json!({"type": "input_text", "text": text}),
    }
}

/// A file with its place in the conversation: that of the message, and in it.
struct Name<'f> {
    file: &'f StoredResult,
    place: (usize, usize),
}

impl Name<'_> {
    /// The name of the file, or one that says what it is: some providers want one.
    fn filename(&self) -> String {
        let extension = match essence(&self.file.media_type).as_str() {
            "application/pdf" => "pdf",
            "application/json" => "json",
            "text/csv" => "csv",
            _ => "txt",
        };
        self.file.filename.clone().unwrap_or_else(|| format!("file.{extension}"))
    }

    /// The name of a document of Converse: few characters, and no name twice in a conversation.
    fn unique(&self) -> String {
        let (message, part) = self.place;
        let name = self.file.filename.as_deref().unwrap_or("document");
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "()[]-".contains(c);
        let plain = name.chars().map(|c| if is_plain(c) { c } else { ' ' });
        let plain: String = plain.take(MOST_NAME).collect();
        let plain: Vec<_> = plain.split_whitespace().collect();
        format!("{} {message}-{part}", plain.join(" ")).trim_start().to_owned()
    }
}

fn block(wire: Wire, name: &Name<'_>) -> Result<Value, String> {
    let file = name.file;
    let form = form(wire, &file.media_type).ok_or_else(|| refusal(wire, file))?;
    if form == Form::Text {
        let words = std::str::from_utf8(&file.bytes).map_err(|_| NOT_UTF8.to_owned())?;
        return Ok(match wire {
            Wire::Anthropic => {
                document(name, json!({"type": "text", "media_type": "text/plain", "data": words}))
            }
            _ => text(wire, words),
        });
    }
    let (data, media_type) = (BASE64_STANDARD.encode(&file.bytes), essence(&file.media_type));
    let url = || format!("data:{media_type};base64,{data}");
    Ok(match (wire, form) {
        (Wire::Anthropic, form) => {
            let source = json!({"type": "base64", "media_type": &*media_type, "data": &*data});
            match form {
                Form::Image(_) => json!({"type": "image", "source": source}),
                _ => document(name, source),
            }
        }
        (Wire::Bedrock, Form::Image(format)) => {
            json!({"image": {"format": format, "source": {"bytes": data}}})
        }
        (Wire::Bedrock, form) => {
            let document =
                json!({"format": form.format(), "name": name.unique(), "source": {"bytes": data}});
            json!({"document": document})
        }
        (Wire::Gemini, _) => json!({"inlineData": {"mimeType": media_type, "data": data}}),
        (Wire::OpenAi, Form::Image(_)) => json!({"type": "image_url", "image_url": {"url": url()}}),
        (Wire::OpenAi, Form::Audio(format)) => {
            json!({"type": "input_audio", "input_audio": {"data": data, "format": format}})
        }
        (Wire::OpenAi, _) => {
            json!({"type": "file", "file": {"filename": name.filename(), "file_data": url()}})
        }
        (Wire::Responses, Form::Image(_)) => {
            json!({"type": "input_image", "detail": "auto", "image_url": url()})
        }
        (Wire::Responses, _) => {
            json!({"type": "input_file", "filename": name.filename(), "file_data": url()})
        }
    })
}

fn document(name: &Name<'_>, source: Value) -> Value {
    let mut document = Object::from([("type", "document".into()), ("source", source)]);
    if let Some(title) = &name.file.filename {
        document.insert("title", title.as_str().into());
    }
    document.into()
}

fn refusal(wire: Wire, file: &StoredResult) -> String {
    let got = match &*essence(&file.media_type) {
        "" => "a file without a media type".to_owned(),
        media_type => format!("`{media_type}`"),
    };
    format!("expected a file that `{}` takes ({}), got: {got}", wire.dialect(), taken(wire))
}

/// The most files of an input: that of the provider that takes fewest images.
const MOST_FILES: usize = 20;
/// The most bytes of the files of an input: a request of Gemini takes 20 MB, and base64 needs four bytes for three.
pub const MOST_FILE_BYTES: usize = 14 * 1024 * 1024;
/// The most characters of the name of a document, with place for what makes it unique: Converse takes 200.
const MOST_NAME: usize = 160;
const NOT_UTF8: &str = "expected a text in UTF-8, got other bytes";
