//! The I/O of the search for keys: variables and files through the local stores, endpoints over the transport.

use std::sync::Arc;

use callgate_secret::{Error, ErrorKind, Secret, SecretStore};
use callgate_transport::Transport;

#[derive(Debug)]
pub(super) struct Finder {
    pub(super) local: Arc<dyn SecretStore>,
    pub(super) transport: Arc<dyn Transport>,
}

impl Finder {
    /// The value of an environment variable; `None` if it is unset or empty.
    pub(super) async fn read_nonempty_variable(&self, name: &str) -> Result<Option<Secret>, Error> {
        self.read_optional_secret(&format!("env:{name}")).await
    }

    pub(super) async fn read_optional_secret(
        &self,
        reference: &str,
    ) -> Result<Option<Secret>, Error> {
        match self.local.get(&reference.parse()?).await {
            Ok(secret) => Ok(Some(secret)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) if error.kind() == ErrorKind::Invalid && reference.starts_with("env:") => {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }
}
