//! Explains the faults of a server that an operator wrote, and suggests a correction.

use std::fmt;

use super::{operator_server, text::suggested_url};
use crate::options::LoadOptions;

/// A server that requests cannot be sent to.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct InvalidServer {
    /// The expected value, and the written one.
    pub message: String,
    /// The text to write instead.
    pub help: String,
}

impl fmt::Display for InvalidServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.message, self.help)
    }
}

impl std::error::Error for InvalidServer {}

/// Checks a server that an operator writes. A server with variables is checked once their values are known.
///
/// ```
/// let wrong = callgate_openapi::check_server("localhost:8000").unwrap_err();
/// assert_eq!(wrong.help, "write `http://localhost:8000`");
/// assert!(callgate_openapi::check_server("http://localhost:8000").is_ok());
/// ```
///
/// # Errors
/// [`InvalidServer`] if the text is not a plain http or https address.
pub fn check_server(text: &str) -> Result<(), InvalidServer> {
    if text.contains('{') {
        return Ok(());
    }
    let result = operator_server(text, &LoadOptions::default());
    result
        .map(|_| ())
        .map_err(|refusal| InvalidServer { message: refusal.message, help: server_help(text) })
}

pub(super) fn server_help(text: &str) -> String {
    match suggested_url(text) {
        Some(fit) => format!("write `{fit}`"),
        None => "write it as `https://api.example.com/v1`".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_malformed_server_gets_a_suggestion() {
        for (text, expected) in [
            ("localhost:8000", "write `http://localhost:8000`"),
            ("127.0.0.1:8000/v1", "write `http://127.0.0.1:8000/v1`"),
            ("api.example.com/v1", "write `https://api.example.com/v1`"),
            ("//api.example.com", "write `https://api.example.com`"),
            ("ftp://a.example", "write it as `https://api.example.com/v1`"),
            ("https://a.example?x=1", "write it as `https://api.example.com/v1`"),
        ] {
            assert_eq!(check_server(text).unwrap_err().help, expected, "{text}");
        }
        for fine in ["http://localhost:8000", "https://a.example/v1", "https://{region}.example"] {
            assert!(check_server(fine).is_ok(), "{fine}");
        }
    }
}
