//! The services that authenticators use, beside their settings. Knows no kind of credential.

use std::sync::Arc;

use callgate_secret::SecretStore;
use callgate_store::GrantStore;
use callgate_transport::{Clock, Transport};

/// The services for authenticators: every kind gets all of them and uses those it needs.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AuthContext {
    /// The store of the operator's secrets.
    pub secrets: Arc<dyn SecretStore>,
    /// The transport for token requests.
    pub transport: Arc<dyn Transport>,
    /// The clock that dates signatures and assertions.
    pub clock: Clock,
    /// The store of grants of people who logged in; without one nobody can log in.
    pub grants: Option<Arc<dyn GrantStore>>,
}

impl AuthContext {
    /// Uses secrets from `secrets`, requests tokens over `transport`, and reads the machine's clock.
    pub fn new(secrets: Arc<dyn SecretStore>, transport: Arc<dyn Transport>) -> Self {
        Self { secrets, transport, clock: Clock::default(), grants: None }
    }

    callgate_tool::setters! {
        /// Uses another clock.
        pub fn with_clock(clock: Clock) = clock;
        /// Uses grants of people who logged in.
        pub fn with_grants(grants: Option<Arc<dyn GrantStore>>) = grants;
    }
}
