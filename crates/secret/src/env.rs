//! Secrets in environment variables. Only this module of the crate reads the environment; it never writes it.

use std::env::{self, VarError};

use async_trait::async_trait;

use crate::{
    error::{self, Error},
    reference::SecretReference,
    secret::Secret,
    store::SecretStore,
};

/// Reads `env:NAME` at each call, so that no value is kept longer than a call needs it.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct EnvStore;

impl EnvStore {
    /// A store over the environment of this process.
    pub fn new() -> Self {
        Self
    }
}

#[async_trait]
impl SecretStore for EnvStore {
    async fn get(&self, reference: &SecretReference) -> Result<Secret, Error> {
        let SecretReference::Env { name } = reference else {
            return Err(error::other_store("environment", reference.scheme()));
        };
        #[expect(clippy::disallowed_methods, reason = "this is the one place that reads secrets")]
        let value = env::var(name);
        match value {
            Ok(value) if value.is_empty() => Err(error::empty(reference)),
            Ok(value) => Ok(Secret::new(value)),
            Err(VarError::NotPresent) => Err(error::unset_variable(name)),
            // The variant holds the value, so it is not kept as the source.
            Err(VarError::NotUnicode(_)) => Err(error::not_text(reference)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;

    #[tokio::test]
    async fn the_value_of_an_environment_variable_is_read() {
        // Cargo sets this variable for every test; writing the environment is forbidden.
        let reference = "env:CARGO_PKG_NAME".parse().unwrap();
        let secret = EnvStore::new().get(&reference).await.unwrap();
        assert_eq!(secret.expose(), "callgate-secret");
    }

    #[tokio::test]
    async fn an_unset_environment_variable_is_reported_by_name() {
        let reference = "env:CALLGATE_TEST_UNSET".parse().unwrap();
        let error = EnvStore::new().get(&reference).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound);
        assert!(error.to_string().contains("CALLGATE_TEST_UNSET"), "{error}");
    }

    #[tokio::test]
    async fn a_reference_of_another_scheme_is_refused_by_the_environment() {
        let reference = "file:key".parse().unwrap();
        let error = EnvStore::new().get(&reference).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported);
    }
}
