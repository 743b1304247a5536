//! A store of sealed records over an engine that keeps bytes. What leaves this process shows neither the record nor whose it
//! is.

use std::{fmt, sync::Arc, time::Instant};

use async_trait::async_trait;
use callgate_session::{
    Error, Expected, FairQueue, Group, Key, QueueBounds, QueuePermit, Record, Sealer, Space, Store,
    Stored, Version,
};

use crate::{
    address::Addresses,
    engine::{Engine, Page, Put, Row, Rows},
    error, record,
};

/// Seals each record with its key, for its address. The requests of one principal wait for each other, and not those of
/// another for them.
pub(crate) struct Sealed<E> {
    pub(crate) engine: E,
    sealer: Sealer,
    queue: FairQueue,
}

impl<E: Engine> Sealed<E> {
    pub(crate) fn new(engine: E, sealer: Sealer) -> Self {
        Self { engine, sealer, queue: FairQueue::new(BOUNDS) }
    }

    pub(crate) async fn addresses(&self) -> Result<Arc<Addresses>, Error> {
        self.engine.addresses(&self.sealer).await
    }

    /// The permit for a request that takes this number of bytes.
    pub(crate) async fn permit_for_bytes(
        &self,
        principal: &str,
        n_bytes: usize,
    ) -> Result<QueuePermit, Error> {
        let units = n_bytes.div_ceil(UNIT);
        self.queue.enter(principal, units).await.ok_or_else(error::too_many_requests)
    }
}

#[async_trait]
impl<E: Engine> Store for Sealed<E> {
    fn is_shared(&self) -> bool {
        E::IS_SHARED
    }

    fn sealer(&self, purpose: &str) -> Option<Sealer> {
        self.sealer.for_purpose(purpose).ok()
    }

    async fn get(&self, key: &Key, now: Instant) -> Result<Option<Stored>, Error> {
        let address = self.addresses().await?.address_of_key(key);
        let place = address.sealing_context();
        let permit = self.permit_for_bytes(key.escaped_principal_part(), USUAL).await?;
        let Some(row) = self.engine.get(address, now, permit).await? else { return Ok(None) };
        let opened = self.sealer.open(&row.sealed, &place)?;
        let record =
            record::decode_record(key, opened).ok_or_else(error::unreadable_record_error)?;
        Ok(Some(stored_record(record, &row)))
    }

    async fn list(
        &self,
        group: &Group,
        after: Option<&Key>,
        most: usize,
        now: Instant,
    ) -> Result<Vec<(Key, Stored)>, Error> {
        let addresses = self.addresses().await?;
        let region = addresses.group_region(group);
        let mut after = after.map(|key| addresses.address_of_key(key));
        let mut records = Vec::new();
        while records.len() < most {
            let page = Page { region: region.clone(), after: after.take(), most: most.min(ROWS) };
            let permit = self.permit_for_bytes(group.escaped_principal_part(), Rows::BYTES).await?;
            let Rows { rows, is_last } = self.engine.list(page, now, permit).await?;
            for (address, row) in rows {
                let opened = self.sealer.open(&row.sealed, &address.sealing_context())?;
                let (key, record) = record::decode_key_and_record(opened)
                    .ok_or_else(error::unreadable_record_error)?;
                // Another session of the principal lies beside it.
                if group.contains(&key) && records.len() < most {
                    records.push((key, stored_record(record, &row)));
                }
                after = Some(address);
            }
            if is_last {
                break;
            }
        }
        Ok(records)
    }

    async fn count(&self, space: Space, now: Instant) -> Result<Option<usize>, Error> {
        let permit = self.permit_for_bytes("", UNIT).await?;
        self.engine.count(space.as_str(), now, permit).await.map(Some)
    }

    async fn put(
        &self,
        key: &Key,
        record: Record,
        expected: Expected,
        now: Instant,
    ) -> Result<Version, Error> {
        let address = self.addresses().await?.address_of_key(key);
        let permit = self.permit_for_bytes(key.escaped_principal_part(), record.size()).await?;
        let written = record::encode_with_key(key, &record);
        let written = written.ok_or_else(|| error::too_large(u64::from(u32::MAX)))?;
        let sealed = self.sealer.seal(&written, &address.sealing_context())?;
        let version = random_version()?;
        let row = Row { version, sealed, time_to_live: record.time_to_live() };
        self.engine.put(Put { address, row, expected }, now, permit).await?;
        Ok(version)
    }

    async fn remove(&self, key: &Key, expected: Expected, now: Instant) -> Result<bool, Error> {
        let address = self.addresses().await?.address_of_key(key);
        let permit = self.permit_for_bytes(key.escaped_principal_part(), UNIT).await?;
        self.engine.remove(address, expected, now, permit).await
    }
}

/// Makes a type whose only field is a sealed store a store, with further methods.
macro_rules! delegate_store {
    ($Store:ident $(, $($method:tt)*)?) => {
        #[async_trait]
        impl Store for $Store {
            fn is_shared(&self) -> bool {
                self.0.is_shared()
            }

            fn sealer(&self, purpose: &str) -> Option<Sealer> {
                self.0.sealer(purpose)
            }

            async fn get(&self, key: &Key, now: Instant) -> Result<Option<Stored>, Error> {
                self.0.get(key, now).await
            }

            async fn list(
                &self,
                group: &Group,
                after: Option<&Key>,
                most: usize,
                now: Instant,
            ) -> Result<Vec<(Key, Stored)>, Error> {
                self.0.list(group, after, most, now).await
            }

            async fn count(&self, space: Space, now: Instant) -> Result<Option<usize>, Error> {
                self.0.count(space, now).await
            }

            async fn put(
                &self,
                key: &Key,
                record: Record,
                expected: Expected,
                now: Instant,
            ) -> Result<Version, Error> {
                self.0.put(key, record, expected, now).await
            }

            async fn remove(&self, key: &Key, expected: Expected, now: Instant) -> Result<bool, Error> {
                self.0.remove(key, expected, now).await
            }

            $($($method)*)?
        }
    };
}
pub(crate) use delegate_store;

callgate_secret::opaque!([E: fmt::Debug] Sealed<E> as "Sealed", { engine });

fn stored_record(record: Record, row: &Row) -> Stored {
    let record = row.time_to_live.into_iter().fold(record, Record::with_time_to_live);
    Stored { record, version: row.version }
}

/// A version that no earlier record under the key had: a counter would begin anew after the record has ended.
fn random_version() -> Result<Version, Error> {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes).map_err(|_| error::no_random())?;
    Ok(Version::new(u64::from_le_bytes(bytes) >> 1))
}

const ROWS: usize = 256;
/// The bytes of a unit of the queue.
const UNIT: usize = 4 << 10;
/// The bytes that a read counts for before anybody knows how many it is: more than most records have.
const USUAL: usize = 64 << 10;
/// The bytes that an engine has before it at once: few enough to be done within a fraction of a request's time, and as many
/// small requests of one principal as the file takes together.
const BOUNDS: QueueBounds = QueueBounds { units: 2048, each: 512, waiting: 4096 };

#[cfg(test)]
mod tests;
