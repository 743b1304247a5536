//! The keys `server` and `server_variables` of a toolset: the server that is called instead of the description's own.

use std::collections::BTreeMap;

use callgate_openapi::check_server;
use callgate_settings::{Finding, Kind, SettingCode, Severity, forms, member_pointer};
use callgate_tree::Node;
use url::Url;

use crate::error::Error;

/// The address of a server: an http or https URL, in which `{name}` stands for a server variable.
///
/// ```
/// use callgate_config::ServerUrl;
///
/// let server = ServerUrl::new("https://{region}.example.com/v1")?;
/// assert_eq!(server.as_str(), "https://{region}.example.com/v1");
///
/// let error = ServerUrl::new("ftp://kim:password@example.com").unwrap_err();
/// assert!(error.findings()[0].message.ends_with("got a URL of another scheme than `http` and `https`"));
/// # Ok::<(), callgate_config::Error>(())
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ServerUrl(String);

impl ServerUrl {
    /// Accepts a text that is an absolute http or https URL after its variables are filled in.
    ///
    /// # Errors
    /// [`Error`] for any other text. A text with variables is checked after they are filled in.
    pub fn new(text: &str) -> Result<Self, Error> {
        let is_template = text.contains('{') && text.contains('}');
        let is_url = || Url::parse(text).is_ok_and(|url| matches!(url.scheme(), "http" | "https"));
        if is_template || is_url() {
            return Ok(Self(text.to_owned()));
        }
        let message =
            format!("expected the absolute URL of a server, got {}", kind_of_invalid_url(text));
        let finding = Finding::new("", Severity::Error, SettingCode::WrongValue.as_str(), message);
        let finding = finding.with_help("for example `https://api.example.com/v1`");
        Err(Error::from_findings(vec![finding.with_option("server")]))
    }

    /// The address as written.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<Url> for ServerUrl {
    fn from(url: Url) -> Self {
        Self(url.into())
    }
}

/// The kind of a text that is not the address of a server; the text itself may contain a password.
fn kind_of_invalid_url(text: &str) -> &'static str {
    match Url::parse(text) {
        Ok(_) => "a URL of another scheme than `http` and `https`",
        Err(_) if text.trim().is_empty() => "an empty text",
        Err(_) if text.contains("://") => "a URL that has no legal host or port",
        Err(_) => "a text without `https://`",
    }
}

forms! {
    struct Server => ServerUrl, Kind::Text, |reader, mapping, key| {
        let text = reader.string_or_variable(mapping, key)?;
        if let Err(wrong) = check_server(&text) {
            reader.report_fault(SettingCode::WrongValue, member_pointer(mapping, key), wrong.message, wrong.help);
            return None;
        }
        ServerUrl::new(&text).ok()
    };
    struct ServerVariables => BTreeMap<String, String>, Kind::Map(&Variable::KIND), |reader, mapping, key| {
        reader.named_values::<Variable, _>(mapping, key, "a mapping from variables to texts", "`{region: eu}`")
    };
    struct Variable => String, Kind::AnyOf(&[Kind::Text, Kind::Number]), |reader, mapping, key| {
        match mapping.object.get(key)? {
            Node::String(_) => reader.string_or_variable(mapping, key),
            Node::Number(number) => Some(number.to_string()),
            other => {
                reader.report_missing_text(&member_pointer(mapping, key), "a text", other);
                None
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_malformed_server_url_is_refused_with_its_kind_of_fault() {
        for (text, expected) in [
            ("", "got an empty text"),
            ("api.example.com", "got a text without `https://`"),
            ("ftp://api.example.com", "got a URL of another scheme than `http` and `https`"),
            ("https://", "got a URL that has no legal host or port"),
        ] {
            let error = ServerUrl::new(text).unwrap_err();
            let message = &error.findings()[0].message;
            assert!(message.ends_with(expected), "{text}: {message}");
        }
    }
}
