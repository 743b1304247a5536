//! The flags of `callgate mcp` as they were given, with absolute paths: a host starts the command in a folder of its own.

use super::full;
use crate::{
    args::{ConnectionArguments, DescriptionArguments, RequestArguments},
    exit::Failure,
};

/// The flags beside the file and the session, each a word with its value behind it.
pub(super) fn flags(given: &DescriptionArguments) -> Result<Vec<String>, Failure> {
    // Each is complete, so that a new flag must be written here, too.
    let DescriptionArguments { server, overlay, bearer, api_key, basic, connection, requests } =
        given;
    let ConnectionArguments { ca, egress_allow } = connection;
    let RequestArguments { headers, timeout, limits } = requests;
    let mut flags = Vec::new();
    let mut add = |name: &str, value: String| flags.extend([name.to_owned(), value]);
    if let Some(server) = server {
        add("--server", server.clone());
    }
    for overlay in overlay {
        add("--overlay", full(overlay)?);
    }
    for (name, reference) in [("--bearer", bearer), ("--api-key", api_key)] {
        if let Some(reference) = reference {
            add(name, absolute(reference)?);
        }
    }
    if let Some(basic) = basic {
        add("--basic", behind(basic, absolute)?);
    }
    for ca in ca {
        add("--ca", certificates(ca)?);
    }
    for range in egress_allow {
        add("--egress-allow", range.clone());
    }
    for header in headers {
        add("--header", behind(header, absolute)?);
    }
    if let Some(time) = timeout {
        add("--timeout", time.clone());
    }
    for limit in limits {
        add("--limits", limit.clone());
    }
    Ok(flags)
}

/// Changes the text behind the first colon, and keeps the spaces before it.
fn behind(text: &str, change: fn(&str) -> Result<String, Failure>) -> Result<String, Failure> {
    let Some((name, value)) = text.split_once(':') else { return Ok(text.to_owned()) };
    let reference = value.trim_start();
    let spaces = value.strip_suffix(reference).unwrap_or_default();
    Ok(format!("{name}:{spaces}{}", change(reference)?))
}

/// A reference whose path, if it has one, is absolute.
fn absolute(reference: &str) -> Result<String, Failure> {
    match reference.strip_prefix("file:") {
        Some(path) => Ok(format!("file:{}", full(path.trim().as_ref())?)),
        None => Ok(reference.to_owned()),
    }
}

/// A file of certificates is named by its path, or by a reference.
fn certificates(named: &str) -> Result<String, Failure> {
    let is_reference = named.parse::<callgate_secret::SecretReference>().is_ok();
    if is_reference { absolute(named) } else { full(named.as_ref()) }
}
