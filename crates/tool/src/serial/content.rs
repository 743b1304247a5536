//! The content of an answer as callgate writes it, whole or part by part.

use base64::{display::Base64Display, prelude::BASE64_STANDARD};
use serde::{Serialize, Serializer, ser::SerializeMap};

use super::known;
use crate::{Content, Part};

/// Writes JSON as it is, a text as a string, an empty body as `null`, an image or a sound with its bytes in base64, another
/// file with its digest, and parts as an array.
impl Serialize for Content {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Empty => serializer.serialize_unit(),
            Self::File { media_type, size, sha256 } => {
                let mut members = serializer.serialize_map(Some(3))?;
                members.serialize_entry("mediaType", media_type)?;
                members.serialize_entry("size", size)?;
                members.serialize_entry("sha256", sha256)?;
                members.end()
            }
            Self::Json(json) => json.serialize(serializer),
            Self::Media { media_type, data } => {
                let mut members = serializer.serialize_map(Some(3))?;
                members.serialize_entry("mediaType", media_type)?;
                members.serialize_entry("size", &data.len())?;
                members.serialize_entry("data", &Base64(data))?;
                members.end()
            }
            Self::Parts(parts) => parts.serialize(serializer),
            Self::Text { text, .. } => serializer.serialize_str(text),
        }
    }
}

/// Writes the known members of `{"name", "contentId", "filename", "content", "handle"}`.
impl Serialize for Part {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut members = serializer.serialize_map(None)?;
        known::<S, _>(&mut members, "name", self.name.as_ref())?;
        known::<S, _>(&mut members, "contentId", self.content_id.as_ref())?;
        known::<S, _>(&mut members, "filename", self.filename.as_ref())?;
        members.serialize_entry("content", &self.content)?;
        known::<S, _>(&mut members, "handle", self.handle.as_ref())?;
        members.end()
    }
}

struct Base64<'a>(&'a [u8]);

impl Serialize for Base64<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&Base64Display::new(self.0, &BASE64_STANDARD))
    }
}
