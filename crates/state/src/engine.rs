//! What a store that writes does with bytes at addresses. Knows nothing of records and keys: `store` does.

use std::{
    fmt::Debug,
    sync::Arc,
    time::{Duration, Instant},
};

use async_trait::async_trait;
use callgate_session::{Error, Expected, QueuePermit, Sealer, Version};

use crate::address::{Address, Addresses, Region};

/// Sealed bytes with compare-and-swap. Each request has a permit, which it keeps for as long as the engine works for it,
/// whether somebody still waits or not.
#[async_trait]
pub(crate) trait Engine: Debug + Send + Sync {
    /// True if other processes use the engine at the same time.
    const IS_SHARED: bool;

    /// The addresses of records. Their secret is kept in the engine, sealed.
    async fn addresses(&self, sealer: &Sealer) -> Result<Arc<Addresses>, Error>;

    async fn get(
        &self,
        address: Address,
        now: Instant,
        permit: QueuePermit,
    ) -> Result<Option<Row>, Error>;

    async fn list(&self, page: Page, now: Instant, permit: QueuePermit) -> Result<Rows, Error>;

    /// The number of rows of a space that have not ended.
    async fn count(
        &self,
        space: &'static str,
        now: Instant,
        permit: QueuePermit,
    ) -> Result<usize, Error>;

    async fn put(&self, put: Put, now: Instant, permit: QueuePermit) -> Result<(), Error>;

    async fn remove(
        &self,
        address: Address,
        expected: Expected,
        now: Instant,
        permit: QueuePermit,
    ) -> Result<bool, Error>;
}

#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) version: Version,
    pub(crate) sealed: Vec<u8>,
    /// The time until the row ends, by the clock of the engine; without one, it does not end by itself.
    pub(crate) time_to_live: Option<Duration>,
}

/// A page of a region, which begins after an address.
#[derive(Clone, Debug)]
pub(crate) struct Page {
    pub(crate) region: Region,
    pub(crate) after: Option<Address>,
    pub(crate) most: usize,
}

/// The rows of a page: fewer than it may have, where they are large or the last ones.
#[derive(Debug)]
pub(crate) struct Rows {
    pub(crate) rows: Vec<(Address, Row)>,
    pub(crate) is_last: bool,
}

impl Rows {
    /// The bytes after which a page ends.
    pub(crate) const BYTES: usize = 1 << 20;
}

#[derive(Clone, Debug)]
pub(crate) struct Put {
    pub(crate) address: Address,
    pub(crate) row: Row,
    pub(crate) expected: Expected,
}
