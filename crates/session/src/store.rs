//! The trait of stores for records. Stores promise compare-and-swap; a record has its time to live, and the caller passes
//! the current time.

use std::{
    fmt::Debug,
    time::{Duration, Instant},
};

use async_trait::async_trait;
use bytes::Bytes;

use crate::{
    error::{self, Error, ErrorKind},
    group::Group,
    key::{Key, Space},
    pace::Pace,
    record::Record,
    sealer::Sealer,
};

/// Keeps records for a while. Requests for one key run one after the other.
///
/// ```
/// use std::time::Instant;
///
/// use callgate_session::{
///     Error, ErrorKind, Expected, Group, Key, Record, Store, Stored, Version,
/// };
///
/// /// Another store, of which nothing is changed.
/// #[derive(Debug)]
/// struct ReadOnly<S>(S);
///
/// #[async_trait::async_trait]
/// impl<S: Store> Store for ReadOnly<S> {
///     async fn get(&self, key: &Key, now: Instant) -> Result<Option<Stored>, Error> {
///         self.0.get(key, now).await
///     }
///
///     async fn list(
///         &self,
///         group: &Group,
///         after: Option<&Key>,
///         most: usize,
///         now: Instant,
///     ) -> Result<Vec<(Key, Stored)>, Error> {
///         self.0.list(group, after, most, now).await
///     }
///
///     async fn put(&self, _: &Key, _: Record, _: Expected, _: Instant) -> Result<Version, Error> {
///         Err(Error::new(ErrorKind::Unavailable, "the store is being moved"))
///     }
///
///     async fn remove(&self, _: &Key, _: Expected, _: Instant) -> Result<bool, Error> {
///         Err(Error::new(ErrorKind::Unavailable, "the store is being moved"))
///     }
/// }
/// ```
#[async_trait]
pub trait Store: Debug + Send + Sync {
    /// Returns true if other processes use the store at the same time, so that what another one has begun may still run.
    fn is_shared(&self) -> bool {
        true
    }

    /// A sealer for tokens that leave this process and come back, maybe to another one of this store: derived from the
    /// store's key for this purpose alone. `None` of a store without a key.
    #[doc(hidden)]
    fn sealer(&self, _purpose: &str) -> Option<Sealer> {
        None
    }

    /// The record of a key, until it ends. Its time to live is what is left of it, by the clock of the store.
    ///
    /// # Errors
    /// [`ErrorKind::Unavailable`](crate::ErrorKind::Unavailable) if the store cannot be reached.
    async fn get(&self, key: &Key, now: Instant) -> Result<Option<Stored>, Error>;

    /// The records of a group that have not ended, at most `most` of them. `after` is the last key of the page before; a page
    /// with fewer records is the last one. The order is the store's own and does not change with the records, so that each
    /// record that is there from the first page to the last is listed once.
    ///
    /// # Errors
    /// [`ErrorKind::Unavailable`](crate::ErrorKind::Unavailable) if the store cannot be reached.
    async fn list(
        &self,
        group: &Group,
        after: Option<&Key>,
        most: usize,
        now: Instant,
    ) -> Result<Vec<(Key, Stored)>, Error>;

    /// Puts a record if the stored one is as expected, and returns the new version. The record's time to live starts now; a
    /// record without one does not end by itself.
    ///
    /// # Errors
    /// [`ErrorKind::Conflict`](crate::ErrorKind::Conflict) if the stored record is not as expected,
    /// [`ErrorKind::Full`](crate::ErrorKind::Full) if the other records leave no room for the record,
    /// [`ErrorKind::TooLarge`](crate::ErrorKind::TooLarge) if even the empty store has no room for the record,
    /// [`ErrorKind::Sealing`](crate::ErrorKind::Sealing) if the store writes and cannot seal the record,
    /// [`ErrorKind::Unavailable`](crate::ErrorKind::Unavailable) if the store cannot be reached.
    async fn put(
        &self,
        key: &Key,
        record: Record,
        expected: Expected,
        now: Instant,
    ) -> Result<Version, Error>;

    /// Removes the record if it is as expected, and returns whether there was one.
    ///
    /// # Errors
    /// [`ErrorKind::Conflict`](crate::ErrorKind::Conflict) if the stored record is not as expected,
    /// [`ErrorKind::Unavailable`](crate::ErrorKind::Unavailable) if the store cannot be reached.
    async fn remove(&self, key: &Key, expected: Expected, now: Instant) -> Result<bool, Error>;

    /// The number of records of a purpose that have not ended, whoever owns them; `None` of a store that does not count them.
    ///
    /// # Errors
    /// [`ErrorKind::Unavailable`](crate::ErrorKind::Unavailable) if the store cannot be reached.
    async fn count(&self, _space: Space, _now: Instant) -> Result<Option<usize>, Error> {
        Ok(None)
    }

