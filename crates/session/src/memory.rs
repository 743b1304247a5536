//! Keeps records in the memory of this process, within bounds of number, bytes and time. In a full store, the principal that
//! holds most makes room with its oldest records or, where no record may go before its end, is refused.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Bound,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use async_trait::async_trait;

use crate::{
    error::{self, Error},
    group::Group,
    key::{Key, Space},
    record::Record,
    shares::{Quantity, Shares},
    store::{Expected, Store, Stored, Version},
};

/// Records in memory, which are never written to disk.
///
/// A new record in a full store replaces the oldest of the principal that holds most, counting the new one, so that nobody
/// loses a record to a principal that holds more. All callers without a principal count as one. [`Memory::refusing`] makes a
/// store that removes nothing instead.
///
/// ```
/// use std::time::{Duration, Instant};
///
/// use callgate_session::{Bounds, ErrorKind, Expected, Key, Memory, Owner, Record, Space, Store};
/// use callgate_tool::Session;
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
/// let store = Memory::new(Bounds { records: 1_000, bytes: 1 << 20 });
/// let key = Key::new(Space::Session, Owner::new(None, &Session::new("s-1")), "cart");
/// let (now, hour) = (Instant::now(), Duration::from_secs(3600));
/// let record = Record::json(&["a pet"])?.with_time_to_live(hour);
/// store.put(&key, record.clone(), Expected::Absent, now).await?;
///
/// let again = store.put(&key, record, Expected::Absent, now).await;
/// assert_eq!(again.unwrap_err().kind(), ErrorKind::Conflict);
/// let stored = store.get(&key, now).await?.expect("it lives for an hour");
/// assert_eq!(stored.record.read::<Vec<String>>()?, ["a pet"]);
/// # Ok::<(), callgate_session::Error>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Memory {
    when_full: WhenFull,
    kept: Mutex<Records>,
}

#[derive(Clone, Copy, Debug)]
enum WhenFull {
    Evict,
    Refuse,
}

/// The capacity of a [`Memory`].
///
/// ```
/// use std::time::Instant;
///
/// use callgate_session::{Bounds, Expected, Key, Memory, Owner, Record, Space, Store};
/// use callgate_tool::Session;
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
/// let (store, now) = (Memory::new(Bounds { records: 1, bytes: 4096 }), Instant::now());
/// let session = Session::new("s-1");
/// let owner = Owner::new(None, &session);
/// let [old, new] = ["old", "new"].map(|name| Key::new(Space::Result, owner, name));
/// store.put(&old, Record::json(&1)?, Expected::Any, now).await?;
/// store.put(&new, Record::json(&2)?, Expected::Any, now).await?;
/// assert_eq!(store.n_records(now), 1);
/// assert!(store.get(&old, now).await?.is_none(), "it made room");
/// # Ok::<(), callgate_session::Error>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Bounds {
    /// The largest number of records.
    pub records: usize,
    /// The largest number of bytes, including names.
    pub bytes: usize,
}

#[derive(Debug)]
struct Records {
    bounds: Bounds,
    slots: BTreeMap<Key, Slot>,
    ends: BTreeSet<(Instant, Key)>,
    shares: Shares,
    bytes: usize,
    last_version: u64,
}

#[derive(Debug)]
struct Slot {
    stored: Stored,
    until: Instant,
}

impl Memory {
    /// A store within these bounds.
    pub fn new(bounds: Bounds) -> Self {
        Self::with_bounds(bounds, WhenFull::Evict)
    }

