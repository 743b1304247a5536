//! The keys `server` and `server_variables` of a toolset: the server that is called instead of the description's own.

use std::{collections::BTreeMap, fmt};

use callgate_openapi::check_server;
use callgate_tree::Node;
use url::Url;

use crate::{code::ConfigCode, form::forms, keys::Kind, reader::at};

/// The address of a server: an http or https URL, in which `{name}` stands for a server variable.
///
/// ```
/// # use callgate_config::{NotAServer, ServerUrl};
/// let server = ServerUrl::new("https://{region}.example.com/v1")?;
/// assert_eq!(server.as_str(), "https://{region}.example.com/v1");
/// assert!(ServerUrl::new("example.com").is_err());
/// # Ok::<(), NotAServer>(())
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ServerUrl(String);

/// A text that is not the address of a server.
///
/// ```
/// use callgate_config::{NotAServer, ServerUrl};
///
/// let error: NotAServer = ServerUrl::new("ftp://kim:password@example.com").unwrap_err();
/// assert!(error.to_string().ends_with("got a URL of another scheme than `http` and `https`"));
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct NotAServer {
    /// The kind of the actual text; the text itself may contain a password.
    got: &'static str,
}

impl ServerUrl {
    /// Accepts a text that is an absolute http or https URL after its variables are filled in.
    ///
    /// # Errors
    /// [`NotAServer`] for any other text. A text with variables is checked after they are filled in.
    pub fn new(text: &str) -> Result<Self, NotAServer> {
        let is_template = text.contains('{') && text.contains('}');
        let is_url = || Url::parse(text).is_ok_and(|url| matches!(url.scheme(), "http" | "https"));
        if is_template || is_url() { Ok(Self(text.to_owned())) } else { Err(NotAServer::of(text)) }
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

impl NotAServer {
    fn of(text: &str) -> Self {
        let got = match Url::parse(text) {
            Ok(_) => "a URL of another scheme than `http` and `https`",
            Err(_) if text.trim().is_empty() => "an empty text",
            Err(_) if text.contains("://") => "a URL that has no legal host or port",
            Err(_) => "a text without `https://`",
        };
        Self { got }
    }
}

impl fmt::Display for NotAServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected the absolute URL of a server, got {}", self.got)
    }
}

impl std::error::Error for NotAServer {}

forms! {
    struct Server => ServerUrl, Kind::Text, |reader, mapping, key| {
        let text = reader.setting(mapping, key)?;
        if let Err(wrong) = check_server(&text) {
            reader.complain(ConfigCode::WrongValue, at(mapping, key), wrong.message, wrong.help);
            return None;
        }
        ServerUrl::new(&text).ok()
    };
    struct ServerVariables => BTreeMap<String, String>, Kind::Map(&Variable::KIND), |reader, mapping, key| {
        reader.map::<Variable, _>(mapping, key, "a mapping from variables to texts", "`{region: eu}`")
    };
    struct Variable => String, Kind::AnyOf(&[Kind::Text, Kind::Number]), |reader, mapping, key| {
        match mapping.object.get(key)? {
            Node::String(_) => reader.setting(mapping, key),
            Node::Number(number) => Some(number.to_string()),
            other => {
                reader.expected(&at(mapping, key), "a text", other, "quote it");
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
            let told = ServerUrl::new(text).unwrap_err().to_string();
            assert!(told.ends_with(expected), "{text}: {told}");
        }
    }
}
