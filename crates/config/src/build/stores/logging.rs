//! Reports to the operator the notes that a store made while it read a secret, once for each: a warning in the log,
//! with the secret's reference. The secret itself is unchanged.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, PoisonError},
};

use async_trait::async_trait;
use callgate_secret::{Error, Secret, SecretReference, SecretStore};

/// A store whose notes are logged, each once.
#[derive(Debug)]
pub(super) struct LoggingStore {
    inner: Arc<dyn SecretStore>,
    logged: Mutex<BTreeSet<String>>,
}

impl LoggingStore {
    pub(super) fn new(inner: Arc<dyn SecretStore>) -> Self {
        Self { inner, logged: Mutex::default() }
    }
}

#[async_trait]
impl SecretStore for LoggingStore {
    async fn get(&self, reference: &SecretReference) -> Result<Secret, Error> {
        let secret = self.inner.get(reference).await;
        tracing::debug!(%reference, is_there = secret.is_ok(), "a secret was asked for");
        let secret = secret?;
        if let Some(note) = secret.note() {
            let mut logged = self.logged.lock().unwrap_or_else(PoisonError::into_inner);
            if logged.insert(reference.to_string()) {
                tracing::warn!(%reference, "{note}");
            }
        }
        Ok(secret)
    }

    fn forget(&self, reference: &SecretReference, rejected: &Secret) {
        self.inner.forget(reference, rejected);
    }
}
