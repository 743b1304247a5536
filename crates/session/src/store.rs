//! The trait behind which records are kept. Promises compare-and-swap; a record says how long it lives, and the
//! caller what time it is.

use std::{fmt::Debug, time::Instant};

use async_trait::async_trait;

use crate::{error::Error, key::Key, record::Record};

/// Keeps records for a while. Requests for the same key happen one after the other.
#[async_trait]
pub trait Store: Debug + Send + Sync {
    /// The record of a key, while it lives.
    ///
    /// # Errors
    /// [`ErrorKind::Unavailable`](crate::ErrorKind::Unavailable) where the store cannot be reached.
    async fn get(&self, key: &Key, now: Instant) -> Result<Option<Stored>, Error>;

    /// Puts a record where the expected one is, and answers its version. It lives for its own time from now on; a record without one does not end by itself.
    ///
    /// # Errors
    /// [`ErrorKind::Conflict`](crate::ErrorKind::Conflict) where another one is there,
    /// [`ErrorKind::TooLarge`](crate::ErrorKind::TooLarge) where the store has no room for it even when it is empty,
    /// [`ErrorKind::Sealing`](crate::ErrorKind::Sealing) for a credential that may not leave memory in a store that
    /// writes, [`ErrorKind::Unavailable`](crate::ErrorKind::Unavailable) where the store cannot be reached.
    async fn put(
        &self,
        key: &Key,
        record: Record,
        expected: Expected,
        now: Instant,
    ) -> Result<Version, Error>;

    /// Takes the expected record away, and answers whether there was one.
    ///
    /// # Errors
    /// [`ErrorKind::Conflict`](crate::ErrorKind::Conflict) where another one is there,
    /// [`ErrorKind::Unavailable`](crate::ErrorKind::Unavailable) where the store cannot be reached.
    async fn remove(&self, key: &Key, expected: Expected, now: Instant) -> Result<bool, Error>;
}

/// A record as it is kept.
#[derive(Clone, Debug)]
#[expect(clippy::exhaustive_structs, reason = "a record is kept in a version, and that is all")]
pub struct Stored {
    /// The record.
    pub record: Record,
    /// Its version, for the next compare-and-swap.
    pub version: Version,
}

/// One state of a record; every change makes another one.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Version(u64);

/// The condition under which a change happens.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "a record is there, in a version, or it does not matter"
)]
pub enum Expected {
    /// No record.
    Absent,
    /// Whatever is there.
    Any,
    /// The record in this version.
    Version(Version),
}

impl Version {
    /// The version a store counts by this number.
    pub fn new(number: u64) -> Self {
        Self(number)
    }

    /// The number.
    pub fn number(self) -> u64 {
        self.0
    }
}

impl Expected {
    /// Returns true if a record in this version, or none, is what is expected.
    pub fn is_met_by(self, version: Option<Version>) -> bool {
        match self {
            Self::Absent => version.is_none(),
            Self::Any => true,
            Self::Version(expected) => version == Some(expected),
        }
    }
}
