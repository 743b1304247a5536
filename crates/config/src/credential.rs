//! From the `auth:` of a toolset to an authenticator's configuration: one file for each kind, with its keys. References
//! to secrets are read, secrets are not.

mod api_key;
mod aws_sigv4;
mod basic;
mod bearer;
mod google;
mod oauth2;

use callgate_auth::AuthConfig;
use callgate_tree::Node;

use crate::{
    code::ConfigCode,
    keys::AUTH,
    reader::{Mapping, Reader, at},
};

/// Reads `auth:`; `None` if it is missing or has a fault.
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
    let mut kinds =
        mapping.object.iter().filter_map(|(key, node)| Some((key, CredentialKind::of(key)?, node)));
    // Calls without a credential need `none`, never an omitted kind.
    let Some((key, kind, node)) = kinds.next() else {
        if mapping.object.is_empty() {
            let message = "expected one kind of credential, got none";
            let help = "write `auth: none` for calls without a credential";
            reader.complain(ConfigCode::WrongValue, pointer, message, help);
        }
        return None;
    };
    if kinds.next().is_some() {
        let message = "expected one kind of credential, got several";
        reader.complain(ConfigCode::WrongValue, pointer, message, "keep one");
        return None;
    }
    let pointer = at(mapping, key);
    match kind {
        CredentialKind::ApiKey => api_key::read(reader, node, &pointer),
        CredentialKind::AwsSigV4 => aws_sigv4::read(reader, node, &pointer),
        CredentialKind::Basic => basic::read(reader, node, &pointer),
        CredentialKind::GoogleAccessToken => google::access_token(reader, node, &pointer),
        CredentialKind::GoogleIdToken => google::id_token(reader, node, &pointer),
        CredentialKind::JwtBearer => oauth2::jwt_bearer(reader, node, &pointer),
        CredentialKind::OAuth2AuthorizationCode => {
            oauth2::authorization_code(reader, node, &pointer)
        }
        CredentialKind::OAuth2ClientCredentials => {
            oauth2::client_credentials(reader, node, &pointer)
        }
        CredentialKind::TokenExchange => oauth2::token_exchange(reader, node, &pointer),
        CredentialKind::Bearer => bearer::read(reader, node, &pointer),
    }
}

/// The closed set of kinds; any other key is not a credential.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum CredentialKind {
    ApiKey,
    AwsSigV4,
    Basic,
    Bearer,
    GoogleAccessToken,
    GoogleIdToken,
    JwtBearer,
    OAuth2AuthorizationCode,
    OAuth2ClientCredentials,
    TokenExchange,
}

impl CredentialKind {
    /// The kind that a key names.
    fn of(key: &str) -> Option<Self> {
        Some(match key {
            "api_key" => Self::ApiKey,
            "aws_sigv4" => Self::AwsSigV4,
            "basic" => Self::Basic,
            "bearer" => Self::Bearer,
            "google_access_token" => Self::GoogleAccessToken,
            "google_id_token" => Self::GoogleIdToken,
            "jwt_bearer" => Self::JwtBearer,
            "oauth2_authorization_code" => Self::OAuth2AuthorizationCode,
            "oauth2_client_credentials" => Self::OAuth2ClientCredentials,
            "token_exchange" => Self::TokenExchange,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_of_a_credential_names_a_kind_of_its_own() {
        let kinds: Vec<_> = AUTH.names().map(CredentialKind::of).collect();
        assert!(kinds.iter().all(Option::is_some), "{kinds:?}");
        let is_new = |(at, kind): (usize, &Option<CredentialKind>)| !kinds[..at].contains(kind);
        assert!(kinds.iter().enumerate().all(is_new), "{kinds:?}");
        assert_eq!(CredentialKind::of("mutual_tls"), None);
    }
}
