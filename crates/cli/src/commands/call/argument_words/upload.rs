//! The bytes of a file as an argument, with the file's name and type.

use std::path::Path;

use base64::{Engine as _, prelude::BASE64_STANDARD};
use callgate_tool::{Object, Value};

use crate::guide::Guide;

/// The bytes of a file as a tool takes them, with the file's name and type if they matter.
pub(super) fn value(file: &str, bytes: &[u8], guide: Guide<'_>) -> Value {
    let mut members = Object::new();
    members.insert("data".to_owned(), BASE64_STANDARD.encode(bytes).into());
    let name = Path::new(file).file_name().filter(|_| file != "-");
    if let Some(name) = name.filter(|_| guide.member("filename").is_some()) {
        members.insert("filename".to_owned(), name.to_string_lossy().into_owned().into());
        let extension = Path::new(file).extension().unwrap_or_default().to_string_lossy();
        let media_type_row =
            MEDIA_TYPES.iter().find(|(entry, _)| extension.eq_ignore_ascii_case(entry));
        let content_type = media_type_row.map(|(_, media_type)| Value::from(*media_type));
        members.extend(content_type.map(|media_type| ("content_type".to_owned(), media_type)));
    }
    Value::Object(members)
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
