//! Google Secret Manager as a secret store: versions and `latest`, global and regional, the checksum verified
//! (`secretmanager.v1` `projects.secrets.versions.access`).

use std::sync::Arc;

use async_trait::async_trait;
use base64::{Engine, prelude::BASE64_STANDARD};
use callgate_secret::{
    Error as SecretError, ErrorKind as SecretErrorKind, Secret, SecretReference, SecretStore,
};
use serde_json::Value;
use zeroize::{Zeroize, Zeroizing};

use crate::{
    Tokens,
    endpoints::Endpoints,
    error::{self, Error, ErrorKind},
    rest::{Rest, ServiceRequest},
};

/// The secret store of references that begin with `gcp:`.
#[derive(Debug)]
pub struct SecretManager {
    tokens: Arc<Tokens>,
    rest: Rest,
    endpoints: Endpoints,
}

impl SecretManager {
    /// A store that authenticates with the access tokens of `tokens`.
    pub fn new(tokens: Arc<Tokens>, rest: Rest, endpoints: Endpoints) -> Self {
        Self { tokens, rest, endpoints }
    }

    async fn access_with_token_retry(&self, resource: &str) -> Result<Secret, Error> {
        let first = self.access_once(resource).await;
        // The token was revoked a moment ago: retry once with a new one (threat 38 of `SECURITY.md`).
        match first {
            Err(error) if error.is_refused_token() => {
                self.tokens.forget();
                self.access_once(resource).await
            }
            other => other,
        }
    }

    async fn access_once(&self, resource: &str) -> Result<Secret, Error> {
        let token = self.tokens.access_token().await?;
        let url = self.endpoints.secret_manager_url(
            regional_secret_location(resource),
            &format!("/v1/{resource}:access"),
        );
        let question =
            ServiceRequest { service: SERVICE, url: &url, token: Some(&token.value), body: None };
        let answer = self.rest.send_request(question).await?;
        checked_payload(answer)
    }
}

#[async_trait]
impl SecretStore for SecretManager {
    async fn get(&self, reference: &SecretReference) -> Result<Secret, SecretError> {
        let SecretReference::Remote { scheme: "gcp", secret, .. } = reference else {
            let message =
                format!("Secret Manager holds no secrets of the scheme `{}:`", reference.scheme());
            return Err(SecretError::new(SecretErrorKind::Unsupported, message));
        };
        self.access_with_token_retry(&secret.name)
            .await
            .map_err(|error| secret_error(reference, &error))
    }
}

fn secret_error(reference: &SecretReference, error: &Error) -> SecretError {
    let kind = match error.kind() {
        ErrorKind::NotFound => SecretErrorKind::NotFound,
        ErrorKind::Unexpected => SecretErrorKind::Invalid,
        ErrorKind::Unavailable => SecretErrorKind::Unreadable,
        _ if error.is_transient() => SecretErrorKind::Unreadable,
        _ => SecretErrorKind::NotFound,
    };
    SecretError::new(kind, format!("the secret cannot be had: `{reference}`: {error}"))
}

/// The location of a regional secret: `projects/P/locations/L/secrets/…`.
fn regional_secret_location(resource: &str) -> Option<&str> {
    let mut parts = resource.split('/').skip(2);
    (parts.next()? == "locations").then(|| parts.next())?
}

fn checked_payload(mut answer: Value) -> Result<Secret, Error> {
    let checksum = answer.pointer("/payload/dataCrc32c").and_then(crc32c_of_value);
    let Some(Value::String(data)) = answer.pointer_mut("/payload/data") else {
        return Err(error::unexpected_answer(SERVICE));
    };
    let encoded = Zeroizing::new(std::mem::take(data));
    let bytes = BASE64_STANDARD.decode(encoded.as_bytes());
    let bytes = Zeroizing::new(bytes.map_err(|_| error::unexpected_answer(SERVICE))?);
    if checksum.is_some_and(|expected| expected != crc32c::crc32c(&bytes)) {
        return Err(error::wrong_checksum(SERVICE));
    }
    utf8_or_zeroize(bytes).map(Secret::from_stored_text).ok_or_else(|| error::not_text(SERVICE))
}

/// The CRC-32C as a 64-bit integer, which JSON carries as a text.
fn crc32c_of_value(value: &Value) -> Option<u32> {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    text.parse::<u64>().ok().and_then(|number| u32::try_from(number).ok())
}

fn utf8_or_zeroize(mut bytes: Zeroizing<Vec<u8>>) -> Option<String> {
    String::from_utf8(std::mem::take(&mut *bytes))
        .map_err(|refused| refused.into_bytes().zeroize())
        .ok()
}

const SERVICE: &str = "Secret Manager";

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_location_of_a_regional_secret_is_read_from_its_name() {
        assert_eq!(
            regional_secret_location("projects/p/locations/europe-west1/secrets/s/versions/1"),
            Some("europe-west1")
        );
        assert_eq!(regional_secret_location("projects/p/secrets/locations/versions/1"), None);
    }

    #[track_caller]
    fn check(answer: Value, expected: Result<&str, ErrorKind>) {
        let found = checked_payload(answer);
        let found = found.as_ref().map(Secret::expose).map_err(Error::kind);
        assert_eq!(found, expected);
    }

    #[test]
    fn the_value_is_decoded_and_its_checksum_verified() {
        let of = |data: &str, checksum: Value| json!({"payload": {"data": data, "dataCrc32c": checksum}});
        // CRC-32C of "123456789", RFC 3720 appendix B.4.
        check(of("MTIzNDU2Nzg5", json!("3808858755")), Ok("123456789"));
        check(of("MTIzNDU2Nzg5", json!(3_808_858_755_u64)), Ok("123456789"));
        check(of("MTIzNDU2Nzg5", json!("3808858756")), Err(ErrorKind::Unexpected));
        check(json!({"payload": {"data": "MTIzNDU2Nzg5"}}), Ok("123456789"));
        check(of("a2V5Cg==", Value::Null), Ok("key"));
        check(of("/w==", Value::Null), Err(ErrorKind::Unexpected));
        check(of("?", Value::Null), Err(ErrorKind::Unexpected));
        check(json!({"payload": {}}), Err(ErrorKind::Unexpected));
    }
}
