//! Tests the store against the documented HTTP responses of a vault.

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use callgate_secret::MemoryStore;
use callgate_testkit::{Received, Service, later};
use callgate_transport::Client;
use serde_json::json;

use super::*;
use crate::VaultLogin;

fn local() -> Arc<dyn SecretStore> {
    let mut store = MemoryStore::new();
    for (reference, value) in [
        ("env:VAULT_TOKEN", "canary-static"),
        ("file:/jwt", "canary-jwt"),
        ("env:ROLE_ID", "canary-role"),
        ("env:SECRET_ID", "canary\"secret"),
    ] {
        store = store.with(&reference.parse().unwrap(), Secret::new(value.to_owned()));
    }
    Arc::new(store)
}

fn store_with(server: &Service, login: VaultLogin, local: Arc<dyn SecretStore>) -> VaultStore {
    let config = VaultConfig {
        address: format!("{}/", server.origin),
        namespace: Some("team".to_owned()),
        login,
    };
    VaultStore::new(config, local, Arc::new(Client::new().unwrap()))
}

fn token() -> VaultLogin {
    VaultLogin::Token("env:VAULT_TOKEN".parse().unwrap())
}

fn kubernetes() -> VaultLogin {
    let (mount, role) = ("kubernetes".to_owned(), "pets".to_owned());
    VaultLogin::Kubernetes { mount, role, jwt: "file:/jwt".parse().unwrap() }
}

fn app_role() -> VaultLogin {
    VaultLogin::AppRole {
        mount: "team/approle".to_owned(),
        role_id: "env:ROLE_ID".parse().unwrap(),
        secret_id: "env:SECRET_ID".parse().unwrap(),
    }
}

async fn get(store: &VaultStore, reference: &str) -> Result<String, (ErrorKind, String)> {
    let secret = store.get(&reference.parse().unwrap()).await;
    secret.map(|secret| secret.expose().to_owned()).map_err(|error| {
        assert!(!format!("{error:?}").contains("canary"), "{error:?}");
        (error.kind(), error.to_string())
    })
}

fn mount(path: &str, kind: &str, version: &str) -> String {
    json!({"data": {"path": path, "type": kind, "options": {"version": version}}}).to_string()
}

fn two(data: &serde_json::Value) -> String {
    json!({"data": {"data": data, "metadata": {"version": 2}}}).to_string()
}

