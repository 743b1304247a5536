//! The place where tokens for a security scheme are asked for, where the configuration leaves that to the description.
//! Whoever wrote the description is sent the client secret there, so only where credentials may go: to the server, and
//! to origins that the operator lists.

use callgate_auth::{AuthConfig, DescribedMetadata, OAuth2Config, TokenEndpoint};
use callgate_openapi::{Loaded, OAuthFlowKind, SecurityScheme, SecuritySchemeKind};
use callgate_tool::NamedBy;
use url::Url;

use super::origins::Origins;

/// A token endpoint, or metadata that name one, at an origin that credentials may not go to.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Foreign {
    pub(super) origin: String,
    pub(super) is_metadata: bool,
}

/// The credential with the endpoint the scheme names, and the scheme's name for its own. One whose endpoint the operator
/// names keeps it.
pub(super) fn described(
    config: AuthConfig,
    scheme: &SecurityScheme,
    (loaded, origins): (&Loaded, &Origins),
) -> Result<AuthConfig, Foreign> {
    let AuthConfig::OAuth2(config) = config else { return Ok(config) };
    let endpoint = match &config.endpoint {
        TokenEndpoint::Described => endpoint(&scheme.kind, loaded, origins)?,
        named => named.clone(),
    };
    Ok(AuthConfig::OAuth2(Box::new(OAuth2Config {
        endpoint,
        name: scheme.name.to_string(),
        ..*config
    })))
}

fn endpoint(
    kind: &SecuritySchemeKind,
    loaded: &Loaded,
    origins: &Origins,
) -> Result<TokenEndpoint, Foreign> {
    match kind {
        SecuritySchemeKind::OAuth2 { flows, metadata_url } => {
            let of_clients =
                flows.iter().find(|flow| flow.kind == OAuthFlowKind::ClientCredentials);
            // The endpoint is the server's, whatever flow it is named in.
            let mut flows = of_clients.into_iter().chain(flows);
            match (flows.find_map(|flow| flow.token_url.as_deref()), metadata_url) {
                (Some(url), _) => token_url(url, loaded, origins),
                (None, Some(url)) => metadata(url, loaded, origins),
                (None, None) => Ok(TokenEndpoint::Described),
            }
        }
        SecuritySchemeKind::OpenIdConnect { url } => metadata(url, loaded, origins),
        _ => Ok(TokenEndpoint::Described),
    }
}

fn token_url(text: &str, loaded: &Loaded, origins: &Origins) -> Result<TokenEndpoint, Foreign> {
    let Some(url) = resolved(text, loaded) else {
        return Ok(TokenEndpoint::DescribedUrl(text.to_owned()));
    };
    match origins.named_by(&url) {
        Some(NamedBy::Operator) => Ok(TokenEndpoint::Url(url.into())),
        Some(NamedBy::Description) => Ok(TokenEndpoint::DescribedUrl(url.into())),
        None => Err(foreign(&url, false)),
    }
}

fn metadata(text: &str, loaded: &Loaded, origins: &Origins) -> Result<TokenEndpoint, Foreign> {
    let url = resolved(text, loaded);
    let named_by = match &url {
        Some(url) => origins.named_by(url).ok_or_else(|| foreign(url, true))?,
        None => NamedBy::Description,
    };
    Ok(TokenEndpoint::DescribedMetadata(DescribedMetadata {
        url: url.map_or_else(|| text.to_owned(), String::from),
        named_by,
        origins: origins.all(),
    }))
}

/// OpenAPI 3.2 §4.22: a URL may be relative to the server.
fn resolved(text: &str, loaded: &Loaded) -> Option<Url> {
    Url::parse(text).ok().or_else(|| loaded.server.as_ref()?.url.join(text).ok())
}

fn foreign(url: &Url, is_metadata: bool) -> Foreign {
    Foreign { origin: url.origin().ascii_serialization(), is_metadata }
}
