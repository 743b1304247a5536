//! The paths of pages, and of the sidecar: names in them are percent-encoded.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// The names in a path below `/console`.
pub(crate) fn segments(path: &str) -> Vec<String> {
    let parts = path.split('/').filter(|part| !part.is_empty());
    parts.map(|part| percent_decode_str(part).decode_utf8_lossy().into_owned()).collect()
}

/// A name as a part of a path or a query.
pub(crate) fn encoded(name: &str) -> String {
    utf8_percent_encode(name, NAME).to_string()
}

/// The address of a page: the parts of its path below `/console`.
pub(crate) fn page(parts: &[&str]) -> String {
    parts.iter().fold("/console".to_owned(), |path, part| path + "/" + &encoded(part))
}

/// A query of the parameters that are not empty, with its question mark.
pub(crate) fn query(parameters: &[(&str, &str)]) -> String {
    let given = parameters.iter().filter(|(_, value)| !value.is_empty());
    let pairs: Vec<_> = given.map(|(name, value)| format!("{name}={}", encoded(value))).collect();
    if pairs.is_empty() { String::new() } else { format!("?{}", pairs.join("&")) }
}

const NAME: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');
