//! Finds the token endpoint of a security scheme if the configuration leaves it to the description. The author of the
//! description determines where the client secret is sent, so the endpoint must be at an origin where credentials may
//! go: the server's, and those that the operator lists.

use callgate_auth::{AuthConfig, DescribedMetadata, LoginEndpoints, OAuth2Grant, TokenEndpoint};
use callgate_openapi::{Loaded, OAuthFlow, OAuthFlowKind, SecurityScheme, SecuritySchemeKind};
use callgate_tool::NamedBy;
use url::Url;

use super::origins::Service;

/// A token endpoint, or metadata that name one, at an origin that credentials may not go to.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Foreign {
    pub(super) origin: String,
    pub(super) is_metadata: bool,
}

/// The credential with the token endpoint and the name of the scheme. A credential whose endpoint the operator names
/// keeps it.
pub(super) fn with_token_endpoint(
    config: AuthConfig,
    scheme: &SecurityScheme,
    service: Service<'_>,
) -> Result<AuthConfig, Foreign> {
    let AuthConfig::OAuth2(mut config) = config else { return Ok(config) };
    let kind = preferred_flow(&config.grant);
    if config.endpoint == TokenEndpoint::Described {
        config.endpoint = endpoint_by_kind(&scheme.kind, kind, service)?;
        if let OAuth2Grant::AuthorizationCode(endpoints) = &mut config.grant {
            set_login_endpoints(endpoints, &scheme.kind, service)?;
        }
    }
    config.name = scheme.name.to_string();
    Ok(AuthConfig::OAuth2(config))
}

/// The flow whose token endpoint is preferred.
fn preferred_flow(grant: &OAuth2Grant) -> OAuthFlowKind {
    match grant {
        OAuth2Grant::AuthorizationCode(_) => OAuthFlowKind::AuthorizationCode,
        _ => OAuthFlowKind::ClientCredentials,
    }
}

/// Sets the login pages from the flows of a scheme, if the operator names none.
fn set_login_endpoints(
    endpoints: &mut LoginEndpoints,
    kind: &SecuritySchemeKind,
    service: Service<'_>,
) -> Result<(), Foreign> {
    let SecuritySchemeKind::OAuth2 { flows, .. } = kind else { return Ok(()) };
    let of = |kind| flows.iter().find(move |flow: &&OAuthFlow| flow.kind == kind);
    let page = of(OAuthFlowKind::AuthorizationCode)
        .and_then(|flow| flow.authorization_url.as_deref())
        .filter(|_| endpoints.authorization_url.is_none());
    let device = of(OAuthFlowKind::DeviceAuthorization)
        .and_then(|flow| flow.device_authorization_url.as_deref())
        .filter(|_| endpoints.device_authorization_url.is_none());
    for (named, endpoint) in [
        (page, &mut endpoints.authorization_url),
        (device, &mut endpoints.device_authorization_url),
    ] {
        let Some(url) = named.and_then(|named| resolved_url(named, service.loaded)) else {
            continue;
        };
        // A person types a password there: it must be at an origin that tokens may be requested from.
        match service.origins.allowing_party(&url) {
            Some(_) => *endpoint = Some(url.into()),
            None => return Err(foreign_origin(&url, false)),
        }
    }
    Ok(())
}

fn endpoint_by_kind(
    kind: &SecuritySchemeKind,
    preferred: OAuthFlowKind,
    service: Service<'_>,
) -> Result<TokenEndpoint, Foreign> {
    match kind {
        SecuritySchemeKind::OAuth2 { flows, metadata_url } => {
            let own = flows.iter().find(|flow| flow.kind == preferred);
            // The endpoint belongs to the server, whatever flow names it.
            let mut flows = own.into_iter().chain(flows);
            match (flows.find_map(|flow| flow.token_url.as_deref()), metadata_url) {
                (Some(url), _) => endpoint_by_token_url(url, service),
                (None, Some(url)) => endpoint_by_metadata(url, service),
                (None, None) => Ok(TokenEndpoint::Described),
            }
        }
        SecuritySchemeKind::OpenIdConnect { url } => endpoint_by_metadata(url, service),
        _ => Ok(TokenEndpoint::Described),
    }
}

fn endpoint_by_token_url(text: &str, service: Service<'_>) -> Result<TokenEndpoint, Foreign> {
    let Some(url) = resolved_url(text, service.loaded) else {
        return Ok(TokenEndpoint::DescribedUrl(text.to_owned()));
    };
    match service.origins.allowing_party(&url) {
        Some(NamedBy::Operator) => Ok(TokenEndpoint::Url(url.into())),
        Some(NamedBy::Description) => Ok(TokenEndpoint::DescribedUrl(url.into())),
        None => Err(foreign_origin(&url, false)),
    }
}

fn endpoint_by_metadata(text: &str, service: Service<'_>) -> Result<TokenEndpoint, Foreign> {
    let url = resolved_url(text, service.loaded);
    let named_by = match &url {
        Some(url) => {
            service.origins.allowing_party(url).ok_or_else(|| foreign_origin(url, true))?
        }
        None => NamedBy::Description,
    };
    Ok(TokenEndpoint::DescribedMetadata(DescribedMetadata {
        url: url.map_or_else(|| text.to_owned(), String::from),
        named_by,
        origins: service.origins.allowed_origins(),
    }))
}

/// OpenAPI 3.2 §4.22: a URL may be relative to the server.
fn resolved_url(text: &str, loaded: &Loaded) -> Option<Url> {
    Url::parse(text).ok().or_else(|| loaded.server.as_ref()?.url.join(text).ok())
}

fn foreign_origin(url: &Url, is_metadata: bool) -> Foreign {
    Foreign { origin: url.origin().ascii_serialization(), is_metadata }
}
