//! The key `auth` of a toolset, and the kinds of credentials, each with its keys. References to secrets are read, secrets
//! are not.

mod google;
mod oauth2;

use callgate_auth::{ApiKeyLocation, AuthConfig, CredentialSource};
use callgate_secret::SecretReference;
use callgate_settings::{
    Kind, Mapping, Reader, SecretOrName, Section, SettingCode, forms, keys, member_pointer, words,
};
use callgate_store::aws::Scope;
use callgate_tree::Node;

use crate::aws::{AwsKeys, read_region_and_key_source};

/// The credential of the one kind that a mapping names.
#[derive(Debug, Default)]
pub(crate) struct ChosenCredential {
    auth: Option<AuthConfig>,
}

keys! {
    pub(crate) AuthKeys over ChosenCredential, in "`auth`" takes One with CredentialKeys {
        /// A key in a header, a cookie or the query.
        api_key => auth: ApiKey;
    }
}

keys! {
    pub(crate) SchemeKeys over ChosenCredential, in "a credential of `credentials`" takes One with CredentialKeys {
        /// A key; the description says where it goes.
        api_key => _: SchemeApiKeyKeys;
    }
}

keys! {
    pub(crate) CredentialKeys over ChosenCredential, in "`auth`" {
        /// A signature of AWS, Version 4.
        aws_sigv4 => auth: AwsSigV4, needs "aws";
        /// A user name and a password.
        basic => auth: Basic;
        /// A bearer token.
        bearer => auth: Bearer;
        /// An access token of a Google account.
        google_access_token => auth: google::AccessToken, needs "google";
        /// An identity token of a Google account.
        google_id_token => auth: google::IdToken, needs "google";
        /// A token for a JWT that speaks for a user (RFC 7523).
        jwt_bearer => auth: oauth2::JwtBearer;
        /// A token of the person who logged in with `callgate login` (OAuth 2.0).
        oauth2_authorization_code => auth: oauth2::AuthorizationCode;
        /// A token that callgate asks for as a client of its own (OAuth 2.0).
        oauth2_client_credentials => auth: oauth2::ClientCredentials;
        /// A token for a user's token (RFC 8693).
        token_exchange => auth: oauth2::TokenExchange;
    }
}

keys! {
    pub(crate) struct ApiKeyKeys in "`api_key`" {
        /// The place where the service expects the key.
        place ("in"): ApiKeyLocationWord, required;
        /// The name of the header, the cookie or the query parameter.
        name: String, required;
        /// The key.
        value: SecretReference, required;
    }
}

keys! {
    pub(crate) struct SchemeApiKeyKeys in "`api_key` of `credentials`" {
        /// The key.
        value: SecretReference, required;
    }
}

keys! {
    pub(crate) struct AwsSigV4Keys in "`aws_sigv4`" with AwsKeys {
        /// `unsigned` leaves the body out of the signature (https only).
        payload: PayloadWord;
        /// The service that requests are signed for: `execute-api`.
        service: String, required;
    }
}

keys! {
    pub(crate) struct BasicKeys in "`basic`" {
        /// The password.
        password: SecretReference, required;
        /// The user name, or a reference to a secret that holds it.
        username: SecretOrName, required;
    }
}

keys! {
    pub(crate) struct BearerKeys in "`bearer`" {
        /// The token, or the session's own: `$session.credentials.NAME`.
        token: CredentialSource, required;
    }
}

words! {
    struct ApiKeyLocationWord => ApiKeyLocation, "say where the service expects the key":
    "cookie" => Cookie, "header" => Header, "query" => Query
}

/// True for a body that a signature leaves out.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Payload {
    Signed,
    Unsigned,
}

words! {
    struct PayloadWord => Payload, "`unsigned` leaves the body out of the signature, as VPC Lattice asks for":
    "signed" => Signed, "unsigned" => Unsigned
}

forms! {
    struct Auth => AuthConfig, Kind::AnyOf(&[Kind::Choice(&["none"]), AuthKeys::KIND]), |reader, mapping, key| {
        match mapping.object.get(key)? {
            node if node.as_str() == Some("none") => Some(AuthConfig::None),
            node => read_auth_config(reader, node, &member_pointer(mapping, key)),
        }
    };
    struct ApiKey => AuthConfig, ApiKeyKeys::KIND, |reader, mapping, key| {
        let ApiKeyKeys { place, name, value } = reader.get::<ApiKeyKeys>(mapping, key)?;
        Some(AuthConfig::ApiKey { place: place?, name: name?, value: value? })
    };
    /// The service and the region of a signature, and its keys.
    struct AwsSigV4 => AuthConfig, AwsSigV4Keys::KIND, |reader, mapping, key| {
        reader.read_several_sections::<AwsSigV4Keys, _>(mapping, key, |reader, mapping, keys| {
            let (region, source) = read_region_and_key_source(reader, mapping);
            let is_payload_unsigned = matches!(keys.payload, Some(Payload::Unsigned));
            let scope = Scope { region: region?, service: keys.service?, is_payload_unsigned };
            Some(AuthConfig::AwsSigV4 { scope, keys: source? })
        })
    };
    struct Basic => AuthConfig, BasicKeys::KIND, |reader, mapping, key| {
        let BasicKeys { password, username } = reader.get::<BasicKeys>(mapping, key)?;
        Some(AuthConfig::Basic { username: username?, password: password? })
    };
    struct Bearer => AuthConfig, BearerKeys::KIND, |reader, mapping, key| {
        Some(AuthConfig::Bearer { token: reader.get::<BearerKeys>(mapping, key)?.token? })
    };
}

pub(crate) fn read_auth_config(
    reader: &mut Reader,
    node: &Node,
    pointer: &str,
) -> Option<AuthConfig> {
    let mapping = reader.checked_mapping(node, pointer, &AuthKeys::TABLE)?;
    let n_kinds = mapping.object.iter().filter(|(key, _)| AuthKeys::TABLE.has(key)).count();
    // Calls without a credential need `none`, never an omitted kind.
    let (got, help) = match n_kinds {
        0 if pointer.ends_with("/auth") => {
            ("none", "write `auth: none` for calls without a credential")
        }
        0 => ("none", "for example `{bearer: {token: env:TOKEN}}`"),
        1 => return read_chosen_credential(reader, mapping).auth,
        _ => ("several", "keep one"),
    };
    if n_kinds > 0 || mapping.object.is_empty() {
        let message = format!("expected one kind of credential, got {got}");
        reader.report_fault(SettingCode::WrongValue, pointer, message, help);
    }
    None
}

fn read_chosen_credential(reader: &mut Reader, mapping: Mapping<'_>) -> ChosenCredential {
    let mut chosen = ChosenCredential::default();
    AuthKeys::fill(&mut chosen, reader, mapping);
    CredentialKeys::fill(&mut chosen, reader, mapping);
    chosen
}
