//! Interprets a media type: whether it is a range, whether another type matches it, and its charset. It writes no bodies;
//! the media types come from the description or from an argument.

use std::sync::Arc;

/// The media type with the charset of `text`, which is sent in UTF-8. A declared charset stays if the text has equal bytes
/// in it; otherwise the error names the charset.
pub(super) fn with_charset(declared: &str, text: &str) -> Result<String, String> {
    let charset = declared.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        name.trim().eq_ignore_ascii_case("charset").then(|| value.trim().trim_matches('"'))
    });
    match charset {
        // Only `text/*` defines the parameter for all its types (RFC 2046 §4.1.2).
        None if essence(declared).starts_with("text/") => Ok(format!("{declared}; charset=utf-8")),
        None => Ok(declared.to_owned()),
        Some(charset) if charset.eq_ignore_ascii_case("utf-8") || text.is_ascii() => {
            // ASCII text has equal bytes in every charset except the wide ones.
            let is_wide = charset.to_ascii_lowercase().starts_with("utf-16")
                || charset.to_ascii_lowercase().starts_with("utf-32");
            if is_wide { Err(charset.to_owned()) } else { Ok(declared.to_owned()) }
        }
        Some(charset) => Err(charset.to_owned()),
    }
}

pub(super) fn is_json(media_type: &str) -> bool {
    let bare = essence(media_type);
    bare.ends_with("/json") || bare.ends_with("+json")
}

/// Returns true if a list or an object, which is written as JSON, has one of the media types that are declared for it. Without
/// any, JSON is the default (OpenAPI 3.0.4 §4.7.15.1.1).
pub(super) fn allows_json(declared: &[Arc<str>]) -> bool {
    let takes =
        |media_type: &Arc<str>| is_json(media_type) || matches_type(media_type, "application/json");
    declared.is_empty() || declared.iter().any(takes)
}

/// Returns true if a media type is that of a JSON patch, which is a list of operations (RFC 6902).
pub(super) fn is_json_patch(media_type: &str) -> bool {
    let bare = essence(media_type);
    let special = bare.split_once('/').map_or("", |(_, special)| special);
    special == "json-patch+json" || special.ends_with(".json-patch+json")
}

/// Returns true if JSON is a value of a media type of texts: it is plain text, and it is YAML.
pub(super) fn can_hold_json(media_type: &str) -> bool {
    let bare = essence(media_type);
    is_media_range(&bare) || bare == "text/plain" || bare.ends_with("yaml") || is_json(&bare)
}

pub(super) fn is_media_range(media_type: &str) -> bool {
    essence(media_type).contains('*')
}

/// Returns true if a media type matches a declared type or range. `application/octet-stream` matches any bytes.
pub(super) fn matches_type(declared: &str, given: &str) -> bool {
    let (declared, given) = (essence(declared), essence(given));
    match declared.as_str() {
        "*/*" | "application/octet-stream" => true,
        _ => match declared.strip_suffix('*') {
            Some(general) => given.starts_with(general),
            None => declared == given,
        },
    }
}

/// Returns true if a text is a media type that can be sent (RFC 9110 §8.3.1).
pub(super) fn is_valid_media_type(text: &str) -> bool {
    let is_token = |part: &str| {
        let legal = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$&-^_.+".contains(&byte);
        !part.is_empty() && part.bytes().all(legal)
    };
    let bare = text.split(';').next().unwrap_or_default().trim();
    bare.split_once('/').is_some_and(|(general, special)| is_token(general) && is_token(special))
        && text.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' ')
}

/// The media type in lower case, without parameters.
pub(super) fn essence(media_type: &str) -> String {
    media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}
