//! What all worlds share: an issuer of tokens, certificates, a service of pets and a model, which wait where a test says so.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{Json, Router, extract::Request, routing};
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode, jwk::Jwk};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair, SanType};
use reqwest::{Client, Identity, tls::Certificate};
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use super::change::Credential;

/// What only the tools of `pets` say.
pub(super) const CANARY: &str = "canary-of-the-service";
/// The bytes of the file before the canary.
pub(super) const LENGTH: usize = 200_000;

pub(super) struct Surroundings {
    pub(super) issuer: String,
    pub(super) pets: String,
    pub(super) model: String,
    pub(super) seen: Arc<Seen>,
    pub(super) authority: Authority,
    signer: EncodingKey,
    plain: Client,
    full: Client,
    half: Client,
}

/// What came to the service and to the model, and the permits for what waits there.
pub(super) struct Seen {
    /// Methods and paths of the service.
    lines: Mutex<Vec<String>>,
    /// Bodies of requests to the model.
    asked: Mutex<Vec<String>>,
    pub(super) slow: Semaphore,
    pub(super) reply: Semaphore,
    pub(super) second_reply: Semaphore,
}

impl Seen {
    pub(super) fn lines(&self) -> Vec<String> {
        self.lines.lock().unwrap().clone()
    }

