//! Identity tokens for an audience. A key is exchanged at its token endpoint by an assertion with `target_audience`
//! (RFC 7523 §2.1 with Google's claim), because Google's library supports only one fixed address for that.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use google_cloud_auth::credentials::{
    idtoken::{IDTokenCredentials, impersonated, mds},
    service_account,
};
use serde::Deserialize;
use serde_json::{Value, json};
use url::{Url, form_urlencoded::Serializer};

use crate::{
    endpoints::Endpoints,
    error::{self, Error},
    key::{Credentials, IMPERSONATED, SERVICE_ACCOUNT},
    rest::{Rest, ServiceRequest},
    token::Token,
    token_source::{Origin, Thread, unusable_credentials_error},
};

pub(crate) async fn fetch_id_token(
    rest: &Rest,
    endpoints: &Endpoints,
    origin: &Origin,
    audience: &str,
) -> Result<Token, Error> {
    match origin {
        Some(file) if file.kind() == SERVICE_ACCOUNT => {
            exchange_jwt_for_id_token(rest, endpoints, file, audience).await
        }
        Some(file) if file.kind() == IMPERSONATED => {
            let builder = impersonated::Builder::new(audience, file.json()).with_include_email();
            fetch_id_token_by_library(rest, || builder.build()).await
        }
        Some(file) => Err(error::no_id_token(file.kind())),
        None => fetch_machine_id_token(rest, endpoints.metadata.as_ref(), audience).await,
    }
}

/// The time for which a JWT remains valid. The service checks its signature.
pub(crate) fn remaining_jwt_lifetime(token: &str, now: SystemTime) -> Result<Duration, Error> {
    #[derive(Deserialize)]
    struct Claims {
        exp: u64,
    }
    let payload = token.split('.').nth(1).ok_or_else(error::unusable_token)?;
    let json = BASE64_URL_SAFE_NO_PAD.decode(payload.trim_end_matches('='));
    let json = json.map_err(|_| error::unusable_token())?;
    let claims: Claims = serde_json::from_slice(&json).map_err(|_| error::unusable_token())?;
    Ok(Duration::from_secs(claims.exp.saturating_sub(seconds_since_epoch(now))))
}

async fn fetch_machine_id_token(
    rest: &Rest,
    metadata: Option<&Url>,
    audience: &str,
) -> Result<Token, Error> {
    let builder = mds::Builder::new(audience).with_format(mds::Format::Full);
    let builder = match metadata {
        Some(url) => builder.with_endpoint(url.as_str().trim_end_matches('/')),
        None => builder,
    };
    fetch_id_token_by_library(rest, || builder.build()).await
}

/// Gets a token from Google's library, which is then dropped: it keeps tokens, and so do our callers.
async fn fetch_id_token_by_library<B>(rest: &Rest, build: B) -> Result<Token, Error>
where
    B: FnOnce() -> Result<IDTokenCredentials, google_cloud_auth::build_errors::Error>,
{
    let thread = Thread::start()?;
    let credentials =
        thread.run_in_runtime(build)?.map_err(|error| unusable_credentials_error(&error))?;
    let token = thread.run_with_timeout(async move { credentials.id_token().await }).await?;
    let lifetime = remaining_jwt_lifetime(&token, rest.now())?;
    Token::new(token, lifetime)
}

async fn exchange_jwt_for_id_token(
    rest: &Rest,
    endpoints: &Endpoints,
    key: &Credentials,
    audience: &str,
) -> Result<Token, Error> {
    let url = key.trusted_token_endpoint(endpoints)?;
    let assertion = signed_assertion(key, &url, audience, rest.now()).await?;
    let body = Serializer::new(String::new())
        .append_pair("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer")
        .append_pair("assertion", &assertion)
        .finish();
    let question = ServiceRequest {
        service: SERVICE,
        url: url.as_str(),
        token: None,
        body: Some(("application/x-www-form-urlencoded", body)),
    };
    let answer = rest.send_request(question).await?;
    let token = answer.get("id_token").and_then(Value::as_str);
    let token = token.ok_or_else(|| error::unexpected_answer(SERVICE))?;
    Token::new(token.to_owned(), remaining_jwt_lifetime(token, rest.now())?)
}

async fn signed_assertion(
    key: &Credentials,
    url: &Url,
    audience: &str,
    now: SystemTime,
) -> Result<String, Error> {
    let email = key.nonempty_text_field("client_email").unwrap_or_default();
    let issued = seconds_since_epoch(now);
    let header =
        json!({ "alg": "RS256", "typ": "JWT", "kid": key.nonempty_text_field("private_key_id") });
    let claims = json!({
        "iss": email,
        "sub": email,
        "aud": url.as_str(),
        "target_audience": audience,
        "iat": issued,
        "exp": issued.saturating_add(ASSERTION_SECONDS),
    });
    let encoded = |part: &Value| BASE64_URL_SAFE_NO_PAD.encode(part.to_string());
    let mut assertion = format!("{}.{}", encoded(&header), encoded(&claims));
    let signer = service_account::Builder::new(key.json()).build_signer();
    let signer = signer.map_err(|error| unusable_credentials_error(&error))?;
    let signature = signer.sign(assertion.clone()).await;
    let signature = signature
        .map_err(|_| error::not_credentials("the key", "its private key must be PKCS #8 of RSA"))?;
    assertion.push('.');
    assertion.push_str(&BASE64_URL_SAFE_NO_PAD.encode(signature));
    Ok(assertion)
}

fn seconds_since_epoch(now: SystemTime) -> u64 {
    now.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

const SERVICE: &str = "Google's token endpoint";

/// The longest lifetime of an assertion that Google accepts.
const ASSERTION_SECONDS: u64 = 3600;

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(payload: &str, expected: Option<bool>) {
        let now = SystemTime::now();
        let token = format!("h.{}.s", BASE64_URL_SAFE_NO_PAD.encode(payload));
        let lifetime = remaining_jwt_lifetime(&token, now).ok().map(|left| !left.is_zero());
        assert_eq!(lifetime, expected, "{payload}");
    }

    #[test]
    fn the_expiry_of_an_id_token_is_read_from_its_claims() {
        check(&format!("{{\"exp\":{}}}", seconds_since_epoch(SystemTime::now()) + 100), Some(true));
        check("{\"exp\":1}", Some(false));
        check("{\"exp\":\"1\"}", None);
        check("{}", None);
        check("canary", None);
        assert!(remaining_jwt_lifetime("opaque", SystemTime::now()).is_err());
    }
}
