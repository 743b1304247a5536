//! The parts of authenticators besides their settings. Knows no kind of credential.

use std::sync::Arc;

use callgate_secret::SecretStore;
use callgate_transport::{Clock, Transport};

/// What authenticators take from outside: every kind gets the same and uses what it needs.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Supplies {
    /// The place where the operator's secrets are.
    pub secrets: Arc<dyn SecretStore>,
    /// The way tokens are asked for.
    pub transport: Arc<dyn Transport>,
    /// The clock by which signatures and assertions are dated.
    pub clock: Clock,
}

impl Supplies {
    /// Secrets from `secrets`, tokens over `transport`, the machine's clock.
    pub fn new(secrets: Arc<dyn SecretStore>, transport: Arc<dyn Transport>) -> Self {
        Self { secrets, transport, clock: Clock::default() }
    }

    /// The same with another clock.
    #[must_use]
    pub fn with_clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }
}
