//! The lease on a transcript, which its turn renews while it runs: one turn of a transcript runs at a time. The lease of a
//! program that has ended is free at once in a store that no other program uses, and otherwise as soon as it has lapsed.

use std::{
    convert::Infallible,
    hash::{BuildHasher as _, Hasher as _, RandomState},
    sync::{
        Arc, LazyLock,
        atomic::{AtomicU64, Ordering},
    },
    task::{Context, Waker},
    time::Duration,
};

use callgate_session::{
    Error as StoreError, ErrorKind as StoreErrorKind, Expected, Key, Record, Store, Version,
};
use serde::{Deserialize, Serialize};
use tokio::time::sleep;

use crate::{
    error::{self, Error},
    keeper::now,
};

/// A lease that this program holds. It is given back when it is dropped.
#[derive(Debug)]
pub(crate) struct Lease {
    store: Arc<dyn Store>,
    key: Key,
    holder: Holder,
    version: Version,
    time: Duration,
    is_free: bool,
}

/// The turn that holds a lease: its program, and its number there.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
struct Holder {
    process: u64,
    number: u64,
}

impl Lease {
    /// Takes the lease under a key, which lapses unless it is renewed in this time.
    ///
    /// # Errors
    /// [`ErrorKind::Busy`](crate::ErrorKind::Busy) while another turn holds it.
    pub(crate) async fn acquire(
        store: Arc<dyn Store>,
        key: Key,
        time: Duration,
    ) -> Result<Self, Error> {
        let number = NUMBERS.fetch_add(1, Ordering::Relaxed);
        let holder = Holder { process: *PROCESS, number };
        let mut expected = Expected::Absent;
        for _ in 0..ATTEMPTS {
            let record = record(holder, time).map_err(error::store_error)?;
            match store.put(&key, record, expected, now()).await {
                Ok(version) => {
                    return Ok(Self { store, key, holder, version, time, is_free: false });
                }
                Err(error) if error.kind() == StoreErrorKind::Conflict => {}
                Err(error) => return Err(error::store_error(error)),
            }
            let Some(stored) = store.get(&key, now()).await.map_err(error::store_error)? else {
                expected = Expected::Absent;
                continue;
            };
            let held: Holder = stored.record.read().map_err(error::store_error)?;
            if store.is_shared() || held.process == holder.process {
                return Err(error::busy());
            }
            // No other program has the store, so the one that held the lease has ended.
            expected = Expected::Version(stored.version);
        }
        Err(error::busy())
    }

    /// Renews the lease for as long as it is polled.
    pub(crate) async fn renew_forever(&mut self) -> Infallible {
        loop {
            sleep(self.time / 3).await;
            match self.renew_once().await {
                Ok(version) => self.version = version,
                // If somebody else has it, this turn notices when it keeps its transcript.
                Err(error) => tracing::debug!(%error, "the lease of a turn is not renewed"),
            }
        }
    }

    async fn renew_once(&self) -> Result<Version, StoreError> {
        let (record, expected) = (record(self.holder, self.time)?, Expected::Version(self.version));
        self.store.put(&self.key, record, expected, now()).await
    }

    /// Gives the lease back.
    pub(crate) async fn release(mut self) {
        if let Err(error) = self.remove_record().await {
            tracing::debug!(%error, "the lease of a turn ends by itself");
        }
        self.is_free = true;
    }

    async fn remove_record(&self) -> Result<(), StoreError> {
        let expected = Expected::Version(self.version);
        match self.store.remove(&self.key, expected, now()).await {
            Err(error) if error.kind() == StoreErrorKind::Conflict => {}
            removed => return removed.map(drop),
        }
        // A renewal may have been on its way.
        let Some(stored) = self.store.get(&self.key, now()).await? else { return Ok(()) };
        if stored.record.read::<Holder>()? != self.holder {
            return Ok(());
        }
        let expected = Expected::Version(stored.version);
        self.store.remove(&self.key, expected, now()).await.map(drop)
    }
}

/// A store of this program alone removes the lease at once. In any other one it lapses.
impl Drop for Lease {
    fn drop(&mut self) {
        if !self.is_free {
            let mut removed = Box::pin(self.remove_record());
            drop(removed.as_mut().poll(&mut Context::from_waker(Waker::noop())));
        }
    }
}

fn record(holder: Holder, time: Duration) -> Result<Record, StoreError> {
    Ok(Record::json(&holder)?.with_time_to_live(time))
}

/// The number of this program, which no other one has.
static PROCESS: LazyLock<u64> = LazyLock::new(|| RandomState::new().build_hasher().finish());
static NUMBERS: AtomicU64 = AtomicU64::new(0);
/// The time after which a program that says nothing more counts as ended: longer than a store is away for a change of its
/// primary.
pub(crate) const LEASE: Duration = Duration::from_secs(30);
/// A lease that ends between two looks is tried once more.
const ATTEMPTS: usize = 3;
