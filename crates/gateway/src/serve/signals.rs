//! The signals that stop a process: SIGTERM and SIGINT, and Ctrl-C on systems without signals.

use std::io;

#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};

#[derive(Debug)]
pub(super) struct Signals {
    #[cfg(unix)]
    interrupt: Signal,
    #[cfg(unix)]
    terminate: Signal,
    /// Held only so that the signal does not end a process that is still starting.
    #[cfg(unix)]
    _hangup: Signal,
}

impl Signals {
    #[cfg(unix)]
    pub(super) fn new() -> io::Result<Self> {
        let interrupt = signal(SignalKind::interrupt())?;
        let terminate = signal(SignalKind::terminate())?;
        Ok(Self { interrupt, terminate, _hangup: signal(SignalKind::hangup())? })
    }

    #[cfg(unix)]
    pub(super) async fn wait_for_stop_signal(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }

    #[cfg(not(unix))]
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self {})
    }

    #[cfg(not(unix))]
    pub(super) async fn wait_for_stop_signal(&mut self) {
        tokio::signal::ctrl_c().await.ok();
    }
}
