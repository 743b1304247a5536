//! The bytes of a file as an argument, with the file's name and type.

use std::path::Path;

use base64::{Engine as _, prelude::BASE64_STANDARD};
use callgate_tool::{Object, Value};

use crate::{guide::Guide, media_type::media_type_of};

/// The bytes of a file as a tool takes them, with the file's name and type if they matter.
pub(super) fn upload_value(file: &str, bytes: &[u8], guide: Guide<'_>) -> Value {
    let mut members = Object::new();
    members.insert("data".to_owned(), BASE64_STANDARD.encode(bytes).into());
    let name = Path::new(file).file_name().filter(|_| file != "-");
    if let Some(name) = name.filter(|_| guide.member("filename").is_some()) {
        members.insert("filename".to_owned(), name.to_string_lossy().into_owned().into());
        let content_type = media_type_of(Path::new(file)).map(Value::from);
        members.extend(content_type.map(|media_type| ("content_type".to_owned(), media_type)));
    }
    Value::Object(members)
}
