//! A store that fails as a test says.

use std::{
    sync::atomic::{AtomicU8, AtomicUsize, Ordering},
    time::Instant,
};

use async_trait::async_trait;
use callgate_session::{
    Bounds, Error, ErrorKind, Expected, Group, Key, Memory, Record, Store, Stored, Version,
};

/// The way in which a store fails.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Failure {
    None,
    /// Each change finds another version than it expects.
    Conflict,
    /// There is no room for anything.
    Full,
    /// No request is ever answered.
    Stalled,
    /// Each request is refused at once.
    Unavailable,
}

/// Memory that fails when it is told to.
#[derive(Debug)]
pub(super) struct FailingStore {
    memory: Memory,
    failure: AtomicU8,
    /// The requests that are still served before it fails.
    n_served: AtomicUsize,
    n_requests: AtomicUsize,
}

impl FailingStore {
    pub(super) fn new() -> Self {
        let memory = Memory::new(Bounds { records: 10_000, bytes: 1 << 26 });
        let (n_served, n_requests) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Self { memory, failure: AtomicU8::new(0), n_served, n_requests }
    }

    pub(super) fn fail(&self, failure: Failure) {
        self.fail_after(0, failure);
    }

    /// Fails after this many further requests.
    pub(super) fn fail_after(&self, n_served: usize, failure: Failure) {
        self.n_served.store(n_served, Ordering::SeqCst);
        self.failure.store(failure as u8, Ordering::SeqCst);
    }

    /// The number of requests since the last question.
    pub(super) fn n_requests(&self) -> usize {
        self.n_requests.swap(0, Ordering::SeqCst)
    }

    async fn reached(&self, is_change: bool, is_growth: bool) -> Result<(), Error> {
        self.n_requests.fetch_add(1, Ordering::SeqCst);
        let failure = self.failure.load(Ordering::SeqCst);
        let one_less = |left: usize| left.checked_sub(1);
        if self.n_served.fetch_update(Ordering::SeqCst, Ordering::SeqCst, one_less).is_ok() {
            return Ok(());
        }
        let is = |known: Failure| failure == known as u8;
        if is(Failure::Stalled) {
            std::future::pending::<()>().await;
        }
        let kind = if is(Failure::Unavailable) {
            ErrorKind::Unavailable
        } else if is(Failure::Conflict) && is_change {
            ErrorKind::Conflict
        } else if is(Failure::Full) && is_growth {
            ErrorKind::Full
        } else {
            return Ok(());
        };
        Err(Error::new(kind, "the store fails as the test says"))
    }
}

#[async_trait]
impl Store for FailingStore {
    async fn get(&self, key: &Key, now: Instant) -> Result<Option<Stored>, Error> {
        self.reached(false, false).await?;
        self.memory.get(key, now).await
    }

    async fn list(
        &self,
        group: &Group,
        after: Option<&Key>,
        most: usize,
        now: Instant,
    ) -> Result<Vec<(Key, Stored)>, Error> {
        self.reached(false, false).await?;
        self.memory.list(group, after, most, now).await
    }

    async fn put(
        &self,
        key: &Key,
        record: Record,
        expected: Expected,
        now: Instant,
    ) -> Result<Version, Error> {
        self.reached(true, true).await?;
        self.memory.put(key, record, expected, now).await
    }

    async fn remove(&self, key: &Key, expected: Expected, now: Instant) -> Result<bool, Error> {
        self.reached(true, false).await?;
        self.memory.remove(key, expected, now).await
    }
}
