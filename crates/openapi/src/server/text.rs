//! Takes the text of an address apart, checks each part against RFC 3986, and has a parser put the parts together
//! again. Parsers repair many texts into addresses that nobody wrote; here the result must consist of what was written.
//! This module fills in no variables, and does not decide which addresses may be contacted.

mod host;
mod path;

use url::Url;

use host::check_authority;
use path::{are_equivalent_paths, check_path_characters, unmet_path_expectation};

#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Address {
    pub(super) url: Url,
    pub(super) doubt: Option<String>,
}

/// The reason why a text is not the address of a server: the expected text, and the written one.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct InvalidAddress(pub(super) String);

/// The parts of a reference (RFC 3986 Appendix B), as written.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
struct UrlParts<'t> {
    scheme: Option<&'t str>,
    authority: Option<&'t str>,
    path: &'t str,
    /// True if a query or a fragment follows.
    has_more: bool,
}

impl<'t> UrlParts<'t> {
    fn from_text(text: &'t str) -> Self {
        let (scheme, rest) = match text.split_once(':') {
            Some((scheme, rest)) if is_scheme(scheme) => (Some(scheme), rest),
            _ => (None, text),
        };
        let (hierarchy, has_more) = match rest.find(['?', '#']) {
            Some(end) => (rest.get(..end).unwrap_or_default(), true),
            None => (rest, false),
        };
        let Some(below) = hierarchy.strip_prefix("//") else {
            return Self { scheme, authority: None, path: hierarchy, has_more };
        };
        let end = below.find('/').unwrap_or(below.len());
        let (authority, path) = below.split_at_checked(end).unwrap_or((below, ""));
        Self { scheme, authority: Some(authority), path, has_more }
    }
}

/// RFC 3986 §3.1.
fn is_scheme(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
}

/// Reads an absolute address; `None` if the text is relative.
pub(super) fn parse_absolute(text: &str) -> Result<Option<Address>, InvalidAddress> {
    let plain = text.trim();
    let parts = UrlParts::from_text(plain);
    let Some(scheme) = parts.scheme else { return Ok(None) };
    check_legal_characters(plain, parts)?;
    let is_http = scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https");
    let Some(authority) = parts.authority else {
        let expected = if is_http {
            "expected `//` and a host after the scheme of a server"
        } else {
            "expected a server URL with `http` or `https`"
        };
        return Err(wrong_address(expected, plain));
    };
    if !is_http {
        return Err(InvalidAddress(format!(
            "expected a server with `http` or `https`, got: `{scheme}`"
        )));
    }
    let host = check_authority(authority, plain)?;
    check_path_characters(parts.path, plain)?;
    let bad = || wrong_address("expected a server URL", plain);
    let url = Url::parse(plain).map_err(|_| bad())?;
    let is_scheme = url.scheme().eq_ignore_ascii_case(scheme);
    if !is_scheme || !host.has_host_and_port(&url) || !are_equivalent_paths(parts.path, url.path())
    {
        return Err(bad());
    }
    let doubt = address_doubt_message(text, parts.path, &url);
    Ok(Some(Address { url, doubt }))
}

/// Reads a relative address against the address of the description.
pub(super) fn parse_relative(text: &str, base: &Url) -> Result<Address, InvalidAddress> {
    let plain = text.trim();
    let parts = check_relative(plain)?;
    let bad = || wrong_address("expected a server URL", plain);
    if parts.authority.is_none() && names_host(plain) {
        return Err(wrong_address("expected a server URL with `http` or `https`", plain));
    }
    // An empty text names the document itself (RFC 3986 §4.4), which is no server.
    let is_empty = plain.is_empty();
    let url = base.join(if is_empty { "/" } else { plain }).map_err(|_| bad())?;
    let is_equal = match parts.authority {
        Some(authority) => {
            check_authority(authority, plain)?.has_host_and_port(&url)
                && are_equivalent_paths(parts.path, url.path())
        }
        None => {
            url.origin() == base.origin()
                && are_equivalent_paths(&merged_path(parts.path, base), url.path())
        }
    };
    if !is_equal || !matches!(url.scheme(), "http" | "https") {
        return Err(bad());
    }
    let doubt = if is_empty {
        Some(format!("expected a server URL, got an empty text; it is read as `{url}`"))
    } else {
        address_doubt_message(text, parts.path.trim_start_matches(['.', '/']), &url)
    };
    Ok(Address { url, doubt })
}

/// Reads a relative address whose host is not known: a path below a host that no name resolves to (RFC 6761 §6.4).
pub(super) fn parse_hostless(text: &str) -> Result<Url, InvalidAddress> {
    let plain = text.trim();
    check_relative(plain)?;
    let bad = |_| wrong_address("expected a server URL", plain);
    let base = Url::parse("https://server.invalid/").map_err(bad)?;
    let mut url = base.join(plain).map_err(bad)?;
    url.set_host(Some("server.invalid")).map_err(bad)?;
    url.set_port(None).map_err(|()| wrong_address("expected a server URL", plain))?;
    Ok(url)
}

