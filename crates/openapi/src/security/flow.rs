//! Reads the flows of an OAuth 2.0 scheme, as OpenAPI 3 and Swagger 2.0 write them.

use std::sync::Arc;

use callgate_tree::{Node, Object};

use crate::security::{OAuthFlow, OAuthFlowKind};

/// The flows of a scheme of OpenAPI 3, by name.
pub(super) fn flows(scheme: &Node) -> Box<[OAuthFlow]> {
    let flows = scheme.get("flows").and_then(Node::as_object);
    let flows = flows.into_iter().flat_map(Object::iter);
    flows.filter_map(|(name, node)| flow(name, node)).collect()
}

/// The only flow of a Swagger 2.0 scheme, whose members are on the scheme itself.
pub(super) fn of_swagger(scheme: &Node) -> Box<[OAuthFlow]> {
    let name = scheme.get("flow").and_then(Node::as_str);
    name.and_then(|name| flow(name, scheme)).into_iter().collect()
}

fn flow(name: &str, node: &Node) -> Option<OAuthFlow> {
    let kind = match name {
        "accessCode" | "authorizationCode" => OAuthFlowKind::AuthorizationCode,
        "application" | "clientCredentials" => OAuthFlowKind::ClientCredentials,
        "deviceAuthorization" => OAuthFlowKind::DeviceAuthorization,
        "implicit" => OAuthFlowKind::Implicit,
        "password" => OAuthFlowKind::Password,
        _ => return None,
    };
    let text = |name: &str| node.get(name).and_then(Node::as_shared_str).cloned();
    let scopes = node.get("scopes").and_then(Node::as_object);
    Some(OAuthFlow {
        kind,
        authorization_url: text("authorizationUrl"),
        device_authorization_url: text("deviceAuthorizationUrl"),
        token_url: text("tokenUrl"),
        refresh_url: text("refreshUrl"),
        scopes: scopes
            .into_iter()
            .flat_map(Object::iter)
            .map(|(name, _)| Arc::clone(name))
            .collect(),
    })
}
