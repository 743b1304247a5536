//! The media types of files that providers take in a message of a user, by their own pages.

use super::Wire;

/// The form of a file in a message.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Form {
    Audio(&'static str),
    /// With the name of its format, where a provider has names of its own.
    Document(&'static str),
    Image(&'static str),
    /// The words of the file.
    Text,
}

impl Form {
    pub(super) fn format(self) -> &'static str {
        match self {
            Self::Audio(format) | Self::Document(format) | Self::Image(format) => format,
            Self::Text => "txt",
        }
    }
}

/// The form of a file of a media type; `None` if the provider does not take it.
pub(super) fn form(wire: Wire, media_type: &str) -> Option<Form> {
    let media_type = essence(media_type);
    let is_text = media_type.starts_with("text/") || media_type == "application/json";
    let listed = |(_, list): &(Kind, List)| list.iter().find(|(name, _)| *name == media_type);
    let listed = tables(wire).iter().find_map(|table| Some((table.0, listed(table)?.1)));
    match (listed, wire) {
        (Some((kind, format)), _) => Some(kind.form(format)),
        (None, Wire::Anthropic | Wire::OpenAi) if is_text => Some(Form::Text),
        (None, Wire::Gemini) if media_type == "application/json" => Some(Form::Text),
        (None, Wire::Gemini | Wire::Responses) if is_text => Some(Form::Document("txt")),
        (None, Wire::Gemini)
            if ["audio/", "video/"].iter().any(|it| media_type.starts_with(it)) =>
        {
            Some(Form::Audio(""))
        }
        _ => None,
    }
}

/// The media type of a format of a provider.
pub(super) fn media_type(format: &str) -> Option<&'static str> {
    let lists = [IMAGES, PDF, SOUNDS, OFFICE, TEXTS].into_iter().flatten();
    lists.copied().find_map(|(media_type, name)| (name == format).then_some(media_type))
}

/// The media types that a provider takes, in words.
pub(super) fn taken(wire: Wire) -> String {
    let listed = tables(wire).iter().flat_map(|(_, list)| list.iter());
    let listed = listed.map(|(name, _)| format!("`{name}`"));
    let families: &[&str] = match wire {
        Wire::Anthropic | Wire::OpenAi | Wire::Responses => &["`text/*`", "`application/json`"],
        Wire::Bedrock => &[],
        Wire::Gemini => &["`text/*`", "`application/json`", "`audio/*`", "`video/*`"],
    };
    let all: Vec<_> = listed.chain(families.iter().map(|name| (*name).to_owned())).collect();
    all.join(", ")
}

/// A media type without its parameters, under its registered name.
pub(super) fn essence(media_type: &str) -> String {
    let essence = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    match &*essence {
        "image/jpg" => "image/jpeg".to_owned(),
        "audio/mp3" => "audio/mpeg".to_owned(),
        "audio/wave" | "audio/x-wav" => "audio/wav".to_owned(),
        _ => essence,
    }
}

#[derive(Clone, Copy)]
enum Kind {
    Audio,
    Document,
    Image,
}

impl Kind {
    fn form(self, format: &'static str) -> Form {
        match self {
            Self::Audio => Form::Audio(format),
            Self::Document => Form::Document(format),
            Self::Image => Form::Image(format),
        }
    }
}

/// Media types with the names of their formats.
type List = &'static [(&'static str, &'static str)];

fn tables(wire: Wire) -> &'static [(Kind, List)] {
    match wire {
        Wire::Anthropic => &[(Kind::Image, IMAGES), (Kind::Document, PDF)],
        Wire::Bedrock => &[
            (Kind::Image, IMAGES),
            (Kind::Document, PDF),
            (Kind::Document, OFFICE),
            (Kind::Document, TEXTS),
        ],
        Wire::Gemini => &[(Kind::Image, IMAGES_OF_GEMINI), (Kind::Document, PDF)],
        Wire::OpenAi => &[(Kind::Image, IMAGES), (Kind::Document, PDF), (Kind::Audio, SOUNDS)],
        Wire::Responses => &[
            (Kind::Image, IMAGES),
            (Kind::Document, PDF),
            (Kind::Document, OFFICE),
            (Kind::Document, SLIDES),
        ],
    }
}

const IMAGES: List =
    &[("image/gif", "gif"), ("image/jpeg", "jpeg"), ("image/png", "png"), ("image/webp", "webp")];
const IMAGES_OF_GEMINI: List = &[
    ("image/heic", "heic"),
    ("image/heif", "heif"),
    ("image/jpeg", "jpeg"),
    ("image/png", "png"),
    ("image/webp", "webp"),
];
const PDF: List = &[("application/pdf", "pdf")];
const SOUNDS: List = &[("audio/mpeg", "mp3"), ("audio/wav", "wav")];
const OFFICE: List = &[
    ("application/msword", "doc"),
    ("application/vnd.ms-excel", "xls"),
    ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xlsx"),
    ("application/vnd.openxmlformats-officedocument.wordprocessingml.document", "docx"),
];
const SLIDES: List =
    &[("application/vnd.openxmlformats-officedocument.presentationml.presentation", "pptx")];
const TEXTS: List =
    &[("text/csv", "csv"), ("text/html", "html"), ("text/markdown", "md"), ("text/plain", "txt")];