fn answer(asked: &Received) -> (u16, String) {
    let Some(path) = asked.line.strip_prefix("GET /v1/") else { return (405, String::new()) };
    if let Some(path) = path.strip_prefix("sys/internal/ui/mounts/") {
        return match path.split_once('/').unwrap().0 {
            "secret" => (200, mount("secret/", "kv", "2")),
            "old" => (200, mount("old/", "kv", "1")),
            "team" => (200, mount("team/kv/", "kv", "2")),
            "database" => (200, mount("database/", "database", "")),
            "ancient" => (404, r#"{"errors":[]}"#.to_owned()),
            _ => (403, r#"{"errors":["preflight capability check returned 403"]}"#.to_owned()),
        };
    }
    let pets = json!({"key": "k\n", "port": 5432, "list": [], "empty": ""});
    match path {
        "secret/data/pets" | "team/kv/data/a/pets" => (200, two(&pets)),
        "secret/data/pets?version=1" => (200, two(&json!({"key": "first"}))),
        "secret/data/100%25/gr%C3%BCn" => (200, two(&json!({"key": "encoded"}))),
        "old/pets" | "ancient/pets" => (200, json!({"data": pets}).to_string()),
        "secret/data/deleted" => {
            let metadata = json!({"deletion_time": "2026-01-01T00:00:00Z", "destroyed": false});
            (404, json!({"data": {"data": null, "metadata": metadata}}).to_string())
        }
        "secret/data/html" => (200, "<html>canary".to_owned()),
        "secret/data/sealed" => (503, r#"{"errors":["Vault is sealed"]}"#.to_owned()),
        "secret/data/standby" => (307, String::new()),
        "secret/data/busy" => (429, String::new()),
        "secret/data/broken" => (502, "canary".to_owned()),
        "secret/data/denied" => (403, r#"{"errors":["permission denied"]}"#.to_owned()),
        "auth/token/lookup-self" => (403, String::new()),
        _ => (404, r#"{"errors":[]}"#.to_owned()),
    }
}

#[tokio::test]
async fn a_key_is_read_from_both_versions_of_the_engine() {
    let server = Service::start(answer).await;
    let store = store_with(&server, token(), local());
    for (reference, expected) in [
        ("vault:secret/pets#key", "k"),
        ("vault:secret/data/pets#key", "k"),
        ("vault:secret/pets#port", "5432"),
        ("vault:secret/pets?version=1#key", "first"),
        ("vault:team/kv/a/pets#key", "k"),
        ("vault:old/pets#key", "k"),
        ("vault:ancient/pets#key", "k"),
    ] {
        assert_eq!(get(&store, reference).await.unwrap(), expected, "{reference}");
    }
    assert_eq!(server.count("GET /v1/sys/internal/ui/mounts/secret/pets"), 1);
    let asked = server.received();
    assert!(asked.iter().all(|asked| asked.header("x-vault-namespace") == "team"));
    assert!(asked.iter().all(|asked| asked.header("x-vault-token") == "canary-static"));
    assert!(asked.iter().all(|asked| asked.header("x-vault-request") == "true"));
}

#[tokio::test]
async fn the_mount_of_a_path_is_requested_by_the_encoded_path() {
    let server = Service::start(answer).await;
    let store = store_with(&server, token(), local());
    let found = get(&store, "vault:secret/100%/gr\u{fc}n#key").await.unwrap();
    assert_eq!(found, "encoded");
    assert_eq!(server.count("GET /v1/sys/internal/ui/mounts/secret/100%25/gr%C3%BCn"), 1);
}

#[tokio::test]
async fn failures_of_vault_have_different_kinds() {
    let server = Service::start(answer).await;
    let store = store_with(&server, token(), local());
    for (reference, kind, words) in [
        ("vault:secret/none#key", ErrorKind::NotFound, "no secret, or deleted it"),
        ("vault:secret/deleted#key", ErrorKind::NotFound, "no secret, or deleted it"),
        ("vault:secret/pets#none", ErrorKind::NotFound, "no such key: `vault:secret/pets#none`"),
        ("vault:secret/pets#list", ErrorKind::Invalid, "must be a text"),
        ("vault:secret/pets#empty", ErrorKind::Invalid, "not empty"),
        ("vault:old/pets?version=1#key", ErrorKind::Invalid, "keeps no versions"),
        ("vault:secret/denied#key", ErrorKind::Denied, "does not let this token read"),
        ("vault:other/pets#key", ErrorKind::Denied, "does not let this token read"),
        ("vault:secret/sealed#key", ErrorKind::Unreadable, "sealed"),
        ("vault:secret/standby#key", ErrorKind::Unreadable, "standby"),
        ("vault:secret/busy#key", ErrorKind::Unreadable, "too many requests"),
        ("vault:secret/broken#key", ErrorKind::Unreadable, "answers 502"),
        ("vault:secret/html#key", ErrorKind::Unreadable, "nothing that can be understood"),
        ("vault:database/creds/role#password", ErrorKind::Unsupported, "engine `database`"),
        ("aws:a", ErrorKind::Unsupported, "no secrets of `aws:`"),
    ] {
        let (found, message) = get(&store, reference).await.unwrap_err();
        assert_eq!(found, kind, "{reference}: {message}");
        assert!(message.contains(words), "{reference}: {message}");
    }
}

#[tokio::test]
async fn an_unreachable_vault_is_reported_as_unreadable() {
    let server = Service::start(answer).await;
    let mut store = store_with(&server, token(), local());
    store.server = Server::new("http://127.0.0.1:1", None, Arc::new(Client::new().unwrap()));
    let (kind, message) = get(&store, "vault:secret/pets#key").await.unwrap_err();
    assert_eq!(kind, ErrorKind::Unreadable);
    assert!(message.contains("the vault cannot be reached"), "{message}");
}

/// A vault whose logins return tokens `t1`, `t2` … that live one hour; it accepts only the last.
async fn logging_in(line: &'static str, body: &'static str) -> (Service, Arc<AtomicUsize>) {
    let logins = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&logins);
    let server = Service::start(move |asked| {
        if asked.line == line {
            if asked.body != body {
                return (400, r#"{"errors":["invalid role or secret ID"]}"#.to_owned());
            }
            let number = counted.fetch_add(1, Ordering::SeqCst) + 1;
            let auth = json!({"client_token": format!("t{number}"), "lease_duration": 3600, "renewable": true});
            return (200, json!({"auth": auth}).to_string());
        }
        let known = format!("t{}", counted.load(Ordering::SeqCst));
        if asked.header("x-vault-token") != known {
            return (403, r#"{"errors":["permission denied"]}"#.to_owned());
        }
        answer(asked)
    })
    .await;
    (server, logins)
}

#[tokio::test]
async fn kubernetes_and_app_role_log_in_once_and_again_on_a_rejected_token() {
    for (login, line, body) in [
        (kubernetes(), "POST /v1/auth/kubernetes/login", r#"{"role":"pets","jwt":"canary-jwt"}"#),
        (
            app_role(),
            "POST /v1/auth/team/approle/login",
            r#"{"role_id":"canary-role","secret_id":"canary\"secret"}"#,
        ),
    ] {
        let (server, logins) = logging_in(line, body).await;
        let store = store_with(&server, login, local());
        for _ in 0..3 {
            assert_eq!(get(&store, "vault:secret/pets#key").await.unwrap(), "k");
        }
        assert_eq!(logins.load(Ordering::SeqCst), 1);
        // The vault forgets the token: it accepts only the next one.
        logins.fetch_add(1, Ordering::SeqCst);
        assert_eq!(get(&store, "vault:secret/pets#key").await.unwrap(), "k");
        assert_eq!(logins.load(Ordering::SeqCst), 3);
    }
}

#[tokio::test]
async fn a_login_to_vault_is_renewed_before_its_token_expires() {
    let (line, body) = ("POST /v1/auth/kubernetes/login", r#"{"role":"pets","jwt":"canary-jwt"}"#);
    let (server, logins) = logging_in(line, body).await;
    let store = store_with(&server, kubernetes(), local());
    get(&store, "vault:secret/pets#key").await.unwrap();
    later(Duration::from_secs(2399)).await;
    get(&store, "vault:secret/pets#key").await.unwrap();
    assert_eq!(logins.load(Ordering::SeqCst), 1);
    later(Duration::from_secs(2)).await;
    get(&store, "vault:secret/pets#key").await.unwrap();
    assert_eq!(logins.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn a_denied_secret_causes_at_most_one_more_login() {
    let (line, body) = ("POST /v1/auth/kubernetes/login", r#"{"role":"pets","jwt":"canary-jwt"}"#);
    let (server, logins) = logging_in(line, body).await;
    let store = store_with(&server, kubernetes(), local());
    for _ in 0..10 {
        let (kind, _) = get(&store, "vault:secret/denied#key").await.unwrap_err();
        assert_eq!(kind, ErrorKind::Denied);
    }
    assert_eq!(logins.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn a_refused_login_is_reported() {
    let (server, _) = logging_in("POST /v1/auth/kubernetes/login", "another").await;
    let store = store_with(&server, kubernetes(), local());
    let (kind, message) = get(&store, "vault:secret/pets#key").await.unwrap_err();
    assert_eq!(kind, ErrorKind::Denied);
    assert!(message.contains("refused the login and answered 400"), "{message}");
}

#[tokio::test]
async fn a_configured_vault_token_is_renewed_before_it_expires() {
    let server = Service::start(|asked| match asked.line.as_str() {
        "GET /v1/auth/token/lookup-self" => {
            (200, json!({"data": {"ttl": 300, "renewable": true}}).to_string())
        }
        "POST /v1/auth/token/renew-self" => {
            (200, json!({"auth": {"client_token": "x", "lease_duration": 300}}).to_string())
        }
        _ => answer(asked),
    })
    .await;
    let store = store_with(&server, token(), local());
    for renewals in 0..3 {
        get(&store, "vault:secret/pets#key").await.unwrap();
        get(&store, "vault:secret/pets#key").await.unwrap();
        assert_eq!(server.count("POST /v1/auth/token/renew-self"), renewals);
        later(Duration::from_secs(201)).await;
    }
    assert_eq!(server.count("GET /v1/auth/token/lookup-self"), 1);
}

#[derive(Debug, Default)]
struct Rotating(AtomicUsize);

#[async_trait]
impl SecretStore for Rotating {
    async fn get(&self, _: &SecretReference) -> Result<Secret, Error> {
        Ok(Secret::new(format!("t{}", self.0.fetch_add(1, Ordering::SeqCst))))
    }
}

#[tokio::test]
async fn a_rejected_vault_token_is_read_again() {
    let server = Service::start(|asked| match asked.header("x-vault-token") {
        "t1" => answer(asked),
        _ => (403, String::new()),
    })
    .await;
    let store = store_with(&server, token(), Arc::new(Rotating::default()));
    assert_eq!(get(&store, "vault:secret/pets#key").await.unwrap(), "k");
}