fn check_relative(text: &str) -> Result<UrlParts<'_>, InvalidAddress> {
    let parts = UrlParts::from_text(text);
    check_legal_characters(text, parts)?;
    if let Some(authority) = parts.authority {
        check_authority(authority, text)?;
    }
    // RFC 3986 §4.2: the first segment of a relative path has no colon.
    let first = parts.path.trim_start_matches('/').split('/').next().unwrap_or_default();
    let bare = first.trim_end_matches(':');
    let is_scheme = bare.eq_ignore_ascii_case("http") || bare.eq_ignore_ascii_case("https");
    let is_port = !parts.path.starts_with('/') && first.contains(':');
    if parts.authority.is_none() && (is_port || is_scheme) {
        return Err(wrong_address("expected a server URL with `http` or `https`", text));
    }
    check_path_characters(parts.path, text)?;
    Ok(parts)
}

/// The absolute URL that a text is probably meant as: without a scheme, or with a part of `://` missing.
pub(super) fn suggested_url(text: &str) -> Option<String> {
    let plain = text.trim().replace('\\', "/");
    let (scheme, rest) = match http_scheme_and_rest(&plain) {
        Some((scheme, rest)) => (Some(scheme), rest),
        None => (None, plain.trim_start_matches('/')),
    };
    let scheme = match (scheme, http_scheme_and_rest(rest)) {
        (_, Some(_)) => return suggested_url(rest),
        (Some(scheme), None) => scheme,
        (None, None) => host::usual_scheme(rest),
    };
    if rest.is_empty() || rest.contains("://") || rest.contains(['?', '#', '@', ' ']) {
        return None;
    }
    let fit = format!("{scheme}://{rest}");
    if parse_absolute(&fit).is_ok() {
        return Some(fit);
    }
    // The host of the parser is in ASCII: the form that is looked up.
    let ascii = Url::parse(&fit).ok().filter(|_| !fit.is_ascii())?;
    parse_absolute(ascii.as_str()).ok().map(|_| ascii.as_str().trim_end_matches('/').to_owned())
}

/// The scheme and the rest of a text that begins with `http` or `https`, and some of `://`.
fn http_scheme_and_rest(text: &str) -> Option<(&'static str, &str)> {
    ["https", "http"].into_iter().find_map(|scheme| {
        let head = text.get(..scheme.len())?;
        let rest = text.get(scheme.len()..)?;
        let below = rest.trim_start_matches([':', '/']);
        (head.eq_ignore_ascii_case(scheme) && below.len() < rest.len()).then_some((scheme, below))
    })
}

pub(super) fn names_host(text: &str) -> bool {
    let text = text.trim();
    text.starts_with("//") || !text.starts_with('/') && host::begins_like_host(text)
}

/// The refusal of a text; it is shown unless it may contain a password.
pub(super) fn wrong_address(expected: &str, text: &str) -> InvalidAddress {
    InvalidAddress(format!("{expected}, got{}", phrase_after_got(text)))
}

fn phrase_after_got(text: &str) -> String {
    match text.trim() {
        "" => " an empty text".to_owned(),
        text if text.contains('@') => " one with `@`".to_owned(),
        text => format!(": `{}`", text.escape_debug()),
    }
}

/// Refuses characters that no address has (RFC 3986 §2), which parsers remove, escape or take for others.
fn check_legal_characters(text: &str, parts: UrlParts<'_>) -> Result<(), InvalidAddress> {
    if parts.authority.is_some_and(|authority| authority.contains('@')) {
        let message = "expected a server without user information, got one with it";
        return Err(InvalidAddress(message.to_owned()));
    }
    check_placeholders(text)?;
    let is_foreign = |c: char| match c {
        '"' | '<' | '>' | '\\' | '^' | '`' | '{' | '|' | '}' => true,
        _ if c.is_ascii() => c.is_ascii_whitespace() || c.is_ascii_control(),
        _ => !c.is_alphanumeric() && parts.authority.is_none_or(|authority| !authority.contains(c)),
    };
    if let Some(foreign_character) = text.chars().find(|c| is_foreign(*c)) {
        let expected =
            format!("expected a server URL without `{}`", foreign_character.escape_debug());
        return Err(wrong_address(&expected, text));
    }
    if parts.has_more {
        return Err(wrong_address("expected a server without query and fragment", text));
    }
    Ok(())
}

/// Refuses placeholders that a tool or a person should have replaced.
pub(super) fn check_placeholders(text: &str) -> Result<(), InvalidAddress> {
    let has = |open: &str, close: &str| {
        text.split_once(open).is_some_and(|(_, after)| after.contains(close))
    };
    let expected = if has("{{", "}}") {
        "expected a server URL without a placeholder of Postman"
    } else if has("${", "}") || has("<", ">") || has("%7B", "%7D") || has("%7b", "%7d") {
        "expected a server URL without a placeholder that nobody filled in"
    } else {
        return Ok(());
    };
    Err(wrong_address(expected, text))
}

fn address_doubt_message(text: &str, path: &str, url: &Url) -> Option<String> {
    let expected = if text == text.trim() {
        unmet_path_expectation(path)?
    } else {
        "expected a server URL without white space around it"
    };
    Some(format!("{expected}, got: `{}`; it is read as `{url}`", text.escape_debug()))
}

/// The path of a relative text against a base (RFC 3986 §5.2.3).
fn merged_path(path: &str, base: &Url) -> String {
    if path.is_empty() {
        return "/".to_owned();
    }
    if path.starts_with('/') {
        return path.to_owned();
    }
    let above = base.path().rsplit_once('/').map_or("", |(above, _)| above);
    format!("{above}/{path}")
}

#[cfg(test)]
mod tests;
