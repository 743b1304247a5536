//! A server that speaks for all of Google's: token endpoint, metadata server, IAM Credentials, Secret Manager and Service
//! Directory. What it was asked is kept.

use std::{
    sync::{Arc, Mutex},
    time::{SystemTime, UNIX_EPOCH},
};

use axum::{
    Router,
    body::Bytes,
    extract::State,
    http::{HeaderMap, Method, StatusCode, Uri},
};
use base64::{
    Engine,
    prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD},
};
use callgate_google::{Account, Endpoints, Identity, Impersonation, Rest, Tokens};
use callgate_secret::{LocalStores, SecretReference};
use callgate_transport::Client;
use rcgen::{KeyPair, PKCS_RSA_SHA256};
use serde_json::{Value, json};
use tokio::net::TcpListener;

/// One request as it came.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) line: String,
    pub(crate) authorization: String,
    pub(crate) body: String,
}

/// The server.
#[derive(Clone, Debug)]
pub(crate) struct Google {
    pub(crate) origin: String,
    asked: Arc<Mutex<Vec<Asked>>>,
    /// Statuses to refuse the next requests with.
    refusals: Arc<Mutex<Vec<u16>>>,
}

impl Google {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        let google = Self { origin, asked: Arc::default(), refusals: Arc::default() };
        let routes = Router::new().fallback(answer).with_state(google.clone());
        tokio::spawn(async move { axum::serve(listener, routes).await });
        google
    }

    pub(crate) fn refuse_next(&self, statuses: &[u16]) {
        self.refusals.lock().unwrap().extend(statuses);
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }

    pub(crate) fn endpoints(&self) -> Endpoints {
        let url = self.origin.parse().ok();
        Endpoints {
            iam_credentials: url.clone(),
            metadata: url.clone(),
            secret_manager: url.clone(),
            service_directory: url,
            token: format!("{}/token", self.origin).parse().ok(),
        }
    }

    pub(crate) fn tokens(&self, account: Account) -> Tokens {
        self.tokens_of(account, None)
    }

    pub(crate) fn tokens_of(
        &self,
        account: Account,
        impersonation: Option<Impersonation>,
    ) -> Tokens {
        let identity = Identity { account, impersonation, endpoints: self.endpoints() };
        Tokens::new(identity, rest(), Arc::new(LocalStores::new(".")))
    }
}

pub(crate) fn rest() -> Rest {
    Rest::new(Arc::new(Client::new().unwrap()))
}

/// A key of a service account that was never anybody's, with the public part as PEM.
pub(crate) fn key() -> (Account, String) {
    let pair = KeyPair::generate_for(&PKCS_RSA_SHA256).unwrap();
    let json = json!({
        "type": "service_account", "client_email": "pets@p.iam.gserviceaccount.com",
        "private_key": pair.serialize_pem(), "private_key_id": "k1", "project_id": "p",
        "token_uri": "https://oauth2.googleapis.com/token",
    });
    let reference: SecretReference = format!("literal:{json}").parse().unwrap();
    (Account::Key(reference), pair.public_key_pem())
}

/// A token that says who it is for and when it ends.
pub(crate) fn jwt(audience: &str) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let part = |json: Value| BASE64_URL_SAFE_NO_PAD.encode(json.to_string());
    let claims = json!({"aud": audience, "exp": now + 3600, "iat": now});
    format!("{}.{}.c2ln", part(json!({"alg": "RS256"})), part(claims))
}

async fn answer(
    State(google): State<Google>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> (StatusCode, String) {
    let authorization =
        headers.get("authorization").map(|value| value.to_str().unwrap().to_owned());
    let body = String::from_utf8(body.to_vec()).unwrap();
    google.asked.lock().unwrap().push(Asked {
        line: format!("{method} {uri}"),
        authorization: authorization.unwrap_or_default(),
        body: body.clone(),
    });
    let refusal = google.refusals.lock().unwrap().pop();
    if let Some(status) = refusal {
        let status = StatusCode::from_u16(status).unwrap();
        let body = json!({"error": {"status": "UNAUTHENTICATED", "message": "canary"}});
        return (status, body.to_string());
    }
    match granted(&uri, &headers, &body) {
        Some(text) => (StatusCode::OK, text),
        None => (StatusCode::NOT_FOUND, json!({"error": {"status": "NOT_FOUND"}}).to_string()),
    }
}

fn granted(uri: &Uri, headers: &HeaderMap, body: &str) -> Option<String> {
    let is_metadata = headers.get("metadata-flavor").is_some_and(|value| value == "Google");
    let query = uri.query().unwrap_or_default();
    let audience = query.split('&').find_map(|pair| pair.strip_prefix("audience="));
    let json: Value = serde_json::from_str(body).unwrap_or_default();
    let path = uri.path();
    if is_metadata && path.ends_with("/default/token") {
        return Some(
            json!({"access_token": "machine", "expires_in": 3600, "token_type": "Bearer"})
                .to_string(),
        );
    }
    if is_metadata && path.ends_with("/default/identity") {
        return Some(jwt(audience?));
    }
    if path == "/token" && body.contains("grant-type%3Ajwt-bearer") {
        return Some(json!({"id_token": jwt("exchanged")}).to_string());
    }
    if path == "/token" {
        return Some(
            json!({"access_token": "user", "expires_in": 3600, "token_type": "Bearer"}).to_string(),
        );
    }
    if path.ends_with(":generateAccessToken") {
        return Some(
            json!({"accessToken": "other", "expireTime": "2999-01-01T00:00:00Z"}).to_string(),
        );
    }
    if path.ends_with(":generateIdToken") {
        return Some(json!({"token": jwt(json["audience"].as_str()?)}).to_string());
    }
    if path.ends_with("/secrets/key/versions/latest:access") {
        let data = BASE64_STANDARD.encode("123456789\n");
        return Some(
            json!({"name": "projects/1/secrets/key/versions/3", "payload": {"data": data}})
                .to_string(),
        );
    }
    if path.ends_with("/services/pets:resolve") {
        return Some(
            json!({"service": {"endpoints": [{"address": "10.0.0.5", "port": 443}]}}).to_string(),
        );
    }
    None
}
