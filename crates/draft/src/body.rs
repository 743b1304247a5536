//! A body, read by its media type.

use callgate_tool::Value;
use url::form_urlencoded;

/// What a message carries.
#[derive(Clone, Debug)]
pub(crate) enum Body {
    /// Bytes of this media type.
    Binary(String),
    Form(Vec<(String, String)>),
    /// A value, and the media type that it was sent as.
    Json(String, Value),
    Multipart(Vec<Part>),
    /// A text of this media type.
    Text(String, String),
    /// A body of this media type that is not what the type says.
    Unreadable(String),
}

/// A part of a form with files.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) name: String,
    /// The text; `None` for a file.
    pub(crate) text: Option<String>,
}

impl Body {
    /// Reads bytes by their media type; without one, JSON is recognized.
    pub(crate) fn read(media_type: Option<&str>, bytes: &[u8]) -> Self {
        let given = media_type.unwrap_or_default();
        let media_type = given.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        let Ok(text) = std::str::from_utf8(bytes) else {
            return Self::Binary(media_type_or_usual(media_type, "application/octet-stream"));
        };
        if media_type == "application/x-www-form-urlencoded" {
            let pairs = form_urlencoded::parse(bytes);
            return Self::Form(pairs.map(|(name, value)| (name.into(), value.into())).collect());
        }
        if let Some(parts) = boundary(given).and_then(|boundary| read_parts(text, boundary)) {
            return Self::Multipart(parts);
        }
        let is_json = matches!(media_type.as_str(), "application/json" | "text/json")
            || media_type.ends_with("+json");
        match Value::parse(text) {
            Ok(value) if is_json || media_type.is_empty() => {
                Self::Json(media_type_or_usual(media_type, "application/json"), value)
            }
            Err(_) if is_json => Self::Unreadable(media_type),
            _ => Self::Text(media_type_or_usual(media_type, "text/plain"), text.to_owned()),
        }
    }

    pub(crate) fn media_type(&self) -> &str {
        match self {
            Self::Form(_) => "application/x-www-form-urlencoded",
            Self::Multipart(_) => "multipart/form-data",
            Self::Binary(media_type)
            | Self::Json(media_type, _)
            | Self::Text(media_type, _)
            | Self::Unreadable(media_type) => media_type,
        }
    }
}

fn media_type_or_usual(media_type: String, usual: &str) -> String {
    if media_type.contains('/') { media_type } else { usual.to_owned() }
}

fn boundary(media_type: &str) -> Option<&str> {
    let is_multipart =
        media_type.trim_start().to_ascii_lowercase().starts_with("multipart/form-data");
    let (_, value) = media_type.split_once("boundary=").filter(|_| is_multipart)?;
    Some(value.split(';').next()?.trim().trim_matches('"'))
}

/// The parts of a form (RFC 7578); `None` where the boundary does not occur.
fn read_parts(text: &str, boundary: &str) -> Option<Vec<Part>> {
    let separator = format!("--{boundary}");
    let mut sections = text.split(&separator);
    sections.next()?;
    let parts = sections.filter_map(|section| {
        let (head, content) =
            section.split_once("\r\n\r\n").or_else(|| section.split_once("\n\n"))?;
        let name = disposition_attribute(head, "name")?.to_owned();
        let is_file = disposition_attribute(head, "filename").is_some();
        let content = content.strip_suffix('\n').unwrap_or(content);
        let content = content.strip_suffix('\r').unwrap_or(content);
        Some(Part { name, text: (!is_file).then(|| content.to_owned()) })
    });
    Some(parts.collect::<Vec<_>>()).filter(|parts| !parts.is_empty())
}

/// An attribute of a `Content-Disposition`.
fn disposition_attribute<'h>(head: &'h str, name: &str) -> Option<&'h str> {
    let (_, value) = head.split_once(&format!("; {name}=\""))?;
    value.split('"').next()
}
