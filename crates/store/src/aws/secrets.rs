//! AWS Secrets Manager: `aws:name` for a whole secret, `aws:name#key` for a key of a JSON secret, by the operation
//! `GetSecretValue`. A binary secret is refused, because callgate puts only text on requests.

use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use callgate_secret::{Error, ErrorKind, RemoteSecret, Secret, SecretReference, SecretStore};
use callgate_transport::{Clock, Transport};
use http::{Request, StatusCode};
use serde::Deserialize;
use serde_json::{Value, json, value::RawValue};

use super::{access_key::AwsKeys, keys::AwsKeySource, region_domain, scope::Scope, sign};
use crate::{
    exchange::{self, StoreResponse},
    json::{self, Members},
};

/// The region and endpoint of the secrets.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct SecretsManagerConfig {
    /// The region of secrets that are not named by an ARN; an ARN contains its own region.
    pub region: String,
    /// An origin that replaces the region's own, such as a private endpoint.
    pub endpoint: Option<String>,
}

/// A secret store that reads `aws:name#key` at each call.
#[derive(Debug)]
pub struct SecretsManagerStore {
    config: SecretsManagerConfig,
    keys: AwsKeySource,
    transport: Arc<dyn Transport>,
    clock: Clock,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct SecretValue<'a> {
    #[serde(borrow)]
    secret_string: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct ErrorResponse {
    #[serde(rename = "__type")]
    kind: String,
}

impl SecretsManagerStore {
    /// A store that signs with these keys. Creating it sends nothing.
    pub fn new(
        config: SecretsManagerConfig,
        keys: AwsKeySource,
        transport: Arc<dyn Transport>,
    ) -> Self {
        Self { config, keys, transport, clock: Clock::default() }
    }

    /// Uses another clock to date requests.
    #[must_use]
    pub fn with_clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }

    async fn request_secret(
        &self,
        name: &str,
        body: &Value,
        keys: &AwsKeys,
    ) -> Result<StoreResponse, Error> {
        let region = region_of_arn(name).unwrap_or(&self.config.region);
        let endpoint = match &self.config.endpoint {
            Some(endpoint) => format!("{}/", endpoint.trim_end_matches('/')),
            None => format!("https://secretsmanager.{region}.{}/", region_domain(region)),
        };
        let mut request = Request::post(endpoint)
            .header("content-type", "application/x-amz-json-1.1")
            .header("x-amz-target", "secretsmanager.GetSecretValue")
            .body(Bytes::from(body.to_string()))
            .map_err(|source| exchange::malformed_request_error(STORE, source))?;
        let scope = Scope {
            region: region.to_owned(),
            service: "secretsmanager".to_owned(),
            is_payload_unsigned: false,
        };
        for header in sign(&request, keys, &scope, self.clock.now())? {
            request.headers_mut().insert(header.name, header.value);
        }
        exchange::send_request(STORE, &self.transport, request).await
    }
}

#[async_trait]
impl SecretStore for SecretsManagerStore {
    async fn get(&self, reference: &SecretReference) -> Result<Secret, Error> {
        let SecretReference::Remote { scheme: "aws", secret, .. } = reference else {
            let message = format!("{STORE} holds no secrets of `{}:`", reference.scheme());
            return Err(Error::new(ErrorKind::Unsupported, message));
        };
        let RemoteSecret { name, version, key, .. } = secret;
        let body = match version {
            Some(("version_id", id)) => json!({"SecretId": name, "VersionId": id}),
            Some((_, stage)) => json!({"SecretId": name, "VersionStage": stage}),
            None => json!({"SecretId": name}),
        };
        let keys = self.keys.keys().await?;
        let mut answer = self.request_secret(name, &body, &keys).await?;
        if is_key_rejection(&answer)
            && let Some(others) = self.keys.keys_other_than(&keys).await?
        {
            answer = self.request_secret(name, &body, &others).await?;
        }
        if answer.status != StatusCode::OK {
            return Err(answer_failure(&answer, reference));
        }
        secret_of_answer(&answer, key.as_deref(), reference)
    }
}

