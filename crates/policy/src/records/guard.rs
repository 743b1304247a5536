//! The guard of a request that is being made: it tells the store how the request ended.

use std::{
    sync::Arc,
    task::{Context, Waker},
};

use callgate_session::{Error, ErrorKind};

use super::{claim::Claim, entry::State, holders::Registration, renewal::Renewal};
use crate::digest::Digest;

/// A request that is being made. If it is dropped without a report, the result of the request counts as unknown.
#[must_use]
pub struct Guard {
    claim: Arc<Claim>,
    /// In a store that other processes use, too.
    renewal: Option<Renewal>,
    is_ended: bool,
    /// Last, so that the request counts as running until the store has its end.
    registration: Registration,
}

impl Guard {
    pub(super) fn new(claim: Claim, mut registration: Registration) -> Self {
        registration.is_unsent = false;
        let claim = Arc::new(claim);
        let renewal = claim.is_shared().then(|| Renewal::start_renewal(&claim));
        Self { claim, renewal, is_ended: false, registration }
    }

    /// Ends the request with this result. A result for which there is no room is not kept; its key is.
    pub async fn finish(mut self, result: &[u8]) {
        self.stop_renewal().await;
        let kept = self.claim.put_state_if_own(State::Ended(result)).await;
        let is_too_much =
            |error: &Error| matches!(error.kind(), ErrorKind::Full | ErrorKind::TooLarge);
        let kept = match kept {
            Err(error) if is_too_much(&error) => self.claim.put_state_if_own(State::Unknown).await,
            kept => kept,
        };
        self.is_ended = true;
        if let Err(error) = kept {
            tracing::warn!(%error, "the result of an idempotency key is not kept");
        }
    }

    /// Ends the request with this result, which requests of this digest repeat.
    pub(crate) async fn finish_with_digest(self, result: &[u8], digest: Digest) {
        self.claim.set_end_digest(digest);
        self.finish(result).await;
    }

    /// Frees the key, because the request was not executed: the key may be used again.
    pub async fn free_key(mut self) {
        self.stop_renewal().await;
        let freed = self.claim.free_key().await;
        self.is_ended = true;
        if let Err(error) = freed {
            self.registration.is_unsent = true;
            tracing::warn!(%error, "an idempotency key is not freed");
        }
    }

    async fn stop_renewal(&mut self) {
        if let Some(renewal) = self.renewal.take() {
            renewal.stop_renewal().await;
        }
    }
}

/// A store in memory has the end at once. Any other has it when the key is used again and its holder is gone.
impl Drop for Guard {
    fn drop(&mut self) {
        if !self.is_ended {
            let mut end = Box::pin(self.claim.put_state_if_own(State::Unknown));
            drop(end.as_mut().poll(&mut Context::from_waker(Waker::noop())));
        }
    }
}

callgate_secret::opaque!(Guard = "Guard");
