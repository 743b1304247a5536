//! An issuer of tokens for tests: it signs, publishes its keys, and can be made unavailable.

use std::sync::{
    Mutex,
    atomic::{AtomicUsize, Ordering},
};

use async_trait::async_trait;
use bytes::Bytes;
use callgate_transport::{Error, Limits, Transport};
use http::{Request, Response, StatusCode};
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode, jwk::Jwk};
use serde_json::{Value, json};

/// A key of an issuer.
pub(crate) struct Signer {
    id: &'static str,
    key: EncodingKey,
}

impl Signer {
    pub(crate) fn new(id: &'static str) -> Self {
        let pem = rcgen::KeyPair::generate().unwrap().serialize_pem();
        Self { id, key: EncodingKey::from_ec_pem(pem.as_bytes()).unwrap() }
    }

    pub(crate) fn jwk(&self) -> Value {
        let mut jwk = Jwk::from_encoding_key(&self.key, Algorithm::ES256).unwrap();
        jwk.common.key_id = Some(self.id.to_owned());
        serde_json::to_value(jwk).unwrap()
    }

    /// A token with these claims in the form of `Authorization`.
    pub(crate) fn bearer_token(&self, claims: &Value) -> String {
        let mut header = Header::new(Algorithm::ES256);
        header.kid = Some(self.id.to_owned());
        format!("Bearer {}", encode(&header, claims, &self.key).unwrap())
    }
}

/// Valid claims, with `more` replacing some of them.
pub(crate) fn claims(issuer: &str, more: &Value) -> Value {
    let now = jsonwebtoken::get_current_timestamp();
    let mut claims =
        json!({"iss": issuer, "aud": "callgate", "sub": "kim", "exp": now + 300, "tier": "gold"});
    for (name, value) in more.as_object().unwrap() {
        claims[name] = value.clone();
    }
    claims
}

/// An issuer that works without a network.
#[derive(Debug, Default)]
pub(crate) struct Published {
    keys: Mutex<Option<Value>>,
    n_asked: AtomicUsize,
}

impl Published {
    pub(crate) fn publish(&self, signers: &[&Signer]) {
        let keys: Vec<_> = signers.iter().map(|signer| signer.jwk()).collect();
        *self.keys.lock().unwrap() = Some(json!({"keys": keys}));
    }

    pub(crate) fn stop_answering(&self) {
        *self.keys.lock().unwrap() = None;
    }

    /// The number of requests for its keys.
    pub(crate) fn key_request_count(&self) -> usize {
        self.n_asked.load(Ordering::SeqCst)
    }

    fn answer(&self, path: &str) -> Result<Value, StatusCode> {
        if path == "/.well-known/openid-configuration" {
            return Ok(json!({"issuer": ISSUER, "jwks_uri": format!("{ISSUER}/keys")}));
        }
        self.n_asked.fetch_add(1, Ordering::SeqCst);
        self.keys.lock().unwrap().clone().ok_or(StatusCode::BAD_GATEWAY)
    }
}

#[async_trait]
impl Transport for Published {
    async fn send(&self, request: Request<Bytes>, _: &Limits) -> Result<Response<Bytes>, Error> {
        let mut response = Response::new(Bytes::new());
        match self.answer(request.uri().path()) {
            Ok(body) => *response.body_mut() = body.to_string().into(),
            Err(status) => *response.status_mut() = status,
        }
        Ok(response)
    }
}

/// The issuer's name.
pub(crate) const ISSUER: &str = "https://idp.example";
