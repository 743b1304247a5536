//! From the `auth:` of a toolset to an authenticator's configuration: one file a kind, with its keys. References to
//! secrets are read, secrets are not.

mod api_key;
mod aws_sigv4;
mod basic;
mod bearer;
mod google;
mod oauth2;
mod secret;

use callgate_auth::AuthConfig;
use callgate_tree::Node;

use crate::{
    keys::AUTH,
    reader::{Mapping, Reader, at},
};

pub(crate) use google::identity;
pub(crate) use secret::{secret, source};

/// Reads `auth:`; `None` where there is none or it is at fault.
pub(crate) fn auth(reader: &mut Reader, toolset: Mapping<'_>) -> Option<AuthConfig> {
    let node = toolset.object.get("auth")?;
    if node.as_str() == Some("none") {
        return Some(AuthConfig::None);
    }
    one(reader, node, &at(toolset, "auth"))
}

/// Reads one credential of any kind.
pub(crate) fn one(reader: &mut Reader, node: &Node, pointer: &str) -> Option<AuthConfig> {
    let mapping = reader.mapping(node, pointer, &AUTH)?;
    let mut kinds = mapping.object.iter().filter(|(kind, _)| AUTH.keys.contains(&kind.as_ref()));
    // Calls without a credential are asked for by `none`, never by leaving the kind out.
    let Some((kind, node)) = kinds.next() else {
        if mapping.object.is_empty() {
            let message = "expected one kind of credential, got none";
            let help = "write `auth: none` for calls without a credential";
            reader.complain("wrong-value", pointer, message, help);
        }
        return None;
    };
    if kinds.next().is_some() {
        let message = "expected one kind of credential, got several";
        reader.complain("wrong-value", pointer, message, "keep one");
        return None;
    }
    let pointer = at(mapping, kind);
    match kind.as_ref() {
        "api_key" => api_key::read(reader, node, &pointer),
        "aws_sigv4" => aws_sigv4::read(reader, node, &pointer),
        "basic" => basic::read(reader, node, &pointer),
        "google_access_token" => google::access_token(reader, node, &pointer),
        "google_id_token" => google::id_token(reader, node, &pointer),
        "jwt_bearer" => oauth2::jwt_bearer(reader, node, &pointer),
        "oauth2_client_credentials" => oauth2::client_credentials(reader, node, &pointer),
        "token_exchange" => oauth2::token_exchange(reader, node, &pointer),
        _ => bearer::read(reader, node, &pointer),
    }
}
