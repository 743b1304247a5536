//! The client of an authorization server, and its authentication.

use callgate_auth::{ClientAuthentication, OAuth2Client, PrivateKeyJwt, SigningAlgorithm};

use crate::{
    code::ConfigCode,
    reader::{
        Mapping, Reader, at,
        secret::{name, secret},
    },
};

/// Reports a missing client: this grant requires one.
pub(super) fn is_required(reader: &mut Reader, mapping: Mapping<'_>) {
    reader.required_string(mapping, "client_id");
}

/// Reads the client; the inner `None` if none is named.
#[expect(clippy::option_option, reason = "no client, or one that is at fault")]
pub(super) fn read(reader: &mut Reader, mapping: Mapping<'_>) -> Option<Option<OAuth2Client>> {
    let authentication = authentication(reader, mapping);
    if mapping.object.get("client_id").and_then(|id| id.as_str()).is_none() {
        return match authentication {
            Some(ClientAuthentication::None) if !mapping.object.contains("client_id") => Some(None),
            _ => {
                reader.required_string(mapping, "client_id");
                None
            }
        };
    }
    let id = name(reader, mapping, "client_id")?;
    let client = OAuth2Client { id, authentication: authentication? };
    Some(Some(client))
}

fn authentication(reader: &mut Reader, mapping: Mapping<'_>) -> Option<ClientAuthentication> {
    let has = |key: &str| mapping.object.contains(key);
    let by_keys = if has("private_key") {
        "private_key_jwt"
    } else if has("client_secret") {
        "basic"
    } else {
        "none"
    };
    let chosen = reader.string(mapping, "client_authentication").unwrap_or(by_keys);
    let unused = match chosen {
        "basic" | "body" => &PRIVATE_KEY[..],
        "private_key_jwt" => &["client_secret"],
        _ => &["client_secret", "private_key", "private_key_id"],
    };
    for key in unused.iter().filter(|key| has(key)) {
        let message = format!("`{key}` is of no use with the client authentication `{chosen}`");
        reader.complain(ConfigCode::WrongValue, at(mapping, key), message, "remove one of them");
    }
    match chosen {
        "basic" => secret(reader, mapping, "client_secret").map(ClientAuthentication::Basic),
        "body" => secret(reader, mapping, "client_secret").map(ClientAuthentication::Body),
        "none" => Some(ClientAuthentication::None),
        "private_key_jwt" => private_key_jwt(reader, mapping),
        other => {
            let message =
                format!("expected `basic`, `body`, `none` or `private_key_jwt`, got: `{other}`");
            let help = "the authorization server says how its clients show who they are";
            reader.complain(
                ConfigCode::WrongValue,
                at(mapping, "client_authentication"),
                message,
                help,
            );
            None
        }
    }
}

fn private_key_jwt(reader: &mut Reader, mapping: Mapping<'_>) -> Option<ClientAuthentication> {
    let key = secret(reader, mapping, "private_key");
    let algorithm = reader.string(mapping, "private_key_algorithm");
    let algorithm = match algorithm.map(|text| (text, algorithm_of(text))) {
        None => None,
        Some((_, Some(algorithm))) => Some(algorithm),
        Some((text, None)) => {
            let message = format!("expected an algorithm that signs, got: `{text}`");
            let help = "`ES256`, `ES384`, `EdDSA`, `PS256` or `RS256`";
            reader.complain(
                ConfigCode::WrongValue,
                at(mapping, "private_key_algorithm"),
                message,
                help,
            );
            return None;
        }
    };
    Some(ClientAuthentication::PrivateKeyJwt(PrivateKeyJwt {
        key: key?,
        key_id: reader.string(mapping, "private_key_id").map(ToOwned::to_owned),
        algorithm,
        audience: reader.string(mapping, "jwt_audience").map(ToOwned::to_owned),
    }))
}

fn algorithm_of(text: &str) -> Option<SigningAlgorithm> {
    match text {
        "ES256" => Some(SigningAlgorithm::Es256),
        "ES384" => Some(SigningAlgorithm::Es384),
        "EdDSA" => Some(SigningAlgorithm::EdDsa),
        "PS256" => Some(SigningAlgorithm::Ps256),
        "RS256" => Some(SigningAlgorithm::Rs256),
        _ => None,
    }
}

const PRIVATE_KEY: [&str; 4] =
    ["jwt_audience", "private_key", "private_key_algorithm", "private_key_id"];
