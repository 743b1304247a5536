//! Keeps what a slow store answered: for a time to live, read ahead of its end, fetched once however many ask, and kept
//! for a stated time more while the store is down. One reference never waits for another. A read that nobody waits for
//! runs in a task that ends with the store.

use std::{
    fmt,
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
    single_flight::{Failure, Lasting, Life, Pace, SingleFlight, SingleFlights},
    store::SecretStore,
};

#[cfg(test)]
mod tests;

/// The time a secret is kept, and how long its store may take.
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
    secrets: SingleFlights<String, Known, Error>,
    // Aborted when the store is dropped.
    refreshes: Mutex<JoinSet<()>>,
}

/// A secret as it was read.
#[derive(Clone)]
struct Known {
    secret: Secret,
    /// The time when it was read again since a service rejected it, and found to be the same.
    confirmed: Option<Instant>,
}

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
    pub const FAILURE_PAUSE: Duration = Duration::from_secs(2);

    /// The store behind a memory.
    pub fn new(inner: Arc<dyn SecretStore>, policy: CachePolicy) -> Self {
        let CachePolicy { stale, .. } = policy;
        let pace = Pace { pause: Self::FAILURE_PAUSE, stale, lasting: Lasting::Withdraws };
        let secrets = SingleFlights::new(pace, MOST);
        Self { inner, policy, secrets, refreshes: Mutex::default() }
    }

    /// A read of the store, which all who ask for the reference meanwhile share.
    fn read(
        &self,
        reference: &SecretReference,
        known: &Arc<SingleFlight<Known, Error>>,
    ) -> impl Future<Output = Result<(Known, Life), Error>> + Send + use<> {
        let (inner, reference) = (Arc::clone(&self.inner), reference.clone());
        let (policy, known) = (self.policy, Arc::clone(known));
        async move {
            let read = timeout(policy.timeout, inner.get(&reference)).await;
            let secret =
                read.unwrap_or_else(|_| Err(error::timed_out(&reference, policy.timeout)))?;
            let is_same =
                known.held(|held| held.is_distrusted && held.value.secret.is_same_value(&secret));
            let confirmed = is_same.unwrap_or_default().then(Instant::now);
            let life = Life::ahead(policy.time_to_live / 5 * 4, policy.time_to_live);
            Ok((Known { secret, confirmed }, life))
        }
    }
}

#[async_trait]
impl SecretStore for CachedStore {
    async fn get(&self, reference: &SecretReference) -> Result<Secret, Error> {
        // Literals are all shown alike, so they cannot be told apart here; and they need no memory.
        if reference.is_literal() {
            return self.inner.get(reference).await;
        }
        let known = self.secrets.of(&reference.to_string());
        let read = |_| self.read(reference, &known);
        Ok(known.get_at_once(&(), &self.refreshes, read).await?.secret)
    }

    fn forget(&self, reference: &SecretReference, rejected: &Secret) {
        if let Some(known) = self.secrets.known(&reference.to_string()) {
            known.distrust_if(|held| {
                let Known { secret, confirmed } = &held.value;
                let is_confirmed = confirmed.is_some_and(|at| at.elapsed() < CONFIRMED_PAUSE);
                !is_confirmed && secret.is_same_value(rejected)
            });
        }
        self.inner.forget(reference, rejected);
    }
}

impl Failure for Error {
    fn is_transient(&self) -> bool {
        Self::is_transient(self)
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

/// The time for which a secret that the store stands by is not read again however often a service rejects it: a wrong
/// key must not become a storm on the store.
const CONFIRMED_PAUSE: Duration = Duration::from_secs(10);

/// References come from the configuration and from sessions.
const MOST: usize = 10_000;
