//! SIGHUP, which asks a process to reread its files. Systems without this signal never send it.

#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};

#[derive(Debug)]
pub(super) struct Hangups {
    #[cfg(unix)]
    signal: Option<Signal>,
}

impl Hangups {
    /// Starts to listen; otherwise the signal would end the process.
    pub(super) fn new() -> Self {
        Self {
            #[cfg(unix)]
            signal: signal(SignalKind::hangup()).ok(),
        }
    }

    pub(super) async fn wait_for_hangup(&mut self) {
        #[cfg(unix)]
        if let Some(signal) = &mut self.signal
            && signal.recv().await.is_some()
        {
            return;
        }
        std::future::pending::<()>().await;
    }
}
