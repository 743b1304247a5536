//! The client of an authorization server, and its authentication.

use callgate_auth::{ClientAuthentication, OAuth2Client, PrivateKeyJwt, SigningAlgorithm};
use callgate_secret::SecretReference;
use callgate_settings::{Mapping, Reader, SettingCode, Words, member_pointer, words};

use super::OAuth2Keys;

/// The ways in which a client shows who it is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum ClientMethod {
    Basic,
    Body,
    None,
    PrivateKeyJwt,
}

words! {
    ClientMethod, "the authorization server says how its clients show who they are":
    "basic" => Basic, "body" => Body, "none" => None, "private_key_jwt" => PrivateKeyJwt
}
words! {
    struct SigningAlgorithmWord => SigningAlgorithm, "leave it out for the one of the key":
    "ES256" => Es256, "ES384" => Es384, "EdDSA" => EdDsa, "PS256" => Ps256, "RS256" => Rs256
}

/// The client with its authentication; the inner `None` if none is named.
#[expect(clippy::option_option, reason = "no client, or one that is at fault")]
pub(super) fn read_oauth2_client(
    reader: &mut Reader,
    mapping: Mapping<'_>,
    id: Option<SecretReference>,
    keys: &mut OAuth2Keys,
) -> Option<Option<OAuth2Client>> {
    let authentication = read_client_authentication(reader, mapping, keys);
    let is_named = mapping.object.contains("client_id");
    if !is_named && matches!(authentication, Some(ClientAuthentication::None)) {
        return Some(None);
    }
    reader.report_missing_key(mapping, "client_id");
    Some(Some(OAuth2Client { id: id?, authentication: authentication? }))
}

fn read_client_authentication(
    reader: &mut Reader,
    mapping: Mapping<'_>,
    keys: &mut OAuth2Keys,
) -> Option<ClientAuthentication> {
    let has = |key: &str| mapping.object.contains(key);
    let usual = match (has("private_key"), has("client_secret")) {
        (true, _) => ClientMethod::PrivateKeyJwt,
        (false, true) => ClientMethod::Basic,
        (false, false) => ClientMethod::None,
    };
    let method = keys.client_authentication.unwrap_or(usual);
    let (needed, unused) = match method {
        ClientMethod::Basic | ClientMethod::Body => (Some("client_secret"), &PRIVATE_KEY[..]),
        ClientMethod::PrivateKeyJwt => (Some("private_key"), &["client_secret"][..]),
        ClientMethod::None => (None, &["client_secret", "private_key", "private_key_id"][..]),
    };
    let mut words = ClientMethod::WORDS.iter();
    let word =
        words.find(|(_, listed_method)| *listed_method == method).map_or("", |(word, _)| word);
    for key in unused.iter().filter(|key| has(key)) {
        let message = format!("`{key}` is of no use with the client authentication `{word}`");
        reader.report_fault(
            SettingCode::WrongValue,
            member_pointer(mapping, key),
            message,
            "remove one of them",
        );
    }
    if let Some(needed) = needed {
        reader.report_missing_key(mapping, needed);
    }
    Some(match method {
        ClientMethod::Basic => ClientAuthentication::Basic(keys.client_secret.take()?),
        ClientMethod::Body => ClientAuthentication::Body(keys.client_secret.take()?),
        ClientMethod::None => ClientAuthentication::None,
        ClientMethod::PrivateKeyJwt => ClientAuthentication::PrivateKeyJwt(PrivateKeyJwt {
            key: keys.private_key.take()?,
            key_id: keys.private_key_id.take(),
            algorithm: keys.private_key_algorithm,
            audience: keys.jwt_audience.take(),
        }),
    })
}

const PRIVATE_KEY: [&str; 4] =
    ["jwt_audience", "private_key", "private_key_algorithm", "private_key_id"];