    /// Takes one of the requests that a pace allows, and returns `None`; or the time until the next one if there is none now.
    /// All who use the store keep the pace together. A store that has no way of its own reads a record and replaces it.
    ///
    /// # Errors
    /// [`ErrorKind::Conflict`](crate::ErrorKind::Conflict) if too many others take at the same time,
    /// [`ErrorKind::Unavailable`](crate::ErrorKind::Unavailable) if the store cannot be reached.
    #[doc(hidden)]
    async fn take_paced_request(
        &self,
        key: &Key,
        pace: Pace,
        now: Instant,
    ) -> Result<Option<Duration>, Error> {
        take_by_replacing_record(self, key, pace, now).await
    }
}

/// A stored record with its version.
///
/// ```
/// # use std::time::Instant;
/// # use callgate_session::{Bounds, Expected, Key, Memory, Owner, Record, Space, Store};
/// # use callgate_tool::Session;
/// # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
/// # let (store, now) = (Memory::new(Bounds { records: 9, bytes: 4096 }), Instant::now());
/// # let key = Key::new(Space::Session, Owner::new(None, &Session::new("s-1")), "visits");
/// # store.put(&key, Record::json(&1)?, Expected::Absent, now).await?;
/// if let Some(stored) = store.get(&key, now).await? {
///     let visits: u64 = stored.record.read()?;
///     let next = Record::json(&(visits + 1))?;
///     store.put(&key, next, Expected::Version(stored.version), now).await?;
/// }
/// # assert_eq!(store.get(&key, now).await?.expect("it is there").record.read::<u64>()?, 2);
/// # Ok::<(), callgate_session::Error>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Stored {
    /// The record.
    pub record: Record,
    /// The record's version, for the next compare-and-swap.
    pub version: Version,
}

/// The version of a record; every change makes a new one.
///
/// ```
/// use callgate_session::{Expected, Version};
///
/// // A store that counts its changes names each state by the count.
/// let (known, now) = (Version::new(7), Version::new(8));
/// assert!(Expected::Version(known).is_met_by(Some(known)));
/// assert!(!Expected::Version(known).is_met_by(Some(now)), "somebody else changed it");
/// assert_eq!(now.number(), 8);
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Version(u64);

/// The condition for a change.
///
/// ```
/// # use std::time::Instant;
/// # use callgate_session::{Bounds, Expected, Key, Memory, Owner, Record, Space, Store};
/// # use callgate_tool::Session;
/// # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
/// # let (store, now) = (Memory::new(Bounds { records: 9, bytes: 4096 }), Instant::now());
/// # let key = Key::new(Space::Session, Owner::new(None, &Session::new("s-1")), "cart");
/// let first = store.put(&key, Record::json(&1)?, Expected::Absent, now).await?;
/// let second = store.put(&key, Record::json(&2)?, Expected::Version(first), now).await?;
/// // Whoever still has the first version changes nothing.
/// assert!(store.put(&key, Record::json(&3)?, Expected::Version(first), now).await.is_err());
/// assert!(store.remove(&key, Expected::Version(second), now).await?);
/// assert!(!store.remove(&key, Expected::Any, now).await?, "it was gone");
/// # Ok::<(), callgate_session::Error>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "a record is there, in a version, or it does not matter"
)]
pub enum Expected {
    /// There is no record.
    Absent,
    /// Any record, or none.
    Any,
    /// The record has this version.
    Version(Version),
}

impl Version {
    /// The version with this number.
    pub fn new(number: u64) -> Self {
        Self(number)
    }

    /// The number.
    pub fn number(self) -> u64 {
        self.0
    }
}

impl Expected {
    /// Returns true if the condition holds for a record with this version, or for no record.
    pub fn is_met_by(self, version: Option<Version>) -> bool {
        match self {
            Self::Absent => version.is_none(),
            Self::Any => true,
            Self::Version(expected) => version == Some(expected),
        }
    }
}

/// Takes a request of a pace by replacing a record, which lives until the whole burst is free again.
async fn take_by_replacing_record<S: Store + ?Sized>(
    store: &S,
    key: &Key,
    pace: Pace,
    now: Instant,
) -> Result<Option<Duration>, Error> {
    for _ in 0..ATTEMPTS {
        let stored = store.get(key, now).await?;
        let left = stored.as_ref().and_then(|stored| stored.record.time_to_live());
        let next = match pace.time_until_full_burst(left.unwrap_or_default()) {
            Ok(next) => next,
            Err(wait) => return Ok(Some(wait)),
        };
        let expected = stored.map_or(Expected::Absent, |stored| Expected::Version(stored.version));
        let record = Record::new("application/octet-stream", Bytes::new());
        match store.put(key, record.with_time_to_live(next), expected, now).await {
            Ok(_) => return Ok(None),
            // Another request was faster.
            Err(error) if error.kind() == ErrorKind::Conflict => {}
            Err(error) => return Err(error),
        }
    }
    Err(error::conflict())
}

/// The number of requests that may be faster than one. Each time, one of them succeeds.
const ATTEMPTS: usize = 64;
