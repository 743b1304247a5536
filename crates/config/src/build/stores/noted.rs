//! Tells the operator what a store did to a secret when it read it, once for each: a warning in the log, with the
//! secret's reference. The secret is passed on as it is.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, PoisonError},
};

use async_trait::async_trait;
use callgate_secret::{Error, Secret, SecretReference, SecretStore};

/// Another store whose notes are told.
#[derive(Debug)]
pub(super) struct Noted {
    inner: Arc<dyn SecretStore>,
    told: Mutex<BTreeSet<String>>,
}

impl Noted {
    pub(super) fn new(inner: Arc<dyn SecretStore>) -> Self {
        Self { inner, told: Mutex::default() }
    }
}

#[async_trait]
impl SecretStore for Noted {
    async fn get(&self, reference: &SecretReference) -> Result<Secret, Error> {
        let secret = self.inner.get(reference).await;
        tracing::debug!(%reference, is_there = secret.is_ok(), "a secret was asked for");
        let secret = secret?;
        if let Some(note) = secret.note() {
            let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
            if told.insert(reference.to_string()) {
                tracing::warn!(%reference, "{note}");
            }
        }
        Ok(secret)
    }

    fn forget(&self, reference: &SecretReference, rejected: &Secret) {
        self.inner.forget(reference, rejected);
    }
}
