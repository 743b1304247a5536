//! The paths of pages, and of the sidecar: names in them are percent-encoded.

use callgate_tool::Value;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// The names in a path below `/console`.
pub(crate) fn decoded_segments(path: &str) -> Vec<String> {
    let parts = path.split('/').filter(|part| !part.is_empty());
    parts.map(|part| percent_decode_str(part).decode_utf8_lossy().into_owned()).collect()
}

/// A name as a part of a path or a query.
pub(crate) fn percent_encoded(name: &str) -> String {
    utf8_percent_encode(name, NAME).to_string()
}

/// The address of a page: the parts of its path below `/console`.
pub(crate) fn console_address(parts: &[&str]) -> String {
    parts.iter().fold("/console".to_owned(), |path, part| path + "/" + &percent_encoded(part))
}

/// The address of a tool's form that is filled with arguments; `None` if they are too long for it, or no JSON.
pub(crate) fn filled_form_address(tool: &str, arguments: &str) -> Option<String> {
    if arguments.len() > MOST_FILLED || Value::parse(arguments).is_err() {
        return None;
    }
    Some(console_address(&["tools", tool]) + &query(&[("args", arguments)]))
}

/// A query of the parameters that are not empty, with its question mark.
pub(crate) fn query(parameters: &[(&str, &str)]) -> String {
    let given = parameters.iter().filter(|(_, value)| !value.is_empty());
    let pairs: Vec<_> =
        given.map(|(name, value)| format!("{name}={}", percent_encoded(value))).collect();
    if pairs.is_empty() { String::new() } else { format!("?{}", pairs.join("&")) }
}

/// An address holds no more.
const MOST_FILLED: usize = 4096;
const NAME: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_short_json_fills_a_form_by_its_address() {
        let filled = filled_form_address("a/b", r#"{"c": 1.50}"#);
        let expected = "/console/tools/a%2Fb?args=%7B%22c%22%3A%201.50%7D";
        assert_eq!(filled.as_deref(), Some(expected));
        for arguments in ["", "{", &*format!("\"{}\"", "x".repeat(MOST_FILLED))] {
            assert_eq!(filled_form_address("a", arguments), None, "{arguments}");
        }
    }
}
