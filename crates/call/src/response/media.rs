//! Interprets the `Content-Type` of a response: its media type, how to read its body, and its character encoding. It does
//! not read the body.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8};
use http::{HeaderMap, header::CONTENT_TYPE};

pub(super) struct Media<'h> {
    /// The type in lower case, without parameters; empty if there is none.
    pub(super) essence: Cow<'h, str>,
    charset: Option<&'static Encoding>,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Kind {
    Binary,
    Events,
    Html,
    Json,
    JsonLines,
    Multipart,
    Perceived,
    Text,
    Unnamed,
}

impl<'h> Media<'h> {
    pub(super) fn from_headers(headers: &'h HeaderMap) -> Self {
        let value = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let mut parts = value.unwrap_or_default().split(';').map(str::trim);
        let essence = lower_case(parts.next().unwrap_or_default());
        let charset = parts.find_map(|parameter| {
            let (name, value) = parameter.split_once('=')?;
            let is_charset = name.trim().eq_ignore_ascii_case("charset");
            is_charset.then(|| Encoding::for_label(value.trim().trim_matches('"').as_bytes()))?
        });
        Self { essence, charset }
    }

    pub(super) fn kind(&self) -> Kind {
        let essence = &*self.essence;
        let is_suffixed = |suffix: &str| essence.ends_with(suffix);
        match essence {
            "" => Kind::Unnamed,
            "application/json" | "text/json" => Kind::Json,
            "application/xhtml+xml" | "text/html" => Kind::Html,
            "text/event-stream" => Kind::Events,
            "application/json-lines"
            | "application/json-seq"
            | "application/jsonl"
            | "application/jsonlines"
            | "application/ldjson"
            | "application/ndjson"
            | "application/stream+json"
            | "application/x-json-lines"
            | "application/x-json-stream"
            | "application/x-jsonlines"
            | "application/x-ldjson"
            | "application/x-ndjson"
            | "text/x-ndjson" => Kind::JsonLines,
            _ if is_suffixed("+json") => Kind::Json,
            _ if is_suffixed("+json-seq") => Kind::JsonLines,
            _ if is_suffixed("+xml") || is_suffixed("+yaml") => Kind::Text,
            _ if essence.starts_with("text/") || TEXTS.contains(&essence) => Kind::Text,
            _ if essence.starts_with("multipart/") => Kind::Multipart,
            _ if essence.starts_with("image/") || essence.starts_with("audio/") => Kind::Perceived,
            _ => Kind::Binary,
        }
    }

    /// The decoded text: by a byte order mark, else the announced charset, else an XML declaration, else UTF-8; invalid
    /// bytes become U+FFFD.
    pub(super) fn decoded_text<'a>(&self, body: &'a [u8]) -> Cow<'a, str> {
        // RFC 7303 §3: the header takes precedence over the declaration.
        let charset =
            self.charset.or_else(|| self.is_xml().then(|| declared_xml_encoding(body)).flatten());
        charset.unwrap_or(UTF_8).decode(body).0
    }

    /// The number of characters that stand for invalid bytes in the decoded text.
    pub(super) fn n_undecodable_characters(&self, body: &[u8]) -> usize {
        if std::str::from_utf8(body).is_ok() {
            return 0;
        }
        n_new_replacement_characters(body, &self.decoded_text(body))
    }

    fn is_xml(&self) -> bool {
        let essence = &*self.essence;
        essence.ends_with("+xml") || matches!(essence, "application/xml" | "text/xml")
    }
}

/// The number of characters U+FFFD in a text that its bytes do not have.
pub(super) fn n_new_replacement_characters(bytes: &[u8], text: &str) -> usize {
    let n_own = bytes.windows(3).filter(|three| *three == "\u{fffd}".as_bytes()).count();
    text.matches('\u{fffd}').count().saturating_sub(n_own)
}

/// The media type in lower case; most services already write it so.
fn lower_case(essence: &str) -> Cow<'_, str> {
    if essence.bytes().any(|byte| byte.is_ascii_uppercase()) {
        Cow::Owned(essence.to_ascii_lowercase())
    } else {
        Cow::Borrowed(essence)
    }
}

/// The encoding that an XML declaration names (XML 1.0 §4.3.3). The declaration is readable as ASCII, so the encoding does
/// not have 16-bit units.
fn declared_xml_encoding(body: &[u8]) -> Option<&'static Encoding> {
    let head = body.get(..MAX_DECLARATION).unwrap_or(body).trim_ascii_start();
    let head = head.strip_prefix(b"<?xml")?;
    let end = head.windows(2).position(|pair| pair == b"?>")?;
    let (_, rest) = std::str::from_utf8(head.get(..end)?).ok()?.split_once("encoding")?;
    let value = rest.trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|first| matches!(first, '"' | '\''))?;
    let label = value.get(1..)?.split(quote).next()?;
    let encoding = Encoding::for_label(label.as_bytes())?;
    encoding.is_ascii_compatible().then_some(encoding)
}

/// The longest XML declaration: it names a version, an encoding and whether the document stands alone.
const MAX_DECLARATION: usize = 256;

/// Media types of texts whose names do not show it.
const TEXTS: &[&str] = &[
    "application/csv",
    "application/ecmascript",
    "application/graphql",
    "application/javascript",
    "application/toml",
    "application/x-www-form-urlencoded",
    "application/x-yaml",
    "application/xml",
    "application/yaml",
];
