//! The media type of a file by the ending of its name.

use std::path::Path;

pub(crate) fn media_type_of(file: &Path) -> Option<&'static str> {
    let extension = file.extension()?.to_str()?;
    let row = MEDIA_TYPES.iter().find(|(entry, _)| extension.eq_ignore_ascii_case(entry));
    row.map(|(_, media_type)| *media_type)
}

const MEDIA_TYPES: [(&str, &str); 17] = [
    ("csv", "text/csv"),
    ("gif", "image/gif"),
    ("html", "text/html"),
    ("jpeg", "image/jpeg"),
    ("jpg", "image/jpeg"),
    ("json", "application/json"),
    ("md", "text/markdown"),
    ("mp3", "audio/mpeg"),
    ("mp4", "video/mp4"),
    ("pdf", "application/pdf"),
    ("png", "image/png"),
    ("svg", "image/svg+xml"),
    ("txt", "text/plain"),
    ("wav", "audio/wav"),
    ("webp", "image/webp"),
    ("xml", "application/xml"),
    ("zip", "application/zip"),
];
