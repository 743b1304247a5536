//! Caches the secrets of a slow store: for a time to live, renewed before it ends, fetched once for all waiting callers,
//! and kept for a further time while the store is down. References do not wait for each other. A read that nobody waits for
//! runs in a task that ends with the store.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use async_trait::async_trait;
use tokio::{
    task::JoinSet,
    time::{Instant, timeout},
};

use crate::{
    error::{self, Error},
    reference::SecretReference,
    secret::Secret,
    single_flight::{FetchFailure, Lasting, Life, Pace, SingleFlight, SingleFlights},
    store::SecretStore,
};

#[cfg(test)]
mod tests;

/// The times for which secrets are cached, and the time limit of a read.
///
/// ```
/// use std::{sync::Arc, time::Duration};
///
/// use callgate_secret::{CachePolicy, CachedStore, MemoryStore};
///
/// // A store that is down gives no secret beyond its time.
/// let policy = CachePolicy { stale: Duration::ZERO, ..CachePolicy::default() };
/// assert_eq!(policy.time_to_live, Duration::from_mins(5));
/// assert_eq!(policy.timeout, Duration::from_secs(5));
/// let store = CachedStore::new(Arc::new(MemoryStore::new()), policy);
/// # drop(store);
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct CachePolicy {
    /// The time for which a secret is returned without asking the store. A renewal starts when a fifth of it is left.
    pub time_to_live: Duration,
    /// The further time for which a secret is returned while the store cannot be read.
    pub stale: Duration,
    /// The time limit of one read.
    pub timeout: Duration,
}

/// A cache in front of another store.
///
/// A failure is remembered for [`CachedStore::FAILURE_PAUSE`]. A store that reports a secret as missing or denied is
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
    secrets: SingleFlights<String, CachedSecret, Error>,
    // The tasks are aborted when the store is dropped.
    refreshes: Mutex<JoinSet<()>>,
}

#[derive(Clone)]
struct CachedSecret {
    secret: Secret,
    /// The time of the last read after a service rejected the secret, if that read returned an equal secret.
    confirmed: Option<Instant>,
}

impl Default for CachePolicy {
    /// Five minutes, a quarter of an hour more while the store is down, and five seconds for a read.
    fn default() -> Self {
        Self {
            time_to_live: Duration::from_mins(5),
            stale: Duration::from_mins(15),
            timeout: Duration::from_secs(5),
        }
    }
}

impl CachedStore {
    /// The pause after a failed read: long enough that a thousand calls do not each ask a store that is down, short enough
    /// that nobody notices when it is back.
    pub const FAILURE_PAUSE: Duration = Duration::from_secs(2);

    /// A cache in front of `inner`.
    pub fn new(inner: Arc<dyn SecretStore>, policy: CachePolicy) -> Self {
        let CachePolicy { stale, .. } = policy;
        let pace = Pace { pause: Self::FAILURE_PAUSE, stale, lasting: Lasting::Withdraws };
        let secrets = SingleFlights::new(pace, MOST);
        Self { inner, policy, secrets, refreshes: Mutex::default() }
    }

    /// One read of the store, shared by all callers who ask for the reference meanwhile.
    fn read_inner_store(
        &self,
        reference: &SecretReference,
        flight: &Arc<SingleFlight<CachedSecret, Error>>,
    ) -> impl Future<Output = Result<(CachedSecret, Life), Error>> + Send + use<> {
        let (inner, reference) = (Arc::clone(&self.inner), reference.clone());
        let (policy, flight) = (self.policy, Arc::clone(flight));
        async move {
            let read = timeout(policy.timeout, inner.get(&reference)).await;
            let secret =
                read.unwrap_or_else(|_| Err(error::timed_out(&reference, policy.timeout)))?;
            let is_same = flight.inspect_value(|held| {
                held.is_distrusted && held.value.secret.is_same_value(&secret)
            });
            let confirmed = is_same.unwrap_or_default().then(Instant::now);
            let life = Life::with_early_renewal(policy.time_to_live / 5 * 4, policy.time_to_live);
            Ok((CachedSecret { secret, confirmed }, life))
        }
    }
}

#[async_trait]
impl SecretStore for CachedStore {
    async fn get(&self, reference: &SecretReference) -> Result<Secret, Error> {
        // All literals print alike, so the cache cannot distinguish them; they do not need it either.
        if reference.is_literal() {
            return self.inner.get(reference).await;
        }
        let flight = self.secrets.slot_or_new(&reference.to_string());
        let read = |_| self.read_inner_store(reference, &flight);
        Ok(flight.get_renewing_in_task(&(), &self.refreshes, read).await?.secret)
    }

    fn forget(&self, reference: &SecretReference, rejected: &Secret) {
        if let Some(flight) = self.secrets.existing_slot(&reference.to_string()) {
            flight.distrust_if(|held| {
                let CachedSecret { secret, confirmed } = &held.value;
                let is_confirmed = confirmed.is_some_and(|at| at.elapsed() < CONFIRMED_PAUSE);
                !is_confirmed && secret.is_same_value(rejected)
            });
        }
        self.inner.forget(reference, rejected);
    }
}

#[doc(hidden)]
impl FetchFailure for Error {
    fn is_transient(&self) -> bool {
        Self::is_transient(self)
    }
}

crate::opaque!(CachedStore { inner, policy });

/// The time for which a secret that the store has confirmed is not read again, however often a service rejects it: a wrong
/// key must not flood the store with reads.
const CONFIRMED_PAUSE: Duration = Duration::from_secs(10);

/// The most references that are cached; they come from the configuration and from sessions.
const MOST: usize = 10_000;
