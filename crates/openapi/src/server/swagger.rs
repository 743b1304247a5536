//! Builds the URL of a Swagger 2.0 server from `schemes`, `host` and `basePath` (2.0 §Swagger Object). A `host` with a
//! scheme or a path is accepted if its intention is clear.

use callgate_tree::Node;

use super::text::{InvalidAddress, check_placeholders, names_host, wrong_address};
use crate::options::LoadOptions;

/// The text of a server, which is relative if the description names no host.
#[derive(Clone, Debug)]
pub(super) struct ServerText {
    pub(super) url: String,
    /// The expected text and the written one, if the members were read as they are meant.
    pub(super) doubt: Option<(&'static str, String)>,
}

/// The pointer of the member that is at fault, the fault, and the URL that is probably meant.
pub(super) type SwaggerFault = (&'static str, InvalidAddress, Option<String>);

/// The parts that `host` contains; others than the authority should not be in it.
#[derive(Clone, Copy, Debug)]
struct Host<'t> {
    scheme: Option<&'t str>,
    authority: &'t str,
    path: &'t str,
}

/// Puts the members together; `schemes` may be an operation's own.
pub(super) fn server_text(
    root: &Node,
    schemes: Option<&Node>,
    options: &LoadOptions,
) -> Result<ServerText, SwaggerFault> {
    let text = |name: &str| root.text(name).unwrap_or_default();
    let (host, base) = (text("host"), text("basePath"));
    let path = base_path(base, host).map_err(|wrong| (BASE_PATH, wrong, None))?;
    let doubt_of_base = path.is_odd.then(|| {
        let base = base.escape_debug();
        (BASE_PATH, format!("expected a `basePath` that starts with one `/`, got: `{base}`"))
    });
    let path = path.text;
    if host.trim().is_empty() {
        return Ok(ServerText { url: format!("/{path}"), doubt: doubt_of_base });
    }
    let schemes = schemes.or_else(|| root.get("schemes"));
    let Host { scheme, authority, path: above } =
        host_parts(host).map_err(|wrong| (HOST, wrong, None))?;
    let scheme = chosen_scheme(scheme, schemes, options);
    let path = joined_path(above, path).ok_or_else(|| {
        let expected = "expected a `host` without a path, which `basePath` contains";
        let meant = format!("{scheme}://{authority}/{above}/{path}");
        (HOST, wrong_address(expected, host), Some(meant))
    })?;
    let got = host.escape_debug();
    let doubt = (authority != host)
        .then(|| (HOST, format!("expected a `host` of HOST or HOST:PORT, got: `{got}`")));
    let url = format!("{scheme}://{authority}/{path}");
    Ok(ServerText { url, doubt: doubt.or(doubt_of_base) })
}

fn host_parts(host: &str) -> Result<Host<'_>, InvalidAddress> {
    check_no_variables(host, "host")?;
    let plain = host.trim();
    if plain.contains('@') {
        return Err(InvalidAddress(
            "expected a `host` without user information, got one with it".to_owned(),
        ));
    }
    let (scheme, rest) = match plain.split_once("://") {
        Some((scheme, rest)) => (Some(scheme), rest),
        None => (None, plain.strip_prefix("//").unwrap_or(plain)),
    };
    let end = rest.find('/').unwrap_or(rest.len());
    let (authority, path) = rest.split_at_checked(end).unwrap_or((rest, ""));
    if authority.is_empty() || path.contains("//") {
        return Err(wrong_address("expected a `host` of HOST or HOST:PORT", host));
    }
    Ok(Host { scheme, authority, path: path.trim_matches('/') })
}

/// Swagger 2.0 has no variables of servers.
fn check_no_variables(text: &str, member: &str) -> Result<(), InvalidAddress> {
    check_placeholders(text)?;
    if text.contains(['{', '}']) {
        let expected = format!(
            "expected a `{member}` without variables, which servers of Swagger 2.0 do not have"
        );
        return Err(wrong_address(&expected, text));
    }
    Ok(())
}

#[derive(Clone, Copy, Debug)]
struct BasePath<'t> {
    text: &'t str,
    /// True if it is written in another way.
    is_odd: bool,
}

fn base_path<'t>(base: &'t str, host: &str) -> Result<BasePath<'t>, InvalidAddress> {
    check_no_variables(base, "basePath")?;
    let plain = base.trim();
    let text = plain.trim_start_matches('/');
    let begins_with =
        |host: &str| text.strip_prefix(host).is_some_and(|rest| rest.starts_with('/'));
    let is_host = names_host(text) && !plain.starts_with('/') || begins_with(host.trim());
    if base.contains("://") || is_host {
        return Err(wrong_address(
            "expected a `basePath` without a host, which `host` contains",
            base,
        ));
    }
    let is_odd = plain != base || !plain.is_empty() && plain.len() != text.len() + 1;
    Ok(BasePath { text, is_odd })
}

/// The path of `host` and `basePath`; `None` if it is not clear whether one contains the other.
fn joined_path<'t>(above: &'t str, base: &'t str) -> Option<&'t str> {
    let bare = base.trim_end_matches('/');
    if above.is_empty() {
        return Some(base);
    }
    (bare.is_empty() || above == bare).then_some(above)
}

/// `https` if it is listed, or written in `host`. Without either it is the scheme that the description was read with.
fn chosen_scheme<'a>(
    written: Option<&'a str>,
    schemes: Option<&'a Node>,
    options: &'a LoadOptions,
) -> &'a str {
    let one = schemes.and_then(Node::as_str);
    let listed = schemes.and_then(Node::as_array).unwrap_or_default();
    let listed = listed.iter().filter_map(Node::as_str).chain(one);
    let names: Vec<&str> = written.into_iter().chain(listed).collect();
    let is_named = |supported_scheme: &&str| {
        names.iter().any(|name| name.eq_ignore_ascii_case(supported_scheme))
    };
    let supported_scheme = ["https", "http"].into_iter().find(is_named);
    let read_with = options.document_url.as_ref().map(url::Url::scheme);
    let read_with = read_with.filter(|scheme| matches!(*scheme, "http" | "https"));
    supported_scheme.or_else(|| names.first().copied()).or(read_with).unwrap_or("https")
}

const BASE_PATH: &str = "/basePath";
const HOST: &str = "/host";
