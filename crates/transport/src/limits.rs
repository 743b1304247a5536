//! The limits on the time of an exchange and on the size of its response. The operator sets them; the transports keep them.

use std::time::Duration;

/// The default deadline of a call. It is Dialogflow's deadline for the service of a tool; after a longer wait, a model has
/// lost its user.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);

/// Sixty-four times the part of a result that a model sees, so that a useful response fits and an endless one does not fill
/// the memory.
pub const DEFAULT_RESPONSE_BYTES: usize = 1024 * 1024;

/// The limits of one exchange.
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
pub struct Limits {
    /// The time from the first look-up of the name to the last byte of the answer.
    pub timeout: Duration,
    /// The size of the response body in bytes.
    pub response_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { timeout: DEFAULT_TIMEOUT, response_bytes: DEFAULT_RESPONSE_BYTES }
    }
}