    /// A store that keeps each record until its end. A principal may add a record, or make one larger, as long as it then
    /// holds no more than was free for it: a lone principal has half of the bounds, and one that fills its share leaves as
    /// much to others. Beyond that it is refused with [`ErrorKind::Full`](crate::ErrorKind::Full).
    ///
    /// ```
    /// use std::time::Instant;
    ///
    /// use callgate_session::{Bounds, Expected, Key, Memory, Owner, Record, Space, Store};
    /// use callgate_tool::{Principal, Session};
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
    /// let (store, now) = (Memory::refusing(Bounds { records: 2, bytes: 4096 }), Instant::now());
    /// let session = Session::default();
    /// let key = |principal, name| {
    ///     let principal = Principal::new(principal);
    ///     Key::new(Space::Idempotency, Owner::new(Some(&principal), &session), name)
    /// };
    /// let record = Record::json(&1)?;
    /// store.put(&key("kim", "order-17"), record.clone(), Expected::Absent, now).await?;
    /// assert!(store.put(&key("kim", "order-18"), record.clone(), Expected::Absent, now).await.is_err());
    /// store.put(&key("lee", "order-1"), record, Expected::Absent, now).await?;
    /// # Ok::<(), callgate_session::Error>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn refusing(bounds: Bounds) -> Self {
        Self::with_bounds(bounds, WhenFull::Refuse)
    }

    fn with_bounds(bounds: Bounds, when_full: WhenFull) -> Self {
        let (slots, ends, shares) = (BTreeMap::new(), BTreeSet::new(), Shares::default());
        let records = Records { bounds, slots, ends, shares, bytes: 0, last_version: 0 };
        Self { when_full, kept: Mutex::new(records) }
    }

    /// Keeps further records within other bounds. Records that are kept stay until their end, or until others need their
    /// room.
    pub fn set_bounds(&self, bounds: Bounds) {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).bounds = bounds;
    }

    /// The number of records that have not ended.
    pub fn n_records(&self, now: Instant) -> usize {
        self.remove_ended_and_lock(now).slots.len()
    }

    fn remove_ended_and_lock(&self, now: Instant) -> MutexGuard<'_, Records> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some((until, key)) = kept.ends.first().filter(|(until, _)| *until <= now) {
            let _: &Instant = until;
            let key = key.clone();
            kept.remove(&key);
        }
        kept
    }
}

impl Slot {
    /// The record as it is returned: with the time that is left of it.
    fn record_with_time_left(&self, now: Instant) -> Stored {
        let Stored { record, version } = self.stored.clone();
        let left = record.time_to_live().map(|_| self.until.saturating_duration_since(now));
        let record = left.into_iter().fold(record, Record::with_time_to_live);
        Stored { record, version }
    }
}

impl Records {
    fn remove(&mut self, key: &Key) -> bool {
        let Some(slot) = self.slots.remove(key) else { return false };
        let size = record_size(key, &slot.stored.record);
        self.bytes = self.bytes.saturating_sub(size);
        self.ends.remove(&(slot.until, key.clone()));
        self.shares.remove(key, slot.stored.version.number(), size);
        true
    }

    fn record_version(&self, key: &Key) -> Option<Version> {
        self.slots.get(key).map(|slot| slot.stored.version)
    }

    /// Returns true if the store has room for `size` bytes of a key once its principal's other records and the larger
    /// shares of others have made room.
    fn can_make_room(&self, key: &Key, size: usize) -> bool {
        let own = self.shares.share_of_principal(key).map_or(0, |share| share.bytes);
        let others = self.bytes.saturating_sub(own);
        others.saturating_add(size) <= self.bounds.bytes
            || self.shares.capped_bytes_of_others(key, size).saturating_add(size)
                <= self.bounds.bytes
    }

    /// Returns true if the principal of the key then holds no more than was free for it, or no more than before.
    fn is_within_share(&self, key: &Key, size: usize) -> bool {
        let before = self.slots.get(key).map(|slot| record_size(key, &slot.stored.record));
        if before.is_some_and(|before| size <= before) {
            return true;
        }
        let (records, bytes) =
            self.shares.share_of_principal(key).map_or((0, 0), |own| (own.n_records(), own.bytes));
        let has_record =
            before.is_some() || records < self.bounds.records.saturating_sub(self.slots.len());
        let before = before.unwrap_or_default();
        let free = self.bounds.bytes.saturating_sub(self.bytes.saturating_sub(before));
        has_record && bytes.saturating_sub(before).saturating_add(size) <= free
    }

    fn time_until_first_end(&self, now: Instant) -> Option<Duration> {
        self.ends.first().map(|(until, _)| until.saturating_duration_since(now))
    }