/// The region in `arn:partition:secretsmanager:region:account:secret:name`.
fn region_of_arn(name: &str) -> Option<&str> {
    name.strip_prefix("arn:")?.split(':').nth(2).filter(|region| !region.is_empty())
}

fn secret_of_answer(
    answer: &StoreResponse,
    key: Option<&str>,
    reference: &SecretReference,
) -> Result<Secret, Error> {
    let secret_value =
        json::parse_json::<SecretValue<'_>>(answer.body.bytes()).ok_or_else(|| {
            Error::new(ErrorKind::Unreadable, format!("{STORE}'s answer cannot be understood"))
        })?;
    let Some(whole) = secret_value.secret_string.and_then(json::secret_of_json_scalar) else {
        let message = format!("the secret is binary, and must be a text: `{reference}`");
        return Err(Error::new(ErrorKind::Invalid, message));
    };
    let secret = match key {
        Some(key) => secret_member(&whole, key, reference)?,
        None => whole,
    };
    if secret.is_empty() {
        let message = format!("the secret is empty: `{reference}`");
        return Err(Error::new(ErrorKind::Invalid, message));
    }
    Ok(secret)
}

fn secret_member(whole: &Secret, key: &str, reference: &SecretReference) -> Result<Secret, Error> {
    let Some(members) = json::parse_json::<Members<'_>>(whole.expose().as_bytes()) else {
        let message = format!("the secret is no JSON object that has keys: `{reference}`");
        return Err(Error::new(ErrorKind::Invalid, message));
    };
    let Some(value) = members.get(key) else {
        let message = format!("the secret has no such key: `{reference}`");
        return Err(Error::new(ErrorKind::NotFound, message));
    };
    json::secret_of_json_scalar(value).ok_or_else(|| {
        let message = format!("the secret's key must hold a text: `{reference}`");
        Error::new(ErrorKind::Invalid, message)
    })
}

/// The error's name: in `__type` a namespace may precede it.
fn aws_error_name(answer: &StoreResponse) -> String {
    let name = json::parse_json::<ErrorResponse>(answer.body.bytes()).map(|failed| failed.kind);
    let name = name.unwrap_or_default();
    name.rsplit_once('#').map(|(_, name)| name.to_owned()).unwrap_or(name)
}

fn is_key_rejection(answer: &StoreResponse) -> bool {
    answer.status.is_client_error() && KEYS_REJECTED.contains(&aws_error_name(answer).as_str())
}

/// The error for a failed response: AWS Secrets Manager API Reference, `GetSecretValue` and "Common Errors".
fn answer_failure(answer: &StoreResponse, reference: &SecretReference) -> Error {
    let name = aws_error_name(answer);
    let (kind, message) = match name.as_str() {
        "ResourceNotFoundException" => (ErrorKind::NotFound, "there is no such secret or version"),
        "InvalidRequestException" => (ErrorKind::NotFound, "the secret is to be deleted"),
        "AccessDeniedException" => (ErrorKind::Denied, "the keys of AWS may not read the secret"),
        "DecryptionFailure" => (ErrorKind::Denied, "the secret's encryption key may not be used"),
        "InvalidParameterException" | "ValidationException" => {
            (ErrorKind::Invalid, "the secret's name or version is malformed")
        }
        error_code if KEYS_REJECTED.contains(&error_code) => {
            (ErrorKind::Denied, "AWS rejected the keys or the signature")
        }
        _ => {
            let message = format!("{STORE} answers {} to: `{reference}`", answer.status.as_u16());
            // Gateways and emulators of the service give their reasons in other formats.
            let kind = match answer.status {
                StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => ErrorKind::Denied,
                _ => ErrorKind::Unreadable,
            };
            return Error::new(kind, message);
        }
    };
    Error::new(kind, format!("{message}: `{reference}`"))
}

const STORE: &str = "AWS Secrets Manager";
const KEYS_REJECTED: [&str; 7] = [
    "ExpiredTokenException",
    "IncompleteSignatureException",
    "InvalidClientTokenId",
    "InvalidSignatureException",
    "MissingAuthenticationTokenException",
    "SignatureDoesNotMatch",
    "UnrecognizedClientException",
];

#[cfg(test)]
mod tests;
