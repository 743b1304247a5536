//! A token (JWT) that is checked against a key: its signature, its issuer, whom it is for, and its dates. Before that, what
//! it says of itself is only used to find the key.

use std::time::{Duration, UNIX_EPOCH};

use callgate_secret::Secret;
use callgate_tool::{CallerToken, Object, Principal, Value};
use jsonwebtoken::{Algorithm, DecodingKey, Validation, decode, decode_header};
use serde::Deserialize;
use serde_json::value::RawValue;

/// The words of a token about itself. Nothing of it is true yet.
#[derive(Debug)]
pub(super) struct Unverified {
    pub(super) issuer: String,
    pub(super) algorithm: Algorithm,
    pub(super) key_id: Option<String>,
}

#[derive(Deserialize)]
struct Issued {
    iss: String,
}

impl Unverified {
    /// Reads a token; none where it is no signed JWT that names an issuer.
    pub(super) fn read(token: &str) -> Option<Self> {
        let header = decode_header(token).ok()?;
        // RFC 7515 §4.1.11: whoever does not know what is critical refuses it.
        if header.crit.is_some() {
            return None;
        }
        let Issued { iss } = jsonwebtoken::dangerous::insecure_decode_claims(token).ok()?;
        Some(Self { issuer: iss, algorithm: header.alg, key_id: header.kid })
    }
}

/// The claims that a token must have.
#[derive(Debug)]
pub(super) struct Expected<'a> {
    pub(super) issuer: &'a str,
    pub(super) audiences: &'a [String],
}

/// The claims of a token that a key signed.
pub(super) fn claims(
    token: &str,
    key: &DecodingKey,
    algorithm: Algorithm,
    expected: &Expected<'_>,
) -> Result<Object, &'static str> {
    // One algorithm, of the family of the key: no token chooses how it is checked.
    let mut validation = Validation::new(algorithm);
    validation.leeway = SKEW;
    validation.validate_nbf = true;
    validation.set_issuer(&[expected.issuer]);
    validation.set_audience(expected.audiences);
    validation.set_required_spec_claims(&["aud", "exp", "iss"]);
    let read = decode::<Box<RawValue>>(token, key, &validation);
    let claims = read.map_err(|error| refusal(error.kind()))?.claims;
    // Our own reader keeps digits, and takes no claim twice.
    match callgate_dialect::read_json(claims.get()) {
        Ok(Value::Object(claims)) => Ok(claims),
        _ => Err("the claims of the token are malformed"),
    }
}

/// A verified token of a principal, for the time of its request.
pub(super) fn shown(principal: &Principal, token: &str) -> CallerToken {
    let expires = principal.claim("exp").and_then(Value::as_f64);
    let expires = expires.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let expires = expires.and_then(|after| UNIX_EPOCH.checked_add(after));
    CallerToken::new(principal, Secret::new(token.to_owned()), expires.unwrap_or(UNIX_EPOCH))
}

/// Without anything of the token.
fn refusal(kind: &jsonwebtoken::errors::ErrorKind) -> &'static str {
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

/// The extent to which the clocks of an issuer and of this machine may be apart, in seconds.
const SKEW: u64 = 60;
