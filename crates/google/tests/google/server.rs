//! A server that speaks for all of Google's: token endpoint, metadata server, IAM Credentials, Secret Manager and Service
//! Directory. What it was asked is kept.

use std::{
    sync::{Arc, Mutex},
    time::{SystemTime, UNIX_EPOCH},
};

use base64::{
    Engine,
    prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD},
};
use callgate_google::{Account, Endpoints, Identity, Impersonation, Rest, Tokens};
use callgate_secret::{LocalStores, SecretReference};
use callgate_testkit::{Received, Service};
use callgate_transport::Client;
use rcgen::{KeyPair, PKCS_RSA_SHA256};
use serde_json::{Value, json};

/// The server.
#[derive(Clone, Debug)]
pub(crate) struct Google {
    pub(crate) service: Service,
    /// Statuses to refuse the next requests with.
    refusals: Arc<Mutex<Vec<u16>>>,
}

impl Google {
    pub(crate) async fn start() -> Self {
        let refusals = Arc::<Mutex<Vec<_>>>::default();
        let next = Arc::clone(&refusals);
        let service = Service::start(move |request| answer(request, next.lock().unwrap().pop()));
        Self { service: service.await, refusals }
    }

    pub(crate) fn refuse_next(&self, statuses: &[u16]) {
        self.refusals.lock().unwrap().extend(statuses);
    }

    pub(crate) fn asked(&self) -> Vec<Received> {
        self.service.received()
    }

    pub(crate) fn endpoints(&self) -> Endpoints {
        let url = self.service.origin.parse().ok();
        Endpoints {
            iam_credentials: url.clone(),
            metadata: url.clone(),
            secret_manager: url.clone(),
            service_directory: url,
            token: self.service.url("/token").parse().ok(),
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

fn answer(request: &Received, refusal: Option<u16>) -> (u16, String) {
    if let Some(status) = refusal {
        let body = json!({"error": {"status": "UNAUTHENTICATED", "message": "canary"}});
        return (status, body.to_string());
    }
    match granted(request) {
        Some(granted) => (200, granted.to_string()),
        None => (404, json!({"error": {"status": "NOT_FOUND"}}).to_string()),
    }
}

fn granted(request: &Received) -> Option<Value> {
    let is_metadata = request.header("metadata-flavor") == "Google";
    let (path, query) = request.line.split_once('?').unwrap_or((&request.line, ""));
    let audience = query.split('&').find_map(|pair| pair.strip_prefix("audience="));
    let token =
        |name: &str| json!({"access_token": name, "expires_in": 3600, "token_type": "Bearer"});
    let json: Value = serde_json::from_str(&request.body).unwrap_or_default();
    let is_token = path.ends_with(" /token");
    Some(match path.rsplit('/').next()? {
        "token" if is_metadata && path.ends_with("/default/token") => token("machine"),
        "identity" if is_metadata => jwt(audience?).into(),
        "token" if is_token && request.body.contains("grant-type%3Ajwt-bearer") => {
            json!({"id_token": jwt("exchanged")})
        }
        "token" if is_token => token("user"),
        name if name.ends_with(":generateAccessToken") => {
            json!({"accessToken": "other", "expireTime": "2999-01-01T00:00:00Z"})
        }
        name if name.ends_with(":generateIdToken") => {
            json!({"token": jwt(json["audience"].as_str()?)})
        }
        "latest:access" if path.ends_with("/secrets/key/versions/latest:access") => {
            let data = BASE64_STANDARD.encode("123456789\n");
            json!({"name": "projects/1/secrets/key/versions/3", "payload": {"data": data}})
        }
        "pets:resolve" => {
            json!({"service": {"endpoints": [{"address": "10.0.0.5", "port": 443}]}})
        }
        _ => return None,
    })
}
