//! What authenticators are made of besides their settings. Knows no kind of credential.

use std::sync::Arc;

use callgate_secret::SecretStore;
use callgate_transport::Transport;

/// What authenticators take from outside: every kind gets the same and uses what it needs.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Supplies {
    /// Where the operator's secrets are.
    pub secrets: Arc<dyn SecretStore>,
    /// How tokens are asked for.
    pub transport: Arc<dyn Transport>,
}

impl Supplies {
    /// Secrets from `secrets`, tokens over `transport`.
    pub fn new(secrets: Arc<dyn SecretStore>, transport: Arc<dyn Transport>) -> Self {
        Self { secrets, transport }
    }
}