    pub(super) fn model_requests(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

impl Surroundings {
    pub(super) async fn start() -> Self {
        let pem = KeyPair::generate().unwrap().serialize_pem();
        let signer = EncodingKey::from_ec_pem(pem.as_bytes()).unwrap();
        let seen = Arc::new(Seen {
            lines: Mutex::default(),
            asked: Mutex::default(),
            slow: Semaphore::new(0),
            reply: Semaphore::new(0),
            second_reply: Semaphore::new(0),
        });
        let authority = Authority::new();
        let client = |name: Option<&str>| {
            let ca = Certificate::from_pem(authority.pem.as_bytes()).unwrap();
            let client = Client::builder().no_proxy().tls_certs_only([ca]);
            let Some(name) = name else { return client.build().unwrap() };
            let (certificate, key) = authority.issue(SanType::URI(name.try_into().unwrap()));
            let identity = Identity::from_pem(format!("{certificate}{key}").as_bytes()).unwrap();
            client.identity(identity).build().unwrap()
        };
        Self {
            issuer: issuer(&signer).await,
            pets: pets(Arc::clone(&seen)).await,
            model: model(Arc::clone(&seen)).await,
            plain: client(None),
            full: client(Some("spiffe://a/full")),
            half: client(Some("spiffe://a/half")),
            seen,
            authority,
            signer,
        }
    }

    /// The number of requests to the tools of `pets`.
    pub(super) fn n_sent(&self) -> usize {
        self.seen.lines().iter().filter(|line| !line.contains("/free/")).count()
    }

    /// The client that shows a credential, and the header that it sends.
    pub(super) fn client(&self, credential: Credential) -> (&Client, Option<String>) {
        match credential {
            Credential::Certificate => (&self.full, None),
            Credential::OthersCertificate => (&self.half, None),
            Credential::Jwt => (&self.plain, Some(self.token("s"))),
            Credential::JwtWithoutScope => (&self.plain, Some(self.token(""))),
            Credential::Token => (&self.plain, Some(bearer("full"))),
        }
    }

    fn token(&self, scope: &str) -> String {
        let mut header = Header::new(Algorithm::ES256);
        header.kid = Some("one".to_owned());
        let expires = jsonwebtoken::get_current_timestamp() + 300;
        let claims = json!({"iss": self.issuer, "aud": "callgate", "sub": "kim", "exp": expires, "scope": scope});
        format!("Bearer {}", encode(&header, &claims, &self.signer).unwrap())
    }
}

/// The header of a named principal.
pub(super) fn bearer(name: &str) -> String {
    format!("Bearer a-token-of-{name}-0123456789")
}

/// Waits until something is so.
pub(super) async fn until(what: &str, is_so: impl Fn() -> bool) {
    let waits = async {
        while !is_so() {
            tokio::task::yield_now().await;
        }
    };
    let waited = tokio::time::timeout(Duration::from_secs(20), waits).await;
    assert!(waited.is_ok(), "{what}");
}

async fn issuer(signer: &EncodingKey) -> String {
    let mut jwk = Jwk::from_encoding_key(signer, Algorithm::ES256).unwrap();
    jwk.common.key_id = Some("one".to_owned());
    let name = Arc::new(Mutex::new(String::new()));
    let known = Arc::clone(&name);
    let metadata = move || {
        let issuer = known.lock().unwrap().clone();
        async move { Json(json!({"issuer": issuer, "jwks_uri": format!("{issuer}/keys")})) }
    };
    let keys = move || async move { Json(json!({"keys": [jwk]})) };
    let routes = Router::new()
        .route("/.well-known/openid-configuration", routing::get(metadata))
        .route("/keys", routing::get(keys));
    let origin = callgate_testkit::serve(routes).await;
    name.lock().unwrap().clone_from(&origin);
    origin
}

/// A service whose tools are also there under `/free`, where they say nothing of note.
async fn pets(seen: Arc<Seen>) -> String {
    let answer = move |request: Request| {
        let seen = Arc::clone(&seen);
        async move {
            let line = format!("{} {}", request.method(), request.uri().path());
            seen.lines.lock().unwrap().push(line.clone());
            if line == "GET /slow" {
                seen.slow.acquire().await.unwrap().forget();
                return Json(json!({"said": "slow"}));
            }
            let body = axum::body::to_bytes(request.into_body(), usize::MAX).await.unwrap();
            let is_sent = String::from_utf8_lossy(&body).contains(CANARY);
            let said = if is_sent || !line.contains("/free/") { CANARY } else { "free" };
            // A result that is longer than what a model gets is kept whole.
            let n_more = if line == "GET /file" { LENGTH / 10 } else { 0 };
            Json(json!({"more": "0123456789".repeat(n_more), "said": said}))
        }
    };
    callgate_testkit::serve(Router::new().fallback(answer)).await
}

/// A model that does what the last words of the user say.
async fn model(seen: Arc<Seen>) -> String {
    let reply = move |body: String| {
        let seen = Arc::clone(&seen);
        async move {
            seen.asked.lock().unwrap().push(body.clone());
            let body: Value = serde_json::from_str(&body).unwrap();
            let messages = body["messages"].as_array().unwrap();
            let at = messages.iter().rposition(|message| message["role"] == "user").unwrap();
            let words = messages[at]["content"].as_str().unwrap();
            let n_results = messages[at..].iter().filter(|it| it["role"] == "tool").count();
            match (words, n_results) {
                ("Wait.", 0) => seen.reply.acquire().await.unwrap().forget(),
                ("Read.", 1) => seen.second_reply.acquire().await.unwrap().forget(),
                _ => {}
            }
            Json(json!({"choices": [{"message": message(words, n_results)}]}))
        }
    };
    callgate_testkit::serve(Router::new().fallback(reply)).await
}

fn message(words: &str, n_results: usize) -> Value {
    let tools: &[&str] = match (words, n_results) {
        ("Add.", 0) => &["pets-list", "pets-add", "pets-list"],
        ("Ask.", 0) => &["pets-ask"],
        ("Key." | "Read." | "Wait.", 0) => &["pets-list"],
        ("Read.", 1) => &["free-list"],
        _ => return json!({"role": "assistant", "content": "Done."}),
    };
    let call = |(at, tool): (usize, &&str)| {
        let function = json!({"name": tool, "arguments": "{}"});
        json!({"id": format!("c{}-{}", n_results, at + 1), "type": "function", "function": function})
    };
    let calls: Vec<_> = tools.iter().enumerate().map(call).collect();
    json!({"role": "assistant", "content": null, "tool_calls": calls})
}

/// An authority that issues the certificates of the sidecar and of its callers.
pub(super) struct Authority {
    pub(super) pem: String,
    issuer: Issuer<'static, KeyPair>,
}

impl Authority {
    fn new() -> Self {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let pem = params.self_signed(&key).unwrap().pem();
        Self { pem, issuer: Issuer::new(params, key) }
    }

    /// A certificate and its key.
    pub(super) fn issue(&self, name: SanType) -> (String, String) {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::default();
        params.subject_alt_names = vec![name];
        (params.signed_by(&key, &self.issuer).unwrap().pem(), key.serialize_pem())
    }
}
