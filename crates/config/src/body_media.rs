//! The key `body_media` of a toolset: the media type of a request body if its description allows several. Only
//! `openapi` knows the media types that a body may have.

use crate::{
    code::ConfigCode,
    reader::{Mapping, Reader, at},
};

/// Reads the preferred media types, the best first.
pub(crate) fn read(reader: &mut Reader, mapping: Mapping<'_>) -> Vec<String> {
    let mut preferred = Vec::new();
    for text in reader.strings(mapping, "body_media") {
        if is_media_type(text) {
            preferred.push(text.to_owned());
            continue;
        }
        let message = format!("expected a media type or a range of them, got: `{text}`");
        let help = "write a type and a subtype, as `application/xml`, or a range, as `text/*`";
        reader.complain(ConfigCode::WrongValue, at(mapping, "body_media"), message, help);
    }
    preferred
}

/// Returns true if a text is a type and a subtype or `*`, without parameters (RFC 9110 §8.3.1).
fn is_media_type(text: &str) -> bool {
    let Some((general, special)) = text.split_once('/') else { return false };
    is_token(general)
        && !general.contains('*')
        && is_token(special)
        && (special == "*" || !special.contains('*'))
}

/// Returns true if a text is a token: RFC 9110 §5.6.2.
fn is_token(text: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.bytes().all(is_letter)
}
