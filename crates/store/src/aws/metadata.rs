//! Keys from an endpoint beside the process: a container's, or the instance's metadata service, version 2. The caller
//! decides the order.

use std::net::IpAddr;

use bytes::Bytes;
use callgate_secret::{Error, ErrorKind, Secret};
use http::{HeaderValue, Method, Request, StatusCode, Uri};
use serde::Deserialize;

use super::{access_key::AwsKeys, finder::Finder};
use crate::{
    exchange::{self, StoreResponse},
    json,
};

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct KeysResponse {
    access_key_id: String,
    secret_access_key: String,
    token: Option<String>,
}

/// The keys of a container, if it has any: AWS SDKs and Tools Reference Guide, "Container credential provider".
pub(super) async fn container_keys(finder: &Finder) -> Result<Option<AwsKeys>, Error> {
    let relative = finder.read_nonempty_variable("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI").await?;
    let full = finder.read_nonempty_variable("AWS_CONTAINER_CREDENTIALS_FULL_URI").await?;
    let address = match (relative, full) {
        (Some(path), _) => format!("{ECS}{}", path.expose()),
        (None, Some(full)) => full.expose().to_owned(),
        (None, None) => return Ok(None),
    };
    if !is_allowed_key_address(&address) {
        let message =
            "the container's endpoint for keys must be `https://` or an address of this machine";
        return Err(Error::new(ErrorKind::Denied, message));
    }
    let mut token = finder.read_nonempty_variable("AWS_CONTAINER_AUTHORIZATION_TOKEN").await?;
    if let Some(file) =
        finder.read_nonempty_variable("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE").await?
    {
        token = finder.read_optional_secret(&format!("file:{}", file.expose())).await?;
    }
    let mut headers = Vec::new();
    headers.extend(token.as_ref().map(|token| ("authorization", token)));
    let answer = ask_metadata_service(finder, Method::GET, &address, &headers).await?;
    keys_of_answer(&answer).map(Some)
}

/// The keys of the instance's role: Amazon EC2 User Guide, "Instance Metadata Service Version 2". `None` for an
/// instance without a metadata service.
pub(super) async fn instance_keys(finder: &Finder) -> Result<Option<AwsKeys>, Error> {
    let disabled = finder.read_nonempty_variable("AWS_EC2_METADATA_DISABLED").await?;
    if disabled.is_some_and(|value| value.expose().eq_ignore_ascii_case("true")) {
        return Ok(None);
    }
    let endpoint = finder.read_nonempty_variable("AWS_EC2_METADATA_SERVICE_ENDPOINT").await?;
    let endpoint = endpoint.as_ref().map_or(INSTANCE, Secret::expose).trim_end_matches('/');
    let life = Secret::new("300".to_owned());
    let headers = [("x-aws-ec2-metadata-token-ttl-seconds", &life)];
    let url = format!("{endpoint}/latest/api/token");
    let Ok(answer) = ask_metadata_service(finder, Method::PUT, &url, &headers).await else {
        return Ok(None);
    };
    let Some(token) = ok_response_text(&answer) else { return Ok(None) };
    let token = Secret::new(token.to_owned());
    let headers = [("x-aws-ec2-metadata-token", &token)];
    let url = format!("{endpoint}/latest/meta-data/iam/security-credentials/");
    let roles = ask_metadata_service(finder, Method::GET, &url, &headers).await?;
    let Some(role) = ok_response_text(&roles).and_then(|roles| roles.lines().next()) else {
        return Ok(None);
    };
    let answer =
        ask_metadata_service(finder, Method::GET, &format!("{url}{role}"), &headers).await?;
    keys_of_answer(&answer).map(Some)
}

async fn ask_metadata_service(
    finder: &Finder,
    method: Method,
    url: &str,
    headers: &[(&'static str, &Secret)],
) -> Result<StoreResponse, Error> {
    let mut request = Request::builder().method(method).uri(url);
    for (name, value) in headers {
        let mut value = HeaderValue::try_from(value.expose_for_header()?)
            .map_err(|_| unusable_token_error())?;
        value.set_sensitive(true);
        request = request.header(*name, value);
    }
    let request = request
        .body(Bytes::new())
        .map_err(|source| exchange::malformed_request_error(METADATA, source))?;
    exchange::send_request(METADATA, &finder.transport, request).await
}

fn keys_of_answer(answer: &StoreResponse) -> Result<AwsKeys, Error> {
    let read = json::parse_json::<KeysResponse>(answer.body.bytes());
    let Some(answered) = read.filter(|_| answer.status == StatusCode::OK) else {
        let status = answer.status.as_u16();
        let message = format!("{METADATA} answers {status} and no keys");
        return Err(Error::new(ErrorKind::Unreadable, message));
    };
    Ok(AwsKeys {
        access_key_id: Secret::new(answered.access_key_id),
        secret_access_key: Secret::new(answered.secret_access_key),
        session_token: answered.token.map(Secret::new),
    })
}

fn ok_response_text(answer: &StoreResponse) -> Option<&str> {
    let text = std::str::from_utf8(answer.body.bytes()).ok()?.trim();
    (answer.status == StatusCode::OK && !text.is_empty()).then_some(text)
}

/// Returns true if keys may be requested from this address. Over plain HTTP they must not leave the machine: these are
/// the addresses that every SDK allows.
fn is_allowed_key_address(address: &str) -> bool {
    let Ok(uri) = address.parse::<Uri>() else { return false };
    let host = uri.host().unwrap_or_default();
    let address = host.trim_matches(['[', ']']).parse::<IpAddr>();
    let is_loopback = host == "localhost" || address.is_ok_and(|address| address.is_loopback());
    let is_amazons = matches!(host, "169.254.170.2" | "169.254.170.23" | "[fd00:ec2::23]");
    uri.scheme_str() == Some("https") || is_loopback || is_amazons
}

fn unusable_token_error() -> Error {
    Error::new(ErrorKind::Invalid, "a token of the metadata service is unusable")
}

const ECS: &str = "http://169.254.170.2";
const INSTANCE: &str = "http://169.254.169.254";
const METADATA: &str = "the metadata service of AWS";
