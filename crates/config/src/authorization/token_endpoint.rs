//! Where tokens for a security scheme are asked for, where the configuration leaves that to the description.

use callgate_auth::{AuthConfig, OAuth2Config, TokenEndpoint};
use callgate_openapi::{Loaded, OAuthFlowKind, SecurityScheme, SecuritySchemeKind};
use callgate_tool::NamedBy;
use url::Url;

/// The credential with the endpoint the scheme names, and the scheme's name for its own. One whose endpoint the operator
/// names keeps it.
pub(super) fn described(
    config: AuthConfig,
    scheme: &SecurityScheme,
    loaded: &Loaded,
) -> AuthConfig {
    let AuthConfig::OAuth2(config) = config else { return config };
    let endpoint = match &config.endpoint {
        TokenEndpoint::Described => endpoint(&scheme.kind, loaded),
        named => named.clone(),
    };
    AuthConfig::OAuth2(Box::new(OAuth2Config {
        endpoint,
        name: scheme.name.to_string(),
        ..*config
    }))
}

fn endpoint(kind: &SecuritySchemeKind, loaded: &Loaded) -> TokenEndpoint {
    match kind {
        SecuritySchemeKind::OAuth2 { flows, metadata_url } => {
            let of_clients =
                flows.iter().find(|flow| flow.kind == OAuthFlowKind::ClientCredentials);
            // The endpoint is the server's, whatever flow it is named in.
            let mut flows = of_clients.into_iter().chain(flows);
            let url = flows.find_map(|flow| flow.token_url.as_deref());
            let of_url = url.map(|url| token_url(url, loaded));
            let of_metadata =
                || metadata_url.as_deref().map(|url| TokenEndpoint::DescribedMetadata(url.into()));
            of_url.or_else(of_metadata).unwrap_or(TokenEndpoint::Described)
        }
        SecuritySchemeKind::OpenIdConnect { url } => {
            TokenEndpoint::DescribedMetadata(url.to_string())
        }
        _ => TokenEndpoint::Described,
    }
}

/// OpenAPI 3.2 §4.22: a URL may be relative to the server. On a server that the operator names it is the operator's.
fn token_url(text: &str, loaded: &Loaded) -> TokenEndpoint {
    let server = loaded.server.as_ref();
    let url = Url::parse(text).ok().or_else(|| server?.url.join(text).ok());
    let Some(url) = url else { return TokenEndpoint::DescribedUrl(text.to_owned()) };
    let is_the_operators = server.is_some_and(|server| {
        server.named_by == NamedBy::Operator && server.url.origin() == url.origin()
    });
    if is_the_operators {
        TokenEndpoint::Url(url.into())
    } else {
        TokenEndpoint::DescribedUrl(url.into())
    }
}
