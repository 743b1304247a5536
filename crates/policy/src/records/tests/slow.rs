//! A store of a program, which takes a moment for each request and counts them.

use async_trait::async_trait;
use callgate_session::{Group, Version};

use super::*;

/// A program's own store, which always takes a moment.
#[derive(Debug)]
pub(super) struct Slow {
    memory: Memory,
    n_requests: AtomicUsize,
    pub(super) is_away: AtomicBool,
}

impl Slow {
    pub(super) fn new() -> Arc<Self> {
        let memory = Memory::new(Bounds { records: 99, bytes: 99_999 });
        Arc::new(Self { memory, n_requests: AtomicUsize::new(0), is_away: AtomicBool::new(false) })
    }

    async fn reached(&self) -> Result<(), Error> {
        tokio::task::yield_now().await;
        self.n_requests.fetch_add(1, Ordering::Relaxed);
        if self.is_away.load(Ordering::Relaxed) {
            return Err(Error::new(ErrorKind::Unavailable, "the store is away"));
        }
        Ok(())
    }

    pub(super) fn n_requests(&self) -> usize {
        self.n_requests.swap(0, Ordering::Relaxed)
    }
}

#[async_trait]
impl Store for Slow {
    async fn get(&self, key: &Key, now: std::time::Instant) -> Result<Option<Stored>, Error> {
        self.reached().await?;
        self.memory.get(key, now).await
    }

    async fn list(
        &self,
        group: &Group,
        after: Option<&Key>,
        most: usize,
        now: std::time::Instant,
    ) -> Result<Vec<(Key, Stored)>, Error> {
        self.reached().await?;
        self.memory.list(group, after, most, now).await
    }

    async fn put(
        &self,
        key: &Key,
        record: Record,
        expected: Expected,
        now: std::time::Instant,
    ) -> Result<Version, Error> {
        assert!(key.as_str().starts_with("idempotency/") && record.time_to_live().is_some());
        self.reached().await?;
        self.memory.put(key, record, expected, now).await
    }

    async fn remove(
        &self,
        key: &Key,
        expected: Expected,
        now: std::time::Instant,
    ) -> Result<bool, Error> {
        self.reached().await?;
        self.memory.remove(key, expected, now).await
    }
}
