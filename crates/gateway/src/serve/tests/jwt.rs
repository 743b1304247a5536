//! Tests tokens of an issuer (JWT): a real one on this machine that publishes its keys, changes them, and is sometimes down.

use super::*;
use std::sync::atomic::{AtomicUsize, Ordering};

use http::StatusCode;
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};

use crate::test_issuer::claims;

/// An issuer.
pub(super) struct Idp {
    pub(super) issuer: String,
    published: Arc<Mutex<Option<Value>>>,
    n_asked: Arc<AtomicUsize>,
}

impl Idp {
    pub(super) async fn start(signers: &[&Signer]) -> Self {
        let published = Arc::new(Mutex::new(None));
        let (n_asked, issuer) =
            (Arc::new(AtomicUsize::new(0)), Arc::new(Mutex::new(String::new())));
        let (keys, asked, name) =
            (Arc::clone(&published), Arc::clone(&n_asked), Arc::clone(&issuer));
        let metadata = move || {
            let issuer = name.lock().unwrap().clone();
            async move { json!({"issuer": issuer, "jwks_uri": format!("{issuer}/keys")}).to_string() }
        };
        let keys = move || {
            asked.fetch_add(1, Ordering::SeqCst);
            let keys: Option<Value> = keys.lock().unwrap().clone();
            async move { keys.map(|keys| keys.to_string()).ok_or(StatusCode::BAD_GATEWAY) }
        };
        let router = Router::new()
            .route("/.well-known/openid-configuration", routing::get(metadata))
            .route("/keys", routing::get(keys));
        let address = format!("http://{}", service(router).await);
        issuer.lock().unwrap().clone_from(&address);
        let idp = Self { issuer: address, published, n_asked };
        idp.publish(signers);
        idp
    }

    fn publish(&self, signers: &[&Signer]) {
        let keys: Vec<_> = signers.iter().map(|signer| signer.jwk()).collect();
        *self.published.lock().unwrap() = Some(json!({"keys": keys}));
    }

    pub(super) fn claims(&self, more: &Value) -> Value {
        claims(&self.issuer, more)
    }

    fn access(&self) -> String {
        let issuer = &self.issuer;
        format!("{}access: {{jwt: [{{issuer: '{issuer}', audience: callgate}}]}}\n", nothing())
    }

    fn asked(&self) -> usize {
        self.n_asked.load(Ordering::SeqCst)
    }
}

async fn status(sidecar: &Sidecar, token: &str) -> u16 {
    sidecar.status("/v1/tools", &[("authorization", token)]).await
}

#[tokio::test]
async fn only_a_valid_token_of_the_issuer_for_this_audience_is_accepted() {
    let (signer, stranger) = (Signer::new("one"), Signer::new("one"));
    let idp = Idp::start(&[&signer]).await;
    let sidecar = Sidecar::start(&idp.access()).await;
    let now = jsonwebtoken::get_current_timestamp();
    let token = |more: Value| signer.bearer_token(&idp.claims(&more));
    for (more, expected) in [
        (json!({}), 200),
        (json!({"aud": ["other", "callgate"]}), 200),
        (json!({"exp": now - 30}), 200),
        (json!({"exp": now - 90}), 401),
        (json!({"nbf": now + 30}), 200),
        (json!({"nbf": now + 90}), 401),
        (json!({"aud": "other"}), 401),
        (json!({"aud": null}), 401),
        (json!({"exp": null}), 401),
        (json!({"iss": "https://other.example"}), 401),
        (json!({"sub": null}), 401),
        (json!({"sub": ""}), 401),
        (json!({"sub": "a\nb"}), 401),
    ] {
        assert_eq!(status(&sidecar, &token(more.clone())).await, expected, "{more}");
    }
    assert_eq!(status(&sidecar, &stranger.bearer_token(&idp.claims(&json!({})))).await, 401);
    assert_eq!(idp.asked(), 1);
}