    fn evict_to_make_room(&mut self, key: &Key, size: usize) {
        loop {
            let (quantity, more) = if self.slots.len() >= self.bounds.records {
                (Quantity::Records, 1)
            } else if self.bytes.saturating_add(size) > self.bounds.bytes {
                (Quantity::Bytes, size)
            } else {
                return;
            };
            let Some(oldest) = self.shares.key_to_evict(quantity, key, more).cloned() else {
                return;
            };
            self.remove(&oldest);
        }
    }

    fn insert_with_next_version(&mut self, key: &Key, record: Record, until: Instant) -> Version {
        self.last_version = self.last_version.saturating_add(1);
        let version = Version::new(self.last_version);
        let size = record_size(key, &record);
        self.bytes = self.bytes.saturating_add(size);
        self.ends.insert((until, key.clone()));
        self.shares.add_record(key, self.last_version, size);
        let stored = Stored { record, version };
        self.slots.insert(key.clone(), Slot { stored, until });
        version
    }
}

#[async_trait]
impl Store for Memory {
    fn is_shared(&self) -> bool {
        false
    }

    async fn get(&self, key: &Key, now: Instant) -> Result<Option<Stored>, Error> {
        Ok(self
            .remove_ended_and_lock(now)
            .slots
            .get(key)
            .map(|slot| slot.record_with_time_left(now)))
    }

    async fn list(
        &self,
        group: &Group,
        after: Option<&Key>,
        most: usize,
        now: Instant,
    ) -> Result<Vec<(Key, Stored)>, Error> {
        let kept = self.remove_ended_and_lock(now);
        let first = Key::least_with_prefix(group.as_str());
        let from = after.filter(|after| **after >= first);
        let from = from.map_or(Bound::Included(&first), Bound::Excluded);
        let slots = kept.slots.range((from, Bound::Unbounded));
        let slots = slots.take_while(|(key, _)| group.contains(key)).take(most);
        Ok(slots.map(|(key, slot)| (key.clone(), slot.record_with_time_left(now))).collect())
    }

    async fn put(
        &self,
        key: &Key,
        record: Record,
        expected: Expected,
        now: Instant,
    ) -> Result<Version, Error> {
        let mut kept = self.remove_ended_and_lock(now);
        if !expected.is_met_by(kept.record_version(key)) {
            return Err(error::conflict());
        }
        let size = record_size(key, &record);
        let bounds = kept.bounds;
        match self.when_full {
            WhenFull::Refuse if kept.is_within_share(key, size) => {
                kept.remove(key);
            }
            WhenFull::Refuse => return Err(error::no_room_error(kept.time_until_first_end(now))),
            WhenFull::Evict if size > bounds.bytes || bounds.records == 0 => {
                return Err(error::too_large(bounds.bytes));
            }
            WhenFull::Evict if !kept.can_make_room(key, size) => {
                return Err(error::no_room_error(None));
            }
            WhenFull::Evict => {
                kept.remove(key);
                kept.evict_to_make_room(key, size);
            }
        }
        let time_to_live = record.time_to_live().unwrap_or(LONGEST);
        let until = now.checked_add(time_to_live).unwrap_or(now + LONGEST);
        Ok(kept.insert_with_next_version(key, record, until))
    }

    async fn count(&self, space: Space, now: Instant) -> Result<Option<usize>, Error> {
        let (kept, group) = (self.remove_ended_and_lock(now), Group::of_space(space));
        let slots = kept.slots.range(Key::least_with_prefix(group.as_str())..);
        Ok(Some(slots.take_while(|(key, _)| group.contains(key)).count()))
    }

    async fn remove(&self, key: &Key, expected: Expected, now: Instant) -> Result<bool, Error> {
        let mut kept = self.remove_ended_and_lock(now);
        if !expected.is_met_by(kept.record_version(key)) {
            return Err(error::conflict());
        }
        Ok(kept.remove(key))
    }
}

fn record_size(key: &Key, record: &Record) -> usize {
    record.size() + 3 * key.as_str().len()
}

/// The time to live of a record without one: longer than a process runs.
const LONGEST: Duration = Duration::from_hours(24 * 365);

#[cfg(test)]
mod tests;
