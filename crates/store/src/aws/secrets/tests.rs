//! Tests the store against the documented responses of `GetSecretValue`.

use callgate_secret::MemoryStore;
use callgate_testkit::{Received, Service};
use callgate_transport::Client;

use super::*;
use crate::aws::{KeySource, NamedKeys};

fn store(server: &Service, local: MemoryStore) -> SecretsManagerStore {
    let transport: Arc<dyn Transport> = Arc::new(Client::new().unwrap());
    let named = KeySource::Named(Box::new(NamedKeys {
        access_key_id: "literal:AKID".parse().unwrap(),
        secret_access_key: "env:KEY".parse().unwrap(),
        session_token: None,
    }));
    let keys = AwsKeySource::new(named, Arc::new(local), Arc::clone(&transport));
    let config = SecretsManagerConfig {
        region: "eu-west-1".to_owned(),
        endpoint: Some(server.origin.clone()),
    };
    SecretsManagerStore::new(config, keys, transport)
}

fn local() -> MemoryStore {
    MemoryStore::new().with(&"env:KEY".parse().unwrap(), Secret::new("canary-key".to_owned()))
}

async fn get(store: &SecretsManagerStore, reference: &str) -> Result<String, (ErrorKind, String)> {
    let secret = store.get(&reference.parse().unwrap()).await;
    secret.map(|secret| secret.expose().to_owned()).map_err(|error| {
        assert!(!format!("{error:?}").contains("canary"), "{error:?}");
        (error.kind(), error.to_string())
    })
}

fn answer(asked: &Received) -> (u16, String) {
    let failed = |name: &str| (400, format!(r#"{{"__type":"{name}","message":"canary"}}"#));
    let found = |value: Value| (200, json!({"Name": "n", "SecretString": value}).to_string());
    let Ok(body) = serde_json::from_str::<Value>(&asked.body) else { return (400, String::new()) };
    match body["SecretId"].as_str().unwrap_or_default() {
        "plain" => found(json!("abc\n")),
        "json" => found(json!(r#"{"key": "k", "port": 5432, "empty": "", "list": []}"#)),
        "stage" => found(body["VersionStage"].clone()),
        "id" => found(body["VersionId"].clone()),
        "binary" => (200, json!({"SecretBinary": "Y2FuYXJ5"}).to_string()),
        "html" => (200, "<html>canary".to_owned()),
        "gone" => failed("ResourceNotFoundException"),
        "deleted" => failed("com.amazonaws.secretsmanager#InvalidRequestException"),
        "denied" => failed("AccessDeniedException"),
        "unsigned" => failed("InvalidSignatureException"),
        "slow" => failed("ThrottlingException"),
        "forbidden" => (403, "<ErrorResponse>canary</ErrorResponse>".to_owned()),
        arn if arn.starts_with("arn:") => found(json!(asked.header("authorization"))),
        _ => (500, String::new()),
    }
}

#[tokio::test]
async fn a_secret_is_found_whole_and_by_key() {
    let server = Service::start(answer).await;
    let store = store(&server, local());
    for (reference, expected) in [
        ("aws:plain", "abc"),
        ("aws:json#key", "k"),
        ("aws:json#port", "5432"),
        ("aws:stage?version_stage=AWSPREVIOUS", "AWSPREVIOUS"),
        ("aws:id?version_id=abc-1", "abc-1"),
    ] {
        assert_eq!(get(&store, reference).await.unwrap(), expected, "{reference}");
    }
    let noted = store.get(&"aws:plain".parse().unwrap()).await.unwrap();
    assert!(noted.note().is_some());
    let asked = &server.received()[0];
    assert_eq!(asked.header("x-amz-target"), "secretsmanager.GetSecretValue");
    let signature = asked.header("authorization");
    assert!(signature.contains("/eu-west-1/secretsmanager/aws4_request, SignedHeaders=content-type;host;x-amz-date;x-amz-target,"), "{signature}");
}

#[tokio::test]
async fn a_secret_is_read_in_the_region_of_its_arn() {
    let server = Service::start(answer).await;
    let arn = "aws:arn:aws:secretsmanager:us-gov-west-1:123456789012:secret:pets-a1B2c3";
    let signature = get(&store(&server, local()), arn).await.unwrap();
    assert!(signature.contains("/us-gov-west-1/secretsmanager/"), "{signature}");
}

#[tokio::test]
async fn failures_of_aws_have_different_kinds() {
    let server = Service::start(answer).await;
    let store = store(&server, local());
    for (reference, kind, words) in [
        ("aws:gone", ErrorKind::NotFound, "no such secret or version: `aws:gone`"),
        ("aws:deleted", ErrorKind::NotFound, "to be deleted"),
        ("aws:json#none", ErrorKind::NotFound, "no such key: `aws:json#none`"),
        ("aws:json#empty", ErrorKind::Invalid, "empty"),
        ("aws:json#list", ErrorKind::Invalid, "must hold a text"),
        ("aws:plain#key", ErrorKind::Invalid, "no JSON object"),
        ("aws:binary", ErrorKind::Invalid, "binary"),
        ("aws:denied", ErrorKind::Denied, "may not read"),
        ("aws:unsigned", ErrorKind::Denied, "rejected the keys"),
        ("aws:forbidden", ErrorKind::Denied, "answers 403 to: `aws:forbidden`"),
        ("aws:slow", ErrorKind::Unreadable, "answers 400"),
        ("aws:html", ErrorKind::Unreadable, "cannot be understood"),
        ("aws:down", ErrorKind::Unreadable, "answers 500"),
        ("vault:a/b#c", ErrorKind::Unsupported, "holds no secrets of `vault:`"),
    ] {
        let (found, message) = get(&store, reference).await.unwrap_err();
        assert_eq!(found, kind, "{reference}: {message}");
        assert!(message.contains(words), "{reference}: {message}");
    }
    // Keys that are unchanged when they are read again are not retried.
    let unsigned = |asked: &&Received| asked.body.contains("unsigned");
    assert_eq!(server.received().iter().filter(unsigned).count(), 1);
}

#[tokio::test]
async fn missing_keys_send_nothing_and_a_closed_port_is_unavailable() {
    let server = Service::start(answer).await;
    let error = get(&store(&server, MemoryStore::new()), "aws:plain").await.unwrap_err();
    assert_eq!(error.0, ErrorKind::NotFound);
    assert!(server.received().is_empty());
    let mut closed = store(&server, local());
    closed.config.endpoint = Some("http://127.0.0.1:1".to_owned());
    let (kind, message) = get(&closed, "aws:plain").await.unwrap_err();
    assert_eq!(kind, ErrorKind::Unreadable);
    assert!(message.contains("AWS Secrets Manager cannot be reached"), "{message}");
}
