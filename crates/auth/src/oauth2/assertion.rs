//! Signs the JWT by which a client authenticates (RFC 7523 §3). Knows keys and claims, not requests.

use callgate_tool::hexadecimal;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use callgate_secret::{Secret, SecretReference};
use jsonwebtoken::{Algorithm, AlgorithmFamily, EncodingKey, Header, encode};
use serde::Serialize;

use super::settings::{PrivateKeyJwt, SigningAlgorithm};
use crate::error::{self, Error};

#[derive(Debug, Serialize)]
struct Claims<'a> {
    iss: &'a str,
    sub: &'a str,
    aud: &'a str,
    jti: String,
    iat: u64,
    exp: u64,
}

/// A JWT of `client_id` for the server `audience`, signed with the key at this time.
pub(super) fn signed_jwt(
    settings: &PrivateKeyJwt,
    key: &Secret,
    client_id: &str,
    audience: &str,
    now: SystemTime,
) -> Result<Secret, Error> {
    let algorithm = settings.algorithm;
    let (key, by_key) = signing_key(&settings.key, key)?;
    let algorithm = algorithm.map_or(by_key, algorithm_of);
    let now = now.duration_since(UNIX_EPOCH).unwrap_or_default();
    let claims = Claims {
        iss: client_id,
        sub: client_id,
        aud: audience,
        jti: unique_id()?,
        iat: now.saturating_sub(SKEW).as_secs(),
        exp: now.saturating_add(LIFE).as_secs(),
    };
    let mut header = Header::new(algorithm);
    header.kid.clone_from(&settings.key_id);
    let jwt = encode(&header, &claims, &key);
    let expected = "a key of the algorithm it is used with";
    jwt.map(Secret::new).map_err(|_| error::unusable_key(&settings.key, expected))
}

fn signing_key(
    reference: &SecretReference,
    key: &Secret,
) -> Result<(EncodingKey, Algorithm), Error> {
    let pem = key.expose().as_bytes();
    let read = EncodingKey::from_rsa_pem(pem);
    let read = read.or_else(|_| EncodingKey::from_ec_pem(pem));
    let read = read.or_else(|_| EncodingKey::from_ed_pem(pem)).ok();
    let by_key = |key: EncodingKey| match key.family() {
        AlgorithmFamily::Ec => Some((key, Algorithm::ES256)),
        AlgorithmFamily::Ed => Some((key, Algorithm::EdDSA)),
        AlgorithmFamily::Rsa => Some((key, Algorithm::RS256)),
        AlgorithmFamily::Hmac => None,
    };
    let expected = "a PEM with an RSA key, or in PKCS#8 (`BEGIN PRIVATE KEY`) with one of an \
                    elliptic curve or Ed25519";
    read.and_then(by_key).ok_or_else(|| error::unusable_key(reference, expected))
}

fn algorithm_of(algorithm: SigningAlgorithm) -> Algorithm {
    match algorithm {
        SigningAlgorithm::Es256 => Algorithm::ES256,
        SigningAlgorithm::Es384 => Algorithm::ES384,
        SigningAlgorithm::EdDsa => Algorithm::EdDSA,
        SigningAlgorithm::Ps256 => Algorithm::PS256,
        SigningAlgorithm::Rs256 => Algorithm::RS256,
    }
}

/// A unique id. RFC 7523 §3: a server may refuse a JWT it has seen.
fn unique_id() -> Result<String, Error> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|_| error::no_random_number())?;
    Ok(hexadecimal(&bytes))
}

/// The allowance for clocks that differ: servers refuse a JWT that was signed in their future.
const SKEW: Duration = Duration::from_secs(30);

/// The lifetime that servers accept, minus the skew: some refuse lifetimes over five minutes.
const LIFE: Duration = Duration::from_mins(4);
