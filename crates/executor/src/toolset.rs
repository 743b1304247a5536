//! A toolset ready to run: its operations with the connection they share. Made by `config` or by hand.

use std::sync::Arc;

use callgate_auth::Authenticator;
use callgate_call::Shape;
use callgate_openapi::Operation;
use callgate_transport::{Limits, Transport};

/// The operations of one description and how they are reached.
#[derive(Debug)]
#[expect(
    clippy::exhaustive_structs,
    reason = "callers build it field by field; a new field is a decision for them"
)]
pub struct Toolset {
    /// What may be called.
    pub operations: Vec<Arc<Operation>>,
    /// Who puts credentials on a request.
    pub authenticator: Arc<dyn Authenticator>,
    /// Who sends it.
    pub transport: Arc<dyn Transport>,
    /// The bounds of one exchange.
    pub limits: Limits,
    /// How results are shown.
    pub shape: Shape,
}
