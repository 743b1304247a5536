//! The parts of authenticators besides their settings. Knows no kind of credential.

use std::sync::Arc;

use callgate_secret::SecretStore;
use callgate_store::GrantStore;
use callgate_transport::{Clock, Transport};

/// The environment of authenticators: every kind gets the same and uses what it needs.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AuthContext {
    /// The place where the operator's secrets are.
    pub secrets: Arc<dyn SecretStore>,
    /// The way tokens are asked for.
    pub transport: Arc<dyn Transport>,
    /// The clock by which signatures and assertions are dated.
    pub clock: Clock,
    /// The place where the grants of people who logged in are; without one nobody can log in.
    pub grants: Option<Arc<dyn GrantStore>>,
}

impl AuthContext {
    /// Secrets from `secrets`, tokens over `transport`, the machine's clock.
    pub fn new(secrets: Arc<dyn SecretStore>, transport: Arc<dyn Transport>) -> Self {
        Self { secrets, transport, clock: Clock::default(), grants: None }
    }

    /// The same with another clock.
    #[must_use]
    pub fn with_clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }
    /// The same with grants of people who logged in.
    #[must_use]
    pub fn with_grants(mut self, grants: Option<Arc<dyn GrantStore>>) -> Self {
        self.grants = grants;
        self
    }
}
