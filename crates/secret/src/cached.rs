//! Keeps what a slow store answered: for a time to live, read ahead of its end, fetched once however many ask, and kept
//! for a stated time more while the store is down. One reference never waits for another. A read that nobody waits for
//! runs in a task that ends with the store.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use futures_util::{FutureExt, future::BoxFuture};
use tokio::{
    runtime::Handle,
    task::JoinSet,
    time::{Instant, timeout},
};

use crate::{
    error::{self, Error},
    reference::SecretReference,
    secret::Secret,
    store::SecretStore,
};
use slot::{Flight, Slot, Step};

mod slot;
#[cfg(test)]
mod tests;

/// The time a secret is kept, and how long its store may take.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "callers name every bound")]
pub struct CachePolicy {
    /// The time for which a secret is given without asking the store again. It is read ahead when a fifth of this is left.
    pub time_to_live: Duration,
    /// The time for which it is given longer while the store cannot be read.
    pub stale: Duration,
    /// The time one read may take.
    pub timeout: Duration,
}

/// Another store with a memory.
///
/// A failure is remembered for [`CachedStore::FAILURE_PAUSE`]; a store that says that a secret is gone, or denies it, is
/// believed at once.
///
/// ```
/// use std::{sync::Arc, time::Duration};
///
/// use callgate_secret::{CachePolicy, CachedStore, LocalStores};
///
/// let policy = CachePolicy { time_to_live: Duration::from_secs(60), ..CachePolicy::default() };
/// let store = CachedStore::new(Arc::new(LocalStores::new(".")), policy);
/// # drop(store);
/// ```
pub struct CachedStore {
    inner: Arc<dyn SecretStore>,
    policy: CachePolicy,
    slots: Arc<Slots>,
    // Aborted when the store is dropped.
    refreshes: Mutex<JoinSet<()>>,
}

/// One slot a reference. Locked for moments only, never while a store is asked.
type Slots = Mutex<BTreeMap<String, Slot>>;

impl Default for CachePolicy {
    /// Five minutes, a quarter of an hour more while the store is down, and five seconds a read.
    fn default() -> Self {
        Self {
            time_to_live: Duration::from_mins(5),
            stale: Duration::from_mins(15),
            timeout: Duration::from_secs(5),
        }
    }
}

impl CachedStore {
    /// The time for which after a failed read the store is left alone: long enough that a thousand calls do not each
    /// ask a store that is down, short enough that nobody notices when it is back.
    pub const FAILURE_PAUSE: Duration = slot::FAILURE_PAUSE;

    /// The store behind a memory.
    pub fn new(inner: Arc<dyn SecretStore>, policy: CachePolicy) -> Self {
        Self { inner, policy, slots: Arc::default(), refreshes: Mutex::default() }
    }

    /// A read of the store, which all who ask for the reference meanwhile share.
    fn flight(&self, reference: &SecretReference) -> BoxFuture<'static, Result<Secret, Error>> {
        let (inner, reference) = (Arc::clone(&self.inner), reference.clone());
        let limit = self.policy.timeout;
        async move {
            let fetched = timeout(limit, inner.get(&reference)).await;
            fetched.unwrap_or_else(|_| Err(error::timed_out(&reference, limit)))
        }
        .boxed()
    }

    /// Reads ahead, so that no call waits for it.
    fn refresh(&self, name: String, flight: Flight) {
        // Outside of a runtime nothing runs ahead, and the next call that must wait does.
        if Handle::try_current().is_err() {
            return;
        }
        let (slots, policy) = (Arc::clone(&self.slots), self.policy);
        let mut refreshes = locked(&self.refreshes);
        while refreshes.try_join_next().is_some() {}
        refreshes.spawn(async move {
            let fetched = flight.read.clone().await;
            let mut slots = locked(&slots);
            slots.entry(name).or_default().settle(flight.number, fetched, &policy).ok();
        });
    }
}

#[async_trait]
impl SecretStore for CachedStore {
    async fn get(&self, reference: &SecretReference) -> Result<Secret, Error> {
        // Literals are all shown alike, so they cannot be told apart here; and they need no memory.
        if reference.is_literal() {
            return self.inner.get(reference).await;
        }
        let name = reference.to_string();
        let step = {
            let mut slots = locked(&self.slots);
            let slot = slots.entry(name.clone()).or_default();
            slot.step(Instant::now(), &self.policy, || self.flight(reference))
        };
        match step {
            Step::Give(given) => given,
            Step::GiveAndRefresh(secret, flight) => {
                self.refresh(name, flight);
                Ok(secret)
            }
            Step::Wait(flight) => {
                let fetched = flight.read.clone().await;
                let mut slots = locked(&self.slots);
                slots.entry(name).or_default().settle(flight.number, fetched, &self.policy)
            }
        }
    }

    fn forget(&self, reference: &SecretReference, rejected: &Secret) {
        if let Some(slot) = locked(&self.slots).get_mut(&reference.to_string()) {
            slot.reject(rejected);
        }
        self.inner.forget(reference, rejected);
    }
}

impl fmt::Debug for CachedStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CachedStore")
            .field("inner", &self.inner)
            .field("policy", &self.policy)
            .finish_non_exhaustive()
    }
}

/// Locks a mutex, poisoned or not: nothing panics while a slot is half written, so its content is whole.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