#[tokio::test]
async fn a_token_cannot_choose_its_algorithm_or_key() {
    let signer = Signer::new("one");
    let idp = Idp::start(&[&signer]).await;
    let sidecar = Sidecar::start(&idp.access()).await;
    let claims = idp.claims(&json!({}));
    let signed = signer.bearer_token(&claims);
    let parts: Vec<_> = signed.split('.').collect();
    let part = |value: Value| {
        let fake = encode(&Header::default(), &value, &EncodingKey::from_secret(b"x")).unwrap();
        fake.split('.').nth(1).unwrap().to_owned()
    };
    for header in [json!({"alg": "none"}), json!({"alg": "None", "kid": "one"})] {
        let token = format!("Bearer {}.{}.", part(header), parts[1]);
        assert_eq!(status(&sidecar, &token).await, 401);
    }
    // Signs with the public key as the secret of an HMAC.
    let public = signer.jwk()["x"].as_str().unwrap().to_owned();
    let mut header = Header::new(Algorithm::HS256);
    header.kid = Some("one".to_owned());
    let forged = encode(&header, &claims, &EncodingKey::from_secret(public.as_bytes())).unwrap();
    assert_eq!(status(&sidecar, &format!("Bearer {forged}")).await, 401);
    let critical = part(json!({"alg": "ES256", "kid": "one", "crit": ["x"], "x": 1}));
    assert_eq!(
        status(&sidecar, &format!("Bearer {critical}.{}.{}", parts[1], parts[2])).await,
        401
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_tokens_fetch_the_keys_of_their_issuer_once() {
    let signer = Signer::new("one");
    let idp = Idp::start(&[&signer]).await;
    let sidecar = Arc::new(Sidecar::start(&idp.access()).await);
    let token: Arc<str> = signer.bearer_token(&idp.claims(&json!({}))).into();
    let mut calls = tokio::task::JoinSet::new();
    for _ in 0..50 {
        let (sidecar, token) = (Arc::clone(&sidecar), Arc::clone(&token));
        calls.spawn(async move { status(&sidecar, &token).await });
    }
    assert_eq!(calls.join_all().await, [200; 50]);
    assert_eq!(idp.asked(), 1);
    // The known keys survive a reload.
    sidecar.reload().await;
    assert_eq!((status(&sidecar, &token).await, idp.asked()), (200, 1));
}

#[tokio::test]
async fn an_unreachable_issuer_locks_out_only_its_own_principals() {
    let signer = Signer::new("one");
    let idp = Idp::start(&[&signer]).await;
    *idp.published.lock().unwrap() = None;
    let issuer = &idp.issuer;
    let token = "a-token-of-the-agent-0123456789";
    let sidecar = Sidecar::start(&format!(
        "{}access: {{bearer: 'literal:{token}', jwt: [{{issuer: '{issuer}', audience: callgate}}]}}\n",
        nothing()
    ))
    .await;
    let signed = signer.bearer_token(&idp.claims(&json!({})));
    let refused = sidecar.get("/v1/tools", &[("authorization", &signed)]).await;
    assert_eq!(refused.status().as_u16(), 503);
    assert!(refused.headers().contains_key("retry-after"));
    assert!(refused.text().await.unwrap().contains("problem:issuer-unreachable"));
    assert_eq!(status(&sidecar, &signed).await, 503);
    assert_eq!(idp.asked(), 1, "an issuer that is down is left alone for a while");
    assert_eq!(status(&sidecar, &format!("Bearer {token}")).await, 200);
}

#[tokio::test]
async fn issuer_metadata_of_another_issuer_or_with_a_foreign_key_address_is_refused() {
    let signer = Signer::new("one");
    let idp = Idp::start(&[&signer]).await;
    let elsewhere = Idp::start(&[&signer]).await;
    let metadata = json!({"issuer": "x", "jwks_uri": format!("{}/keys", elsewhere.issuer)});
    let path = "/.well-known/openid-configuration";
    let name = Arc::new(Mutex::new(metadata));
    let told = Arc::clone(&name);
    let answers = move || {
        let metadata = told.lock().unwrap().to_string();
        async move { metadata }
    };
    let issuer =
        format!("http://{}", service(Router::new().route(path, routing::get(answers))).await);
    let token = signer.bearer_token(&idp.claims(&json!({"iss": issuer})));
    let access = |more: &str| {
        let jwt = format!("{{issuer: '{issuer}', audience: callgate{more}}}");
        format!("{}access: {{jwt: [{jwt}]}}\n", nothing())
    };
    assert_eq!(status(&Sidecar::start(&access("")).await, &token).await, 503);
    name.lock().unwrap()["issuer"] = json!(issuer);
    assert_eq!(status(&Sidecar::start(&access("")).await, &token).await, 503);
    let listed = access(&format!(", jwks_uri: '{}/keys'", elsewhere.issuer));
    assert_eq!(status(&Sidecar::start(&listed).await, &token).await, 200);
}
