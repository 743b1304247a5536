//! A store of sealed records over an engine that keeps bytes. What leaves this process shows neither the record nor whose it
//! is.

use std::{fmt, time::Instant};

use async_trait::async_trait;
use callgate_session::{Error, Expected, Group, Key, Record, Sealer, Store, Stored, Version};

use crate::{
    engine::{Engine, Page, Put, Row},
    error, record,
};

/// Seals each record with its key, for its address.
pub(crate) struct Sealed<E> {
    pub(crate) engine: E,
    pub(crate) sealer: Sealer,
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
        let address = self.engine.addresses(&self.sealer).await?.of(key);
        let place = address.place();
        let Some(row) = self.engine.get(address, now).await? else { return Ok(None) };
        let opened = self.sealer.open(&row.sealed, &place)?;
        let record = record::read(key, opened).ok_or_else(error::unreadable)?;
        Ok(Some(stored(record, &row)))
    }

    async fn list(
        &self,
        group: &Group,
        after: Option<&Key>,
        most: usize,
        now: Instant,
    ) -> Result<Vec<(Key, Stored)>, Error> {
        let addresses = self.engine.addresses(&self.sealer).await?;
        let region = addresses.of_group(group);
        let mut after = after.map(|key| addresses.of(key));
        let mut found = Vec::new();
        while found.len() < most {
            let page = Page { region: region.clone(), after: after.take(), most: most.min(ROWS) };
            let (asked, rows) = (page.most, self.engine.list(page, now).await?);
            let is_last = rows.len() < asked;
            for (address, row) in rows {
                let opened = self.sealer.open(&row.sealed, &address.place())?;
                let (key, record) = record::read_any(opened).ok_or_else(error::unreadable)?;
                // Another session of the principal lies beside it.
                if group.contains(&key) && found.len() < most {
                    found.push((key, stored(record, &row)));
                }
                after = Some(address);
            }
            if is_last {
                break;
            }
        }
        Ok(found)
    }

    async fn put(
        &self,
        key: &Key,
        record: Record,
        expected: Expected,
        now: Instant,
    ) -> Result<Version, Error> {
        let address = self.engine.addresses(&self.sealer).await?.of(key);
        let written = record::write(key, &record);
        let written = written.ok_or_else(|| error::too_large(u64::from(u32::MAX)))?;
        let sealed = self.sealer.seal(&written, &address.place())?;
        let version = random_version()?;
        let row = Row { version, sealed, time_to_live: record.time_to_live() };
        self.engine.put(Put { address, row, expected }, now).await?;
        Ok(version)
    }

    async fn remove(&self, key: &Key, expected: Expected, now: Instant) -> Result<bool, Error> {
        let address = self.engine.addresses(&self.sealer).await?.of(key);
        self.engine.remove(address, expected, now).await
    }
}

impl<E: fmt::Debug> fmt::Debug for Sealed<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sealed").field("engine", &self.engine).finish_non_exhaustive()
    }
}

fn stored(record: Record, row: &Row) -> Stored {
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
