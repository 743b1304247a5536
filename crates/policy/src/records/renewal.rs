//! The renewal of a lease while its request runs, in a store that other processes use, too. A request that ends soon costs
//! none.

use std::{sync::Arc, time::Duration};

use callgate_session::ErrorKind;
use tokio::{
    sync::oneshot,
    task::{self, JoinHandle},
    time,
};

use super::{claim::Claim, entry::State};

/// A task that ends with its owner.
pub(super) struct Renewal {
    stop: Option<oneshot::Sender<()>>,
    task: JoinHandle<()>,
}

impl Renewal {
    pub(super) fn start_renewal(claim: &Arc<Claim>) -> Self {
        let (stop, stopped) = oneshot::channel();
        Self { stop: Some(stop), task: task::spawn(renew_lease(Arc::clone(claim), stopped)) }
    }

    /// Stops renewing. A renewal that the store is about to answer is waited for: its version is the record's.
    pub(super) async fn stop_renewal(mut self) {
        drop(self.stop.take());
        if let Err(error) = (&mut self.task).await {
            tracing::debug!(%error, "the renewal of an idempotency key has failed");
        }
    }
}

impl Drop for Renewal {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn renew_lease(claim: Arc<Claim>, mut stopped: oneshot::Receiver<()>) {
    let mut wait = LEASE / 3;
    loop {
        tokio::select! {
            biased;
            _ = &mut stopped => return,
            () = time::sleep(wait) => {}
        }
        wait = match claim.put_state_if_own(State::Running).await {
            Ok(()) => LEASE / 3,
            // Somebody has found the lease lapsed. The end of the request will still be told.
            Err(error) if error.kind() == ErrorKind::Conflict => return,
            Err(_) => LEASE / 10,
        };
    }
}

/// The time after which a holder that says nothing more counts as gone: longer than a store is away for a change of its
/// primary.
pub(super) const LEASE: Duration = Duration::from_secs(30);
