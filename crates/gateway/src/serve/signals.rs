//! The signal that tells a process to stop: SIGTERM and SIGINT, and Ctrl-C where there are no signals.

use std::io;

#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Listens for what tells the process to stop.
#[derive(Debug)]
pub(super) struct Signals {
    #[cfg(unix)]
    interrupt: Signal,
    #[cfg(unix)]
    terminate: Signal,
    /// Nobody waits for it here, but listened for it does not end a process that is still being started.
    #[cfg(unix)]
    _hangup: Signal,
}

impl Signals {
    /// Listens from now on.
    #[cfg(unix)]
    pub(super) fn new() -> io::Result<Self> {
        let interrupt = signal(SignalKind::interrupt())?;
        let terminate = signal(SignalKind::terminate())?;
        Ok(Self { interrupt, terminate, _hangup: signal(SignalKind::hangup())? })
    }

    /// Waits for the next one.
    #[cfg(unix)]
    pub(super) async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }

    /// Listens from now on.
    #[cfg(not(unix))]
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self {})
    }

    /// Waits for the next one.
    #[cfg(not(unix))]
    pub(super) async fn next(&mut self) {
        tokio::signal::ctrl_c().await.ok();
    }
}
