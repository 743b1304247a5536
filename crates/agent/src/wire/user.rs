//! The message of a user with images and files, in the form in which each provider's own pages have them. A file that a
//! provider does not take is refused with its place: nothing is sent.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use callgate_tool::{StoredResult, Value};

use super::{
    Wire,
    media::{FileForm, file_form, media_types_text, registered_media_type},
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
    check_parts(wire, parts)?;
    let parts = parts.iter().enumerate().filter(|(_, part)| !is_blank(part));
    let written = parts.map(|(at, part)| match part {
        InputPart::Text(words) => Ok((wire.text)(words)),
        InputPart::File(file) => {
            let media_type = registered_media_type(&file.media_type);
            let part = FilePart { file, media_type, place: (n_before, at) };
            part.file_block(wire).map_err(|problem| error::unfit_file(at, &problem))
        }
    });
    let content = written.collect::<Result<Vec<_>, _>>()?;
    Ok(wire.user_message(Value::Array(content)))
}

/// True if a provider takes a file.
pub(crate) fn can_take_file(wire: Wire, file: &StoredResult) -> bool {
    match file_form(wire, &file.media_type) {
        Some(FileForm::Text) => std::str::from_utf8(&file.bytes).is_ok(),
        form => form.is_some(),
    }
}

/// Checks what holds for the parts together.
fn check_parts(wire: Wire, parts: &[InputPart]) -> Result<(), Error> {
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
    let is_document = |file: &StoredResult| {
        matches!(file_form(wire, &file.media_type), Some(FileForm::Document(_)))
    };
    let has_words = parts.iter().any(|part| matches!(part, InputPart::Text(_)) && !is_blank(part));
    if !wire.rules.takes_lone_documents && !has_words && files.clone().any(is_document) {
        return Err(error::lone_document(wire.dialect.as_str()));
    }
    Ok(())
}

fn is_blank(part: &InputPart) -> bool {
    matches!(part, InputPart::Text(text) if text.trim().is_empty())
}

/// A file of a message.
pub(crate) struct FilePart<'f> {
    pub(super) file: &'f StoredResult,
    /// Its media type without parameters.
    pub(super) media_type: String,
    /// Its place in the conversation: that of the message, and in it.
    pub(super) place: (usize, usize),
}

impl FilePart<'_> {
    fn file_block(&self, wire: Wire) -> Result<Value, String> {
        let form = file_form(wire, &self.media_type).ok_or_else(|| self.refusal_text(wire))?;
        if form != FileForm::Text {
            return Ok((wire.file_part)(self, form));
        }
        let words = std::str::from_utf8(&self.file.bytes).map_err(|_| NOT_UTF8.to_owned())?;
        Ok(match wire.rules.text_file {
            Some(text_file) => text_file(self, words),
            None => (wire.text)(words),
        })
    }

    fn refusal_text(&self, wire: Wire) -> String {
        let got = match &*self.media_type {
            "" => "a file without a media type".to_owned(),
            media_type => format!("`{media_type}`"),
        };
        let (dialect, types) = (wire.dialect, media_types_text(wire));
        format!("expected a file that `{dialect}` takes ({types}), got: {got}")
    }

    /// The bytes in base64.
    pub(super) fn base64_data(&self) -> String {
        BASE64_STANDARD.encode(&self.file.bytes)
    }

    /// The bytes as a `data:` URL.
    pub(super) fn data_url(&self) -> String {
        format!("data:{};base64,{}", self.media_type, self.base64_data())
    }

    /// The name of the file, or one that says what it is: some providers want one.
    pub(super) fn filename_or_default(&self) -> String {
        let extension = match self.media_type.as_str() {
            "application/pdf" => "pdf",
            "application/json" => "json",
            "text/csv" => "csv",
            _ => "txt",
        };
        self.file.filename.clone().unwrap_or_else(|| format!("file.{extension}"))
    }
}

/// The most files of an input: that of the provider that takes fewest images.
const MOST_FILES: usize = 20;
/// The most bytes of the files of an input: a request of Gemini takes 20 MB, and base64 needs four bytes for three.
pub const MOST_FILE_BYTES: usize = 14 * 1024 * 1024;
const NOT_UTF8: &str = "expected a text in UTF-8, got other bytes";
