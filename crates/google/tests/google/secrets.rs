//! Secrets are read with the tokens of an account.

use std::sync::Arc;

use callgate_google::{Account, SecretManager};
use callgate_secret::{ErrorKind, SecretStore};

use crate::server::{Google, rest};

fn store(google: &Google) -> SecretManager {
    SecretManager::new(Arc::new(google.tokens(Account::Machine)), rest(), google.endpoints())
}

#[tokio::test]
async fn a_version_is_read_with_the_accounts_token() {
    let google = Google::start().await;
    let store = store(&google);
    for resource in ["projects/p/secrets/key", "projects/p/locations/europe-west1/secrets/key"] {
        let reference = format!("gcp:{resource}/versions/latest").parse().unwrap();
        let secret = store.get(&reference).await.unwrap();
        assert_eq!(secret.expose(), "123456789");
        assert!(secret.note().is_some(), "the line break at the end is told");
        let asked = google.asked().pop().unwrap();
        assert_eq!(asked.line, format!("GET /v1/{resource}/versions/latest:access"));
        assert_eq!(asked.header("authorization"), "Bearer machine");
    }
}

#[tokio::test]
async fn a_token_that_is_refused_is_replaced_once() {
    let google = Google::start().await;
    let store = store(&google);
    let reference = "gcp:projects/p/secrets/key/versions/latest".parse().unwrap();
    store.get(&reference).await.unwrap();
    google.refuse_next(&[401]);
    store.get(&reference).await.unwrap();
    let count = google.asked().len();
    // The newest refusal comes first: secret, metadata server's token untouched, secret.
    google.refuse_next(&[401]);
    store.get(&reference).await.unwrap();
    assert_eq!(google.asked().len(), count + 3);
}

#[tokio::test]
async fn missing_and_unavailable_secrets_are_different_errors() {
    let google = Google::start().await;
    let store = store(&google);
    let other = "gcp:projects/p/secrets/other/versions/1".parse().unwrap();
    let error = store.get(&other).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert!(error.to_string().contains("404, NOT_FOUND"), "{error}");
    let key = "gcp:projects/p/secrets/key/versions/latest".parse().unwrap();
    google.refuse_next(&[503]);
    let error = store.get(&key).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unreadable);
    assert!(error.is_transient() && !error.to_string().contains("canary"), "{error}");
    let error = store.get(&"env:HOME".parse().unwrap()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
}
