//! SIGHUP, which asks a process to read its files again. Where there is no such signal nobody sends one.

#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Listens for SIGHUP.
#[derive(Debug)]
pub(super) struct Hangups {
    #[cfg(unix)]
    signal: Option<Signal>,
}

impl Hangups {
    /// Listens from now on; without it the signal ends the process.
    pub(super) fn new() -> Self {
        Self {
            #[cfg(unix)]
            signal: signal(SignalKind::hangup()).ok(),
        }
    }

    /// Waits for the next one.
    pub(super) async fn next(&mut self) {
        #[cfg(unix)]
        if let Some(signal) = &mut self.signal
            && signal.recv().await.is_some()
        {
            return;
        }
        std::future::pending::<()>().await;
    }
}
