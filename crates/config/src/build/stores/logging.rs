//! Reports to the operator the reads of a store, as a metric, and the notes that it made while it read a secret, once for
//! each: a warning in the log, with the secret's reference. The secret itself is unchanged.

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
        // The load reports literals; one that is a name, as that of a client, is no secret.
        let is_short = secret.is_too_short_to_mask() && !reference.is_literal();
        let short = is_short.then_some(UNMASKED);
        if let Some(note) = secret.note().or(short) {
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

/// A store whose reads are counted.
#[derive(Debug)]
pub(super) struct CountingStore(pub(super) Arc<dyn SecretStore>);

#[async_trait]
impl SecretStore for CountingStore {
    async fn get(&self, reference: &SecretReference) -> Result<Secret, Error> {
        let secret = self.0.get(reference).await;
        let outcome = if secret.is_ok() { "given" } else { "failed" };
        let labels = [("store", reference.scheme().to_owned()), ("outcome", outcome.to_owned())];
        metrics::counter!("callgate_secret_reads_total", &labels).increment(1);
        secret
    }

    fn forget(&self, reference: &SecretReference, rejected: &Secret) {
        self.0.forget(reference, rejected);
    }
}

/// The note about a secret that [`Masker`](callgate_secret::Masker) leaves in answers.
const UNMASKED: &str =
    "the secret has fewer than 4 characters: it is not masked where a service answers with it";
