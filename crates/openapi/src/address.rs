//! Resolves the document that a reference names, from the text of the reference and the document that contains it. It
//! reads nothing: it only looks up the name among the documents that were supplied with the description.

use std::fmt;

use percent_encoding::percent_decode_str;
use url::Url;

/// The session id, which Dialogflow CX writes like a reference.
pub(crate) const SESSION_ID: &str = "@dialogflow/sessionId";

/// The annotation that names a parameter of the session, or a value of the request's payload.
pub(crate) const AGENT_INPUT: &str = "x-agent-input-parameter";

pub(crate) const SESSION_CONTEXT: &str = "x-ces-session-context";

/// The annotation that names a header in which MCP clients repeat a value.
pub(crate) const MCP_HEADER: &str = "x-mcp-header";

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum AddressRefusal {
    AbsolutePath,
    /// Characters that the name of a file beside a description cannot have.
    Illegal,
    /// A path that leaves the directory of the description.
    Outside,
    /// A scheme other than https, or an address with a user.
    Scheme,
}

impl fmt::Display for AddressRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::AbsolutePath => "a path relative to the description",
            Self::Illegal => "the plain name of a file",
            Self::Outside => "a file in the description's own directory or below it",
            Self::Scheme => "a file beside the description or an https address",
        })
    }
}

/// The name of the document that `address`, a reference without its fragment, denotes in the document `base`: a path
/// relative to the directory of the description, or an absolute address.
pub(crate) fn resolved_document_name(base: &str, address: &str) -> Result<String, AddressRefusal> {
    if address_scheme(address).is_some() {
        return Url::parse(address).map(without_fragment).map_err(|_| AddressRefusal::Illegal);
    }
    if address_scheme(base).is_some() {
        let base = Url::parse(base).map_err(|_| AddressRefusal::Illegal)?;
        return base.join(address).map(without_fragment).map_err(|_| AddressRefusal::Illegal);
    }
    relative_document_name(base, address)
}

/// Succeeds if a document of this name may be requested: a file, or a document on an https server.
pub(crate) fn check_requestable(name: &str) -> Result<(), AddressRefusal> {
    if address_scheme(name).is_none() {
        return Ok(());
    }
    let url = Url::parse(name).map_err(|_| AddressRefusal::Illegal)?;
    let is_plain = url.scheme() == "https" && url.username().is_empty() && url.password().is_none();
    if is_plain { Ok(()) } else { Err(AddressRefusal::Scheme) }
}

pub(crate) fn is_address(name: &str) -> bool {
    address_scheme(name).is_some()
}

/// The URL of an absolute path. It is never read: it only serves to resolve paths relative to it.
pub(crate) fn file_url(path: &str) -> Option<String> {
    Url::parse("file:///").ok()?.join(path).ok().map(without_fragment)
}

/// A path relative to the directory of another file. Percent-encoding is decoded first, so that `%2e%2e` counts as `..`.
pub(crate) fn relative_document_name(base: &str, address: &str) -> Result<String, AddressRefusal> {
    if address.starts_with(['/', '\\']) {
        return Err(AddressRefusal::AbsolutePath);
    }
    let directory = base.rsplit_once('/').map_or("", |(directory, _)| directory);
    let mut names: Vec<String> =
        directory.split('/').filter(|name| !name.is_empty()).map(str::to_owned).collect();
    for raw in address.split('/') {
        let name = percent_decode_str(raw).decode_utf8().map_err(|_| AddressRefusal::Illegal)?;
        match &*name {
            "" | "." => {}
            ".." => drop(names.pop().ok_or(AddressRefusal::Outside)?),
            name if name.contains(is_illegal_in_file_name) => return Err(AddressRefusal::Illegal),
            name => names.push(name.to_owned()),
        }
    }
    if names.is_empty() { Err(AddressRefusal::Illegal) } else { Ok(names.join("/")) }
}

/// True for a character that no system allows in a file name, or that would give one file two names.
fn is_illegal_in_file_name(c: char) -> bool {
    c.is_control() || matches!(c, '/' | '\\' | '#' | '?' | ':')
}

/// The scheme of an address (RFC 3986 §3.1).
fn address_scheme(address: &str) -> Option<&str> {
    let (scheme, _) = address.split_once(':')?;
    let is_legal = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
    is_legal.then_some(scheme)
}

fn without_fragment(mut url: Url) -> String {
    url.set_fragment(None);
    url.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(base: &str, address: &str, expected: Result<&str, AddressRefusal>) {
        let got = resolved_document_name(base, address)
            .and_then(|name| check_requestable(&name).map(|()| name));
        assert_eq!(got.as_deref(), expected.as_deref(), "{address} in {base}");
    }

    #[test]
    fn a_reference_is_relative_to_the_file_that_has_it() {
        check("openapi.yaml", "pets.yaml", Ok("pets.yaml"));
        check("", "./pets.yaml", Ok("pets.yaml"));
        check("a/b/c.yaml", "../d/e.yaml", Ok("a/d/e.yaml"));
        check("a/b.yaml", "../c.yaml", Ok("c.yaml"));
        check("a/b.yaml", "c%20d.yaml", Ok("a/c d.yaml"));
    }

    #[test]
    fn a_reference_to_a_file_outside_the_directory_is_refused() {
        check("a/b.yaml", "../../c.yaml", Err(AddressRefusal::Outside));
        check("", "a/../../c.yaml", Err(AddressRefusal::Outside));
        check("", "%2e%2e/c.yaml", Err(AddressRefusal::Outside));
        check("", "%2E./c.yaml", Err(AddressRefusal::Outside));
        check("", "/etc/passwd", Err(AddressRefusal::AbsolutePath));
        check("", "//host/etc/passwd", Err(AddressRefusal::AbsolutePath));
        check("", "\\\\host\\share", Err(AddressRefusal::AbsolutePath));
        check("", "..%2f..%2fetc/passwd", Err(AddressRefusal::Illegal));
        check("", "..\\..\\etc", Err(AddressRefusal::Illegal));
        check("", "a%00.yaml", Err(AddressRefusal::Illegal));
        check("", "a%23b", Err(AddressRefusal::Illegal));
        check("", "..", Err(AddressRefusal::Outside));
        check("", ".", Err(AddressRefusal::Illegal));
    }

    #[test]
    fn a_reference_to_an_address_must_be_https() {
        check("", "https://example.com/a.yaml", Ok("https://example.com/a.yaml"));
        check("https://example.com/x/a.yaml", "../b.yaml", Ok("https://example.com/b.yaml"));
        check("https://example.com/a.yaml", "//other.example/b", Ok("https://other.example/b"));
        for address in
            ["http://169.254.169.254/a", "file:///etc/passwd", "ftp://x/y", "c:\\a", "data:,x"]
        {
            assert!(
                resolved_document_name("", address)
                    .and_then(|name| check_requestable(&name))
                    .is_err(),
                "{address}"
            );
        }
        check("", "https://user:pass@example.com/", Err(AddressRefusal::Scheme));
        check("https://example.com/a", "http://example.com/b", Err(AddressRefusal::Scheme));
    }
}
