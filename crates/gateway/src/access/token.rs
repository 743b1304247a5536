//! Checks a token (JWT) against a key: its signature, issuer, audience and dates. Before that, the token's own claims are
//! only used to find the key.

use std::time::{Duration, UNIX_EPOCH};

use callgate_secret::Secret;
use callgate_tool::{CallerToken, Object, Principal, Value};
use jsonwebtoken::{Algorithm, DecodingKey, Validation, decode, decode_header};
use serde::Deserialize;
use serde_json::value::RawValue;

/// The unverified claims of a token: none of them can be trusted yet.
#[derive(Debug)]
pub(super) struct Unverified {
    pub(super) issuer: String,
    pub(super) algorithm: Algorithm,
    pub(super) key_id: Option<String>,
}

#[derive(Deserialize)]
struct IssuerClaim {
    iss: String,
}

impl Unverified {
    /// Reads a token; `None` if it is not a signed JWT that names an issuer.
    pub(super) fn from_signed_jwt(token: &str) -> Option<Self> {
        let header = decode_header(token).ok()?;
        // RFC 7515 §4.1.11: a reader that does not know a critical header refuses the token.
        if header.crit.is_some() {
            return None;
        }
        let IssuerClaim { iss } = jsonwebtoken::dangerous::insecure_decode_claims(token).ok()?;
        Some(Self { issuer: iss, algorithm: header.alg, key_id: header.kid })
    }
}

#[derive(Debug)]
pub(super) struct Expected<'a> {
    pub(super) issuer: &'a str,
    pub(super) audiences: &'a [String],
}

/// The claims of a token that a key signed.
pub(super) fn verified_claims(
    token: &str,
    key: &DecodingKey,
    algorithm: Algorithm,
    expected: &Expected<'_>,
) -> Result<Object, &'static str> {
    // One algorithm, of the key's family: a token cannot choose how it is checked.
    let mut validation = Validation::new(algorithm);
    validation.leeway = SKEW;
    validation.validate_nbf = true;
    validation.set_issuer(&[expected.issuer]);
    validation.set_audience(expected.audiences);
    validation.set_required_spec_claims(&["aud", "exp", "iss"]);
    let read = decode::<Box<RawValue>>(token, key, &validation);
    let claims = read.map_err(|error| refusal_words(error.kind()))?.claims;
    // Our reader keeps all digits, and refuses duplicate claims.
    match callgate_dialect::read_json(claims.get()) {
        Ok(Value::Object(claims)) => Ok(claims),
        _ => Err("the claims of the token are malformed"),
    }
}

pub(super) fn caller_token(principal: &Principal, token: &str) -> CallerToken {
    let expires = principal.claim("exp").and_then(Value::as_f64);
    let expires = expires.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let expires = expires.and_then(|after| UNIX_EPOCH.checked_add(after));
    CallerToken::new(principal, Secret::new(token.to_owned()), expires.unwrap_or(UNIX_EPOCH))
}

/// Words a refusal without any part of the token.
fn refusal_words(kind: &jsonwebtoken::errors::ErrorKind) -> &'static str {
    use jsonwebtoken::errors::ErrorKind;
    match kind {
        ErrorKind::ExpiredSignature => "the token has expired",
        ErrorKind::ImmatureSignature => "the token is not valid yet",
        ErrorKind::InvalidAudience => "the token is for somebody else",
        ErrorKind::InvalidIssuer => "no listed issuer made this token",
        ErrorKind::MissingRequiredClaim(_) => "the token lacks `aud`, `exp` or `iss`",
        _ => "the token is not signed by its issuer",
    }
}

/// The largest difference between the clocks of an issuer and this machine, in seconds.
const SKEW: u64 = 60;
