//! Explains the faults of a server that an operator wrote, and suggests a correction.

use std::{fmt, net::IpAddr};

use url::Url;

use crate::{options::LoadOptions, server::named_by_operator};

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
    let found = named_by_operator(text, &LoadOptions::default());
    found.map(|_| ()).map_err(|refusal| {
        let message = match mended(text) {
            Some(_) => format!("expected a server URL with `http` or `https`, got: `{text}`"),
            None => refusal.message,
        };
        InvalidServer { message, help: help(text) }
    })
}

/// The text to write instead of a server.
pub(super) fn help(text: &str) -> String {
    let fit = mended(text).unwrap_or_else(|| "https://api.example.com/v1".to_owned());
    if mended(text).is_some() { format!("write `{fit}`") } else { format!("write it as `{fit}`") }
}

/// The probably intended form of a server without a scheme.
fn mended(text: &str) -> Option<String> {
    let text = text.trim().trim_start_matches('/');
    if text.is_empty() || text.contains("://") || text.contains(['?', '#', '@', ' ']) {
        return None;
    }
    let host = text.split(['/', ':']).next().unwrap_or_default();
    let is_near = !host.contains('.') || host.parse::<IpAddr>().is_ok();
    let scheme = if is_near { "http" } else { "https" };
    let fit = format!("{scheme}://{text}");
    Url::parse(&fit).ok()?.host_str()?;
    Some(fit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_without_a_scheme_is_mended() {
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
