//! A lease on something that is kept, renewed while it runs: one process works on it at a time. The lease of a
//! process that has ended is free at once in a store that no other one uses, and otherwise as soon as it has lapsed.

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

use callgate_session::{Error, ErrorKind, Expected, Key, Record, Store, Version};
use serde::{Deserialize, Serialize};
use tokio::time::{Instant, sleep};

/// A lease that this process holds. It is given back when it is dropped.
#[doc(hidden)]
#[derive(Debug)]
pub struct Lease {
    store: Arc<dyn Store>,
    key: Key,
    holder: Holder,
    version: Version,
    time: Duration,
    is_free: bool,
}

/// The work that holds a lease: its process, and its number there.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
struct Holder {
    process: u64,
    number: u64,
}

impl Lease {
    /// Takes the lease under a key, which lapses unless it is renewed in this time.
    ///
    /// # Errors
    /// [`ErrorKind::Conflict`] while another one holds it, and those of the store.
    pub async fn acquire(store: Arc<dyn Store>, key: Key, time: Duration) -> Result<Self, Error> {
        let number = NUMBERS.fetch_add(1, Ordering::Relaxed);
        let holder = Holder { process: *PROCESS, number };
        let mut expected = Expected::Absent;
        for _ in 0..ATTEMPTS {
            let record = lease_record(holder, time)?;
            match store.put(&key, record, expected, now()).await {
                Ok(version) => {
                    return Ok(Self { store, key, holder, version, time, is_free: false });
                }
                Err(error) if error.kind() == ErrorKind::Conflict => {}
                Err(error) => return Err(error),
            }
            let Some(stored) = store.get(&key, now()).await? else {
                expected = Expected::Absent;
                continue;
            };
            let held: Holder = stored.record.read()?;
            if store.is_shared() || held.process == holder.process {
                return Err(lease_held_error());
            }
            // No other process has the store, so the one that held the lease has ended.
            expected = Expected::Version(stored.version);
        }
        Err(lease_held_error())
    }

    /// Renews the lease for as long as it is polled.
    pub async fn renew_forever(&mut self) -> Infallible {
        loop {
            sleep(self.time / 3).await;
            match self.renew_once().await {
                Ok(version) => self.version = version,
                // If somebody else has it, this one notices when it keeps its work.
                Err(error) => tracing::debug!(%error, "a lease is not renewed"),
            }
        }
    }

    async fn renew_once(&self) -> Result<Version, Error> {
        let (record, expected) =
            (lease_record(self.holder, self.time)?, Expected::Version(self.version));
        self.store.put(&self.key, record, expected, now()).await
    }

    /// Gives the lease back.
    pub async fn release(mut self) {
        if let Err(error) = self.remove_record().await {
            tracing::debug!(%error, "a lease ends by itself");
        }
        self.is_free = true;
    }

    async fn remove_record(&self) -> Result<(), Error> {
        let expected = Expected::Version(self.version);
        match self.store.remove(&self.key, expected, now()).await {
            Err(error) if error.kind() == ErrorKind::Conflict => {}
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

/// A store of this process alone removes the lease at once. In any other one it lapses.
impl Drop for Lease {
    fn drop(&mut self) {
        if !self.is_free {
            let mut removed = Box::pin(self.remove_record());
            drop(removed.as_mut().poll(&mut Context::from_waker(Waker::noop())));
        }
    }
}

fn lease_record(holder: Holder, time: Duration) -> Result<Record, Error> {
    Ok(Record::json(&holder)?.with_time_to_live(time))
}

fn lease_held_error() -> Error {
    Error::new(ErrorKind::Conflict, "somebody else holds the lease")
}

fn now() -> std::time::Instant {
    Instant::now().into_std()
}

/// The number of this process, which no other one has.
static PROCESS: LazyLock<u64> = LazyLock::new(|| RandomState::new().build_hasher().finish());
static NUMBERS: AtomicU64 = AtomicU64::new(0);
/// A lease that ends between two looks is tried once more.
const ATTEMPTS: usize = 3;
