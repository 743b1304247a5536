//! The media types of files that providers take in a message of a user.

use super::Wire;

/// The form of a file in a message.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum FileForm {
    Audio(&'static str),
    /// With the name of its format, where a provider has names of its own.
    Document(&'static str),
    Image(&'static str),
    /// The words of the file.
    Text,
}

impl FileForm {
    pub(super) fn format(self) -> &'static str {
        match self {
            Self::Audio(format) | Self::Document(format) | Self::Image(format) => format,
            Self::Text => "txt",
        }
    }
}

/// Media types with their forms; one that ends with `*` means all that begin so.
pub(crate) type Files = &'static [(&'static str, FileForm)];

/// The form of a file of a media type; `None` if the provider does not take it.
pub(super) fn file_form(wire: Wire, media_type: &str) -> Option<FileForm> {
    let media_type = registered_media_type(media_type);
    let is_its = |name: &str| match name.strip_suffix('*') {
        Some(beginning) => media_type.starts_with(beginning),
        None => name == media_type,
    };
    let mut listed = wire.files.iter().copied().flatten();
    listed.find(|(name, _)| is_its(name)).map(|(_, form)| *form)
}

/// The media type of a format of a provider.
pub(super) fn media_type_of_format(files: &[Files], format: &str) -> Option<&'static str> {
    let mut listed = files.iter().copied().flatten();
    listed.find(|(_, form)| form.format() == format).map(|(name, _)| *name)
}

/// The media types that a provider takes, in words.
pub(super) fn media_types_text(wire: Wire) -> String {
    let listed = wire.files.iter().copied().flatten();
    listed.map(|(name, _)| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// A media type without its parameters, under its registered name.
pub(super) fn registered_media_type(media_type: &str) -> String {
    let essence = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    match &*essence {
        "image/jpg" => "image/jpeg".to_owned(),
        "audio/mp3" => "audio/mpeg".to_owned(),
        "audio/wave" | "audio/x-wav" => "audio/wav".to_owned(),
        _ => essence,
    }
}

pub(super) const IMAGES: Files = &[
    ("image/gif", FileForm::Image("gif")),
    ("image/jpeg", FileForm::Image("jpeg")),
    ("image/png", FileForm::Image("png")),
    ("image/webp", FileForm::Image("webp")),
];
pub(super) const PDF: Files = &[("application/pdf", FileForm::Document("pdf"))];
pub(super) const OFFICE: Files = &[
    ("application/msword", FileForm::Document("doc")),
    ("application/vnd.ms-excel", FileForm::Document("xls")),
    (
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        FileForm::Document("xlsx"),
    ),
    (
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        FileForm::Document("docx"),
    ),
];
/// Texts whose words stand in the message.
pub(super) const WORDS: Files = &[("text/*", FileForm::Text), ("application/json", FileForm::Text)];
