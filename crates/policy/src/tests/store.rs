//! A store for tests: memory, and what a test does to the requests to it.

use std::{
    fmt::Debug,
    ops::Deref,
    sync::Arc,
    time::{Duration, Instant},
};

use async_trait::async_trait;
use callgate_session::{
    Bounds, Error, Expected, Group, Key, Memory, Pace, Record, Store, Stored, Version,
};

/// A request to a store.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Request<'a> {
    Get,
    List,
    Put(&'a Key, &'a Record, Expected),
    Remove,
    Take,
}

/// Changes what becomes of requests in a test.
#[async_trait]
pub(crate) trait Hook: Debug + Send + Sync {
    /// An error in place of the request.
    async fn before(&self, request: Request<'_>) -> Result<(), Error>;

    /// An error in place of the answer to a change that was made.
    fn after(&self, request: Request<'_>) -> Result<(), Error> {
        _ = request;
        Ok(())
    }
}

#[derive(Debug)]
pub(crate) struct TestStore<H> {
    pub(crate) memory: Arc<Memory>,
    hook: H,
}

impl<H> TestStore<H> {
    pub(crate) fn new(bounds: Bounds, hook: H) -> Arc<Self> {
        Self::over(&Arc::new(Memory::new(bounds)), hook)
    }

    pub(crate) fn over(memory: &Arc<Memory>, hook: H) -> Arc<Self> {
        Arc::new(Self { memory: Arc::clone(memory), hook })
    }
}

impl<H> Deref for TestStore<H> {
    type Target = H;

    fn deref(&self) -> &H {
        &self.hook
    }
}

#[async_trait]
impl<H: Hook> Store for TestStore<H> {
    async fn get(&self, key: &Key, now: Instant) -> Result<Option<Stored>, Error> {
        self.hook.before(Request::Get).await?;
        self.memory.get(key, now).await
    }

    async fn list(
        &self,
        group: &Group,
        after: Option<&Key>,
        most: usize,
        now: Instant,
    ) -> Result<Vec<(Key, Stored)>, Error> {
        self.hook.before(Request::List).await?;
        self.memory.list(group, after, most, now).await
    }

    async fn put(
        &self,
        key: &Key,
        record: Record,
        expected: Expected,
        now: Instant,
    ) -> Result<Version, Error> {
        let request = Request::Put(key, &record, expected);
        self.hook.before(request).await?;
        let version = self.memory.put(key, record.clone(), expected, now).await?;
        self.hook.after(request).map(|()| version)
    }

    async fn remove(&self, key: &Key, expected: Expected, now: Instant) -> Result<bool, Error> {
        self.hook.before(Request::Remove).await?;
        let is_removed = self.memory.remove(key, expected, now).await?;
        self.hook.after(Request::Remove).map(|()| is_removed)
    }

    async fn take_paced_request(
        &self,
        key: &Key,
        pace: Pace,
        now: Instant,
    ) -> Result<Option<Duration>, Error> {
        self.hook.before(Request::Take).await?;
        self.memory.take_paced_request(key, pace, now).await
    }
}
