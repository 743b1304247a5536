//! Fetches an issuer's keys from the address in its metadata (`OpenID` Connect Discovery 1.0 §4), or from the one that
//! the operator names.

use bytes::Bytes;
use callgate_config::{BuiltIssuer, IssuerConfig};
use callgate_transport::Limits;
use http::{Request, StatusCode, header};
use serde::Deserialize;
use std::time::Duration;
use url::Url;

use super::super::keys::Keys;

/// The keys that an issuer publishes now, or the reason for the operator why there are none.
pub(super) async fn fetch_keys(issuer: &BuiltIssuer) -> Result<Keys, String> {
    let address = match &issuer.config.jwks_uri {
        Some(address) => address.clone(),
        None => discover_key_set_url(issuer).await?,
    };
    Keys::parse_key_set(&get(issuer, &address).await?)
}

#[derive(Deserialize)]
struct Metadata {
    issuer: String,
    jwks_uri: Url,
}

async fn discover_key_set_url(issuer: &BuiltIssuer) -> Result<Url, String> {
    let IssuerConfig { issuer: name, .. } = &issuer.config;
    let address = format!("{}/.well-known/openid-configuration", name.trim_end_matches('/'));
    let address: Url =
        address.parse().map_err(|_| "expected the address of an issuer".to_owned())?;
    let text = get(issuer, &address).await?;
    let read = serde_json::from_slice(&text);
    let Metadata { issuer: said, jwks_uri } =
        read.map_err(|_| format!("expected metadata with `issuer` and `jwks_uri` at {address}"))?;
    // §4.3: a server that answers for another issuer would supply that issuer's keys.
    if said != *name {
        return Err(format!("expected metadata of `{name}`, got those of another issuer"));
    }
    if jwks_uri.origin() != address.origin() {
        return Err(format!(
            "its keys are at another origin: if it is trusted, write `jwks_uri: {jwks_uri}`"
        ));
    }
    Ok(jwks_uri)
}

async fn get(issuer: &BuiltIssuer, address: &Url) -> Result<Bytes, String> {
    let request = Request::get(address.as_str()).header(header::ACCEPT, "application/json");
    let request = request.body(Bytes::new()).map_err(|error| error.to_string())?;
    let answer = issuer.transport.send(request, &LIMITS).await;
    let answer = answer.map_err(|error| format!("{address}: {error}"))?;
    if answer.status() != StatusCode::OK {
        return Err(format!("{address}: expected the status 200, got: {}", answer.status()));
    }
    Ok(answer.into_body())
}

/// The limits of a request to an issuer: many times the time and bytes that a working issuer needs.
const LIMITS: Limits = Limits { timeout: Duration::from_secs(5), response_bytes: 1 << 20 };
