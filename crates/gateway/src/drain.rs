//! The end of a sidecar from its first signal: modules wait for it, ask whether it has begun, and learn when running
//! calls are given up.

use callgate_executor::Stop;

/// Tells if the sidecar is being stopped. Clones share one state.
#[derive(Clone, Debug, Default)]
pub(crate) struct Drain {
    begun: Stop,
    over: Stop,
}

impl Drain {
    /// Refuses new calls from now on; running ones may end.
    pub(crate) fn begin_drain(&self) {
        self.begun.stop();
    }

    /// Gives up the calls that still run.
    pub(crate) fn end_calls(&self) {
        self.begun.stop();
        self.over.stop();
    }

    pub(crate) fn is_draining(&self) -> bool {
        self.begun.is_stopped()
    }

    /// Waits until new calls are refused.
    pub(crate) async fn wait_until_draining(&self) {
        self.begun.wait_for_stop().await;
    }

    /// Waits until running calls are given up.
    pub(crate) async fn wait_until_calls_stopped(&self) {
        self.over.wait_for_stop().await;
    }

    /// The stop that ends the calls still running at that moment.
    pub(crate) fn running_calls_stop(&self) -> Stop {
        self.over.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_drain_that_has_begun_is_seen_by_all_clones_and_stays() {
        let drain = Drain::default();
        let other = drain.clone();
        assert!(!other.is_draining());
        drain.begin_drain();
        other.wait_until_draining().await;
        assert!(other.is_draining() && !drain.running_calls_stop().is_stopped());
        drain.end_calls();
        drain.begin_drain();
        other.wait_until_calls_stopped().await;
        assert!(other.is_draining() && drain.running_calls_stop().is_stopped());
    }
}
