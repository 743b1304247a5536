//! The template of documents' addresses: `https://docs.example.com/{path}`.

use callgate_tree::SettingFinding;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::finding::PATTERN;

/// A template with `{path}`, the path from the folder, or `{stem}`, the path without the file's ending.
#[derive(Clone, Debug)]
pub(crate) struct UriTemplate(String);

impl UriTemplate {
    pub(crate) fn new(text: &str) -> Result<Self, SettingFinding> {
        let rest = text.replace("{path}", "").replace("{stem}", "");
        let has_place = rest.len() < text.len();
        let is_address = text.starts_with("https://") || text.starts_with("http://");
        if has_place && is_address && !rest.contains(['{', '}', ' ']) {
            return Ok(Self(text.to_owned()));
        }
        let message = format!("expected an address with `{{path}}` or `{{stem}}`, got: `{text}`");
        let help = "write `https://docs.example.com/{path}`";
        Err(SettingFinding::error(PATTERN, "/uri", message, help))
    }

    pub(crate) fn uri(&self, path: &str) -> String {
        let stem = match path.rsplit_once('.') {
            Some((stem, ending)) if !ending.contains('/') => stem,
            _ => path,
        };
        let encoded = |text: &str| utf8_percent_encode(text, IN_PATH).to_string();
        self.0.replace("{path}", &encoded(path)).replace("{stem}", &encoded(stem))
    }
}

/// The characters that a path has as they are (RFC 3986 §2.3), and its slashes.
const IN_PATH: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/');

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_has_a_path() {
        let template = UriTemplate::new("https://a.example/d/{path}").expect("a template");
        assert_eq!(template.uri("a b/ü?.md"), "https://a.example/d/a%20b/%C3%BC%3F.md");
        let template = UriTemplate::new("https://a.example/{stem}.html").expect("a template");
        assert_eq!(template.uri("v1.2/a.md"), "https://a.example/v1.2/a.html");
        for wrong in ["https://a.example/", "{path}", "https://a.example/{name}/{path}"] {
            assert!(UriTemplate::new(wrong).is_err(), "{wrong}");
        }
    }
}
