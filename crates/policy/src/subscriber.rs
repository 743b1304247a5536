//! The subscriber of one test among others that run beside it.

use std::sync::OnceLock;

use tracing::{Dispatch, Subscriber, subscriber::DefaultGuard};
use tracing_subscriber::Registry;

/// Lets a subscriber have what the thread logs. While it is the only one of the program, another thread without any could have the
/// interest in a place of the code fixed as none for all, so a second one is there.
pub(crate) fn set_thread_subscriber(
    subscriber: impl Subscriber + Send + Sync + 'static,
) -> DefaultGuard {
    static SECOND: OnceLock<Dispatch> = OnceLock::new();
    SECOND.get_or_init(|| Dispatch::new(Registry::default()));
    tracing::subscriber::set_default(subscriber)
}
