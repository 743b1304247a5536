//! The token endpoint that an export names: as one that a description names, it must be public https, unless the operator
//! vouches for its origin.

use callgate_auth::{AuthConfig, TokenEndpoint};
use callgate_tree::Object;
use url::Url;

use crate::{
    code::ConfigCode,
    import::{UNTRUSTED, is_public_https},
    reader::{Mapping, Reader, at},
    server::ServerUrl,
    toolset::Credentials,
};

/// Marks the token endpoint of an export as named by a stranger. The operator vouches for the origins under
/// `credential_origins` and for that of the server that the toolset itself names.
pub(crate) fn distrust(
    reader: &mut Reader,
    credentials: &mut Credentials,
    server: Option<&ServerUrl>,
    toolset: Mapping<'_>,
) {
    let Some(AuthConfig::OAuth2(config)) = &mut credentials.auth else { return };
    let TokenEndpoint::Url(url) = &config.endpoint else { return };
    let Ok(parsed) = Url::parse(url) else { return };
    let server = server.and_then(|server| Url::parse(server.as_str()).ok());
    let mut vouched = credentials.origins.iter().chain(&server);
    if vouched.any(|known| known.origin() == parsed.origin()) {
        return;
    }
    let may_be_allowed = toolset.object.get("egress").and_then(|egress| egress.as_object());
    if !is_public_https(url) && may_be_allowed.is_none_or(Object::is_empty) {
        let help = "if you trust it, list its origin under `credential_origins`";
        reader.warn(ConfigCode::ExportedTool, at(toolset, "auth"), UNTRUSTED, help);
    }
    config.endpoint = TokenEndpoint::DescribedUrl(url.clone());
}
