//! The end of a sidecar, from the first word of it: who listens for it, who asks whether it has begun, and when what is
//! still running is given up.

use callgate_executor::Stop;

/// True if the sidecar is being stopped. Clones share one state.
#[derive(Clone, Debug, Default)]
pub(crate) struct Drain {
    begun: Stop,
    over: Stop,
}

impl Drain {
    /// Takes no new calls from now on; those that run may end.
    pub(crate) fn begin(&self) {
        self.begun.stop();
    }

    /// Gives up what still runs.
    pub(crate) fn end(&self) {
        self.begun.stop();
        self.over.stop();
    }

    /// Returns true if new calls are refused.
    pub(crate) fn is_draining(&self) -> bool {
        self.begun.is_stopped()
    }

    /// Waits until new calls are refused.
    pub(crate) async fn begun(&self) {
        self.begun.stopped().await;
    }

    /// Waits until what still runs is given up.
    pub(crate) async fn over(&self) {
        self.over.stopped().await;
    }

    /// Ends the calls that still run then.
    pub(crate) fn stop(&self) -> Stop {
        self.over.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_end_that_has_begun_is_seen_by_all_and_never_goes_back() {
        let drain = Drain::default();
        let other = drain.clone();
        assert!(!other.is_draining());
        drain.begin();
        other.begun().await;
        assert!(other.is_draining() && !drain.stop().is_stopped());
        drain.end();
        drain.begin();
        other.over().await;
        assert!(other.is_draining() && drain.stop().is_stopped());
    }
}
