//! The time an exchange may take and how much it may answer. The operator's settings; the transports keep them.

use std::time::Duration;

/// The deadline of a call, which is Dialogflow's for the service of a tool; a model that waits longer has lost its
/// user.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);

/// Sixty-four times what a model is shown of a result, so that a useful answer fits and an endless one fills no memory.
pub const DEFAULT_RESPONSE_BYTES: usize = 1024 * 1024;

/// The bounds of one exchange.
///
/// ```
/// use std::time::Duration;
///
/// use callgate_transport::Limits;
///
/// let limits = Limits { timeout: Duration::from_secs(5), ..Limits::default() };
/// assert_eq!(limits.response_bytes, 1024 * 1024);
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(
    clippy::exhaustive_structs,
    reason = "callers name both bounds; a third is a decision for each of them"
)]
pub struct Limits {
    /// The time from the first look-up of the name to the last byte of the answer.
    pub timeout: Duration,
    /// The size of the answer's body.
    pub response_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { timeout: DEFAULT_TIMEOUT, response_bytes: DEFAULT_RESPONSE_BYTES }
    }
}
