//! The public keys of an issuer as it publishes them (RFC 7517). Keys for other purposes, of other kinds, or that cannot be
//! read are skipped, and so are shared secrets, with which a reader could sign tokens itself.

use std::sync::Arc;

use jsonwebtoken::{
    Algorithm, AlgorithmFamily, DecodingKey,
    jwk::{AlgorithmParameters, EllipticCurve, Jwk, JwkSet, PublicKeyUse},
};

#[derive(Debug, Default)]
pub(super) struct Keys(Vec<Arc<Key>>);

#[derive(Debug)]
pub(super) struct Key {
    id: Option<String>,
    /// The algorithms of the key, as stated or implied by its kind.
    algorithms: Vec<Algorithm>,
    decoding: DecodingKey,
}

impl Keys {
    pub(super) fn parse_key_set(text: &[u8]) -> Result<Self, String> {
        let set: JwkSet = serde_json::from_slice(text)
            .map_err(|_| "expected a set of keys (RFC 7517)".to_owned())?;
        let n_keys = set.keys.len();
        if n_keys > MOST {
            return Err(format!("expected at most {MOST} keys, got {n_keys}"));
        }
        let keys: Vec<_> = set.keys.iter().filter_map(signing_key).map(Arc::new).collect();
        if keys.is_empty() {
            return Err("expected a key for signatures, got none".to_owned());
        }
        Ok(Self(keys))
    }

    /// The number of keys that can sign.
    pub(super) fn key_count(&self) -> usize {
        self.0.len()
    }

    /// The keys that may have signed a token: the one it names, or all keys with its algorithm.
    pub(super) fn candidate_keys(&self, id: Option<&str>, algorithm: Algorithm) -> Vec<Arc<Key>> {
        let may_be = |key: &&Arc<Key>| {
            (id.is_none() || key.id.as_deref() == id) && key.algorithms.contains(&algorithm)
        };
        self.0.iter().filter(may_be).cloned().collect()
    }
}

impl Key {
    pub(super) fn decoding_key(&self) -> &DecodingKey {
        &self.decoding
    }
}

fn signing_key(jwk: &Jwk) -> Option<Key> {
    let common = &jwk.common;
    if common.public_key_use.as_ref().is_some_and(|used| *used != PublicKeyUse::Signature) {
        return None;
    }
    let algorithms = match &jwk.algorithm {
        AlgorithmParameters::RSA(_) => AlgorithmFamily::Rsa.algorithms().to_vec(),
        AlgorithmParameters::OctetKeyPair(_) => vec![Algorithm::EdDSA],
        AlgorithmParameters::EllipticCurve(parameters) => match parameters.curve {
            EllipticCurve::P256 => vec![Algorithm::ES256],
            EllipticCurve::P384 => vec![Algorithm::ES384],
            _ => return None,
        },
        // Anyone who knows a shared secret can sign with it.
        _ => return None,
    };
    let algorithms = match common.key_algorithm {
        Some(said) => algorithms
            .into_iter()
            .filter(|algorithm| said.to_string() == format!("{algorithm:?}"))
            .collect(),
        None => algorithms,
    };
    let decoding = DecodingKey::from_jwk(jwk).ok()?;
    Some(Key { id: common.key_id.clone(), algorithms, decoding })
}

/// More keys than any issuer has at one time.
const MOST: usize = 100;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_set_beyond_its_maximum_is_refused_as_a_whole() {
        let key =
            r#"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#;
        let set = |n_keys: usize| format!(r#"{{"keys":[{}]}}"#, vec![key; n_keys].join(","));
        assert!(Keys::parse_key_set(set(MOST).as_bytes()).is_ok());
        let refused = Keys::parse_key_set(set(MOST + 1).as_bytes()).unwrap_err();
        assert_eq!(refused, "expected at most 100 keys, got 101");
    }
}
