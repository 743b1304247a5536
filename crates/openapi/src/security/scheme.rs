//! Reads a security scheme, as OpenAPI 3 (3.0.3 §4.7.27) and Swagger 2.0 write it.

use std::sync::Arc;

use callgate_tree::Node;

use crate::{
    input::InputLocation,
    security::{OAuthFlow, OAuthFlowKind, SecuritySchemeKind},
};

/// The kind of a scheme; [`SecuritySchemeKind::Unknown`] if it states no kind that can be read.
pub(super) fn scheme_kind(scheme: &Node) -> SecuritySchemeKind {
    let text = |name: &str| scheme.get(name).and_then(Node::as_shared_str).cloned();
    let scheme_kind = match scheme.text("type").unwrap_or_default() {
        "apiKey" if is_aws_signature(scheme) => Some(SecuritySchemeKind::AwsSigV4),
        "apiKey" => api_key_kind(scheme),
        "basic" => Some(SecuritySchemeKind::Http { scheme: "basic".into(), bearer_format: None }),
        "http" => text("scheme").map(|scheme| SecuritySchemeKind::Http {
            scheme: scheme.to_ascii_lowercase().into(),
            bearer_format: text("bearerFormat"),
        }),
        "mutualTLS" => Some(SecuritySchemeKind::MutualTls),
        "oauth2" => Some(SecuritySchemeKind::OAuth2 {
            flows: if scheme.get("flows").is_some() {
                oauth_flows(scheme)
            } else {
                swagger_oauth_flow(scheme)
            },
            metadata_url: text("oauth2MetadataUrl"),
        }),
        "openIdConnect" => {
            text("openIdConnectUrl").map(|url| SecuritySchemeKind::OpenIdConnect { url })
        }
        _ => None,
    };
    scheme_kind.unwrap_or(SecuritySchemeKind::Unknown)
}

/// Returns true if an extension of AWS's gateway says that the key is a signature.
fn is_aws_signature(scheme: &Node) -> bool {
    let said = scheme.text("x-amazon-apigateway-authtype");
    said.is_some_and(|said| said.eq_ignore_ascii_case("awsSigv4"))
}

fn api_key_kind(scheme: &Node) -> Option<SecuritySchemeKind> {
    let name = scheme.get("name").and_then(Node::as_shared_str).filter(|name| !name.is_empty())?;
    let place = match scheme.text("in")? {
        "cookie" => InputLocation::Cookie,
        "header" => InputLocation::Header,
        "query" => InputLocation::Query,
        _ => return None,
    };
    Some(SecuritySchemeKind::ApiKey { place, name: Arc::clone(name) })
}

fn oauth_flows(scheme: &Node) -> Box<[OAuthFlow]> {
    scheme.members_of("flows").filter_map(|(name, node)| oauth_flow(name, node)).collect()
}

/// The only flow of a Swagger 2.0 scheme, whose members are on the scheme itself.
fn swagger_oauth_flow(scheme: &Node) -> Box<[OAuthFlow]> {
    scheme.text("flow").and_then(|name| oauth_flow(name, scheme)).into_iter().collect()
}

fn oauth_flow(name: &str, node: &Node) -> Option<OAuthFlow> {
    let kind = match name {
        "accessCode" | "authorizationCode" => OAuthFlowKind::AuthorizationCode,
        "application" | "clientCredentials" => OAuthFlowKind::ClientCredentials,
        "deviceAuthorization" => OAuthFlowKind::DeviceAuthorization,
        "implicit" => OAuthFlowKind::Implicit,
        "password" => OAuthFlowKind::Password,
        _ => return None,
    };
    let text = |name: &str| node.get(name).and_then(Node::as_shared_str).cloned();
    Some(OAuthFlow {
        kind,
        authorization_url: text("authorizationUrl"),
        device_authorization_url: text("deviceAuthorizationUrl"),
        token_url: text("tokenUrl"),
        refresh_url: text("refreshUrl"),
        scopes: node.members_of("scopes").map(|(name, _)| Arc::clone(name)).collect(),
    })
}
