//! The end of a sidecar, from the first word of it: who listens for it, who asks whether it has begun, and when what is
//! still running is given up.

use tokio::sync::watch;

/// Whether the sidecar is being stopped. Clones share one state.
#[derive(Clone, Debug)]
pub(crate) struct Drain {
    phase: watch::Sender<Phase>,
}

/// How far the end has come; it only goes on.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
enum Phase {
    Serving,
    Draining,
    Over,
}

impl Default for Drain {
    fn default() -> Self {
        Self { phase: watch::Sender::new(Phase::Serving) }
    }
}

impl Drain {
    /// Takes no new calls from now on; those that run may end.
    pub(crate) fn begin(&self) {
        self.advance(Phase::Draining);
    }

    /// Gives up what still runs.
    pub(crate) fn end(&self) {
        self.advance(Phase::Over);
    }

    /// Whether new calls are refused.
    pub(crate) fn is_draining(&self) -> bool {
        *self.phase.borrow() >= Phase::Draining
    }

    /// Waits until new calls are refused.
    pub(crate) async fn begun(&self) {
        self.reached(Phase::Draining).await;
    }

    /// Waits until what still runs is given up.
    pub(crate) async fn over(&self) {
        self.reached(Phase::Over).await;
    }

    fn advance(&self, to: Phase) {
        self.phase.send_if_modified(|phase| {
            let advances = *phase < to;
            *phase = to.max(*phase);
            advances
        });
    }

    async fn reached(&self, wanted: Phase) {
        let mut phase = self.phase.subscribe();
        // An error is the end of the last sender, and this is one.
        phase.wait_for(|phase| *phase >= wanted).await.ok();
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
        assert!(other.is_draining());
        drain.end();
        drain.begin();
        other.over().await;
        assert!(other.is_draining());
    }
}
