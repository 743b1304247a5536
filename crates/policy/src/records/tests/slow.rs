//! A store of a program, which takes a moment for each request and counts them.

use async_trait::async_trait;

use super::*;
use crate::tests::store::{Hook, Request, TestStore};

/// A program's own store, which always takes a moment.
#[derive(Debug, Default)]
pub(super) struct Slow {
    n_requests: AtomicUsize,
    pub(super) is_away: AtomicBool,
}

impl Slow {
    pub(super) fn store() -> Arc<TestStore<Self>> {
        TestStore::new(Bounds { records: 99, bytes: 99_999 }, Self::default())
    }

    pub(super) fn n_requests(&self) -> usize {
        self.n_requests.swap(0, Ordering::Relaxed)
    }
}

#[async_trait]
impl Hook for Slow {
    async fn before(&self, request: Request<'_>) -> Result<(), Error> {
        if let Request::Put(key, record, _) = request {
            assert!(key.as_str().starts_with("idempotency/") && record.time_to_live().is_some());
        }
        tokio::task::yield_now().await;
        self.n_requests.fetch_add(1, Ordering::Relaxed);
        if self.is_away.load(Ordering::Relaxed) {
            return Err(Error::new(ErrorKind::Unavailable, "the store is away"));
        }
        Ok(())
    }
}
