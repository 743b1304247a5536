//! The token endpoint that a source of tools names: as one that a description names, it must be public https, unless the
//! operator vouches for its origin.

use callgate_auth::{AuthConfig, TokenEndpoint};
use callgate_kind::KindCode;
use callgate_settings::{Mapping, Reader, member_pointer};
use callgate_transport::is_public;
use callgate_tree::{Node, Object};
use url::{Host, Url};

use crate::toolset::ToolsetConfig;

/// Marks the token endpoint of a source as named by a stranger, and returns true if it did. The operator vouches for the origins
/// under `credential_origins` and for that of the server that the toolset itself names.
pub(super) fn mark_foreign_endpoint(
    reader: &mut Reader,
    toolset: &mut ToolsetConfig,
    own: &Node,
    mapping: Mapping<'_>,
) -> bool {
    if own.get("auth").is_some() {
        return false;
    }
    let ToolsetConfig { credentials, server, .. } = toolset;
    let Some(AuthConfig::OAuth2(config)) = &mut credentials.auth else { return false };
    let TokenEndpoint::Url(url) = &config.endpoint else { return false };
    let Ok(parsed) = Url::parse(url) else { return false };
    let server = server.as_ref().filter(|_| own.get("server").is_some());
    let server = server.and_then(|server| Url::parse(server.as_str()).ok());
    let mut vouched = credentials.origins.iter().chain(&server);
    if vouched.any(|trusted_url| trusted_url.origin() == parsed.origin()) {
        return false;
    }
    let may_be_allowed = mapping.object.get("egress").and_then(|egress| egress.as_object());
    if !is_public_https(url) && may_be_allowed.is_none_or(Object::is_empty) {
        let help = "if you trust it, list its origin under `credential_origins`";
        reader.warn(
            KindCode::ExportedTool,
            member_pointer(mapping, "auth"),
            UNTRUSTED_ENDPOINT,
            help,
        );
    }
    config.endpoint = TokenEndpoint::DescribedUrl(url.clone());
    true
}

/// Returns true if a URL is https and its host is not plainly one of this machine or of a private network.
#[doc(hidden)]
pub fn is_public_https(url: &str) -> bool {
    let Ok(url) = Url::parse(url) else { return false };
    let is_public_host = match url.host() {
        Some(Host::Domain(name)) => {
            let name = name.trim_end_matches('.');
            name != "localhost" && !name.ends_with(".localhost")
        }
        Some(Host::Ipv4(address)) => is_public(address.into()),
        Some(Host::Ipv6(address)) => is_public(address.into()),
        None => false,
    };
    url.scheme() == "https" && is_public_host
}

/// The fault of a token endpoint.
#[doc(hidden)]
pub const UNTRUSTED_ENDPOINT: &str =
    "expected a token endpoint at a public https address, got another one";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_endpoint_is_public_https() {
        for (url, expected) in [
            ("https://idp.example.com/token", true),
            ("https://93.184.216.34/token", true),
            ("http://idp.example.com/token", false),
            ("https://localhost/token", false),
            ("https://a.localhost./token", false),
            ("https://127.0.0.1/token", false),
            ("https://0x7f.1/token", false),
            ("https://[::ffff:10.0.0.1]/token", false),
            ("https://169.254.169.254/token", false),
            ("file:///etc/passwd", false),
            ("env:NAME", false),
        ] {
            assert_eq!(is_public_https(url), expected, "{url}");
        }
    }
}
