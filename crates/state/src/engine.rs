//! What a store that writes does with bytes at addresses. Knows nothing of records and keys: `store` does.

use std::{
    fmt::Debug,
    sync::Arc,
    time::{Duration, Instant},
};

use async_trait::async_trait;
use callgate_session::{Error, Expected, Sealer, Version};

use crate::address::{Address, Addresses, Region};

/// Sealed bytes with compare-and-swap.
#[async_trait]
pub(crate) trait Engine: Debug + Send + Sync {
    /// True if other processes use the engine at the same time.
    const IS_SHARED: bool;

    /// The addresses of records. Their secret is kept in the engine, sealed.
    async fn addresses(&self, sealer: &Sealer) -> Result<Arc<Addresses>, Error>;

    async fn get(&self, address: Address, now: Instant) -> Result<Option<Row>, Error>;

    async fn list(&self, page: Page, now: Instant) -> Result<Vec<(Address, Row)>, Error>;

    async fn put(&self, put: Put, now: Instant) -> Result<(), Error>;

    async fn remove(
        &self,
        address: Address,
        expected: Expected,
        now: Instant,
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

#[derive(Clone, Debug)]
pub(crate) struct Put {
    pub(crate) address: Address,
    pub(crate) row: Row,
    pub(crate) expected: Expected,
}
