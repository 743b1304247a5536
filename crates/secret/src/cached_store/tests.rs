//! The cache in front of a store that returns scripted results and counts its reads.

use std::sync::{
    MutexGuard, PoisonError,
    atomic::{AtomicUsize, Ordering},
};

use tokio::time::{advance, sleep};

use super::*;
use crate::ErrorKind;

/// Returns the number of the read after a while; while the store is down, a failure of the given kind.
#[derive(Debug, Default)]
struct Counting {
    n_reads: AtomicUsize,
    takes: Mutex<Duration>,
    fails: Mutex<Option<ErrorKind>>,
    says: Mutex<Option<&'static str>>,
}

#[async_trait]
impl SecretStore for Counting {
    async fn get(&self, reference: &SecretReference) -> Result<Secret, Error> {
        let number = self.n_reads.fetch_add(1, Ordering::SeqCst) + 1;
        let takes =
            if reference.scheme() == "file" { Duration::ZERO } else { *locked(&self.takes) };
        sleep(takes).await;
        if let Some(kind) = *locked(&self.fails) {
            return Err(Error::new(kind, "the store said no"));
        }
        let says = locked(&self.says).map(ToOwned::to_owned);
        Ok(Secret::new(says.unwrap_or_else(|| number.to_string())))
    }
}

/// A store with a minute to live, a minute more while it is down, and five seconds for a read.
fn store() -> (Arc<Counting>, Arc<CachedStore>) {
    let counting = Arc::new(Counting::default());
    let minute = Duration::from_mins(1);
    let policy =
        CachePolicy { time_to_live: minute, stale: minute, timeout: Duration::from_secs(5) };
    let cached = CachedStore::new(Arc::clone(&counting) as Arc<dyn SecretStore>, policy);
    (counting, Arc::new(cached))
}

fn slow() -> SecretReference {
    "vault:a/b#c".parse().unwrap()
}

async fn get(cached: &CachedStore) -> Result<String, ErrorKind> {
    let secret = cached.get(&slow()).await;
    secret.map(|secret| secret.expose().to_owned()).map_err(|error| error.kind())
}

async fn seconds(seconds: u64) {
    advance(Duration::from_secs(seconds)).await;
}

async fn settle() {
    sleep(Duration::from_millis(1)).await;
}

impl Counting {
    fn fail(&self, kind: impl Into<Option<ErrorKind>>) {
        *locked(&self.fails) = kind.into();
    }

    fn take(&self, seconds: u64) {
        *locked(&self.takes) = Duration::from_secs(seconds);
    }

    fn reads(&self) -> usize {
        self.n_reads.load(Ordering::SeqCst)
    }
}

#[tokio::test(start_paused = true)]
async fn a_secret_is_read_once_in_its_time_to_live() {
    let (counting, cached) = store();
    for _ in 0..3 {
        assert_eq!(get(&cached).await.unwrap(), "1");
        seconds(15).await;
    }
    assert_eq!(counting.reads(), 1);
    seconds(16).await;
    assert_eq!(get(&cached).await.unwrap(), "2");
}

#[tokio::test(start_paused = true)]
async fn a_secret_is_renewed_early_and_no_caller_waits() {
    let (counting, cached) = store();
    assert_eq!(get(&cached).await.unwrap(), "1");
    counting.take(3);
    seconds(48).await;
    let asked = Instant::now();
    for _ in 0..100 {
        assert_eq!(get(&cached).await.unwrap(), "1");
    }
    assert_eq!(asked.elapsed(), Duration::ZERO);
    sleep(Duration::from_secs(4)).await;
    assert_eq!(get(&cached).await.unwrap(), "2");
    assert_eq!(counting.reads(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_thousand_callers_share_one_read() {
    let (counting, cached) = store();
    counting.take(1);
    let mut callers = JoinSet::new();
    for _ in 0..1000 {
        let cached = Arc::clone(&cached);
        callers.spawn(async move { get(&cached).await.unwrap() });
    }
    assert!(callers.join_all().await.iter().all(|secret| secret == "1"));
    assert_eq!(counting.reads(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_slow_store_delays_only_callers_of_that_reference() {
    let (counting, cached) = store();
    counting.take(10);
    let waiting = Arc::clone(&cached);
    let waiting = tokio::spawn(async move { waiting.get(&slow()).await });
    settle().await;
    let asked = Instant::now();
    cached.get(&"file:other".parse().unwrap()).await.unwrap();
    assert_eq!(asked.elapsed(), Duration::ZERO);
    let error = waiting.await.unwrap().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unreadable);
    assert!(error.to_string().contains("within 5s: `vault:a/b#c`"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_cached_secret_is_used_for_a_bounded_time_while_the_store_is_down() {
    let (counting, cached) = store();
    assert_eq!(get(&cached).await.unwrap(), "1");
    counting.fail(ErrorKind::Unreadable);
    counting.take(4);
    seconds(61).await;
    // The first caller waits to learn that the store is down; later ones do not.
    assert_eq!(get(&cached).await.unwrap(), "1");
    let asked = Instant::now();
    for _ in 0..10 {
        assert_eq!(get(&cached).await.unwrap(), "1");
        seconds(3).await;
    }
    assert_eq!(asked.elapsed(), Duration::from_secs(30));
    seconds(30).await;
    assert_eq!(get(&cached).await, Err(ErrorKind::Unreadable));
}

#[tokio::test(start_paused = true)]
async fn a_store_is_read_again_after_an_outage() {
    let (counting, cached) = store();
    counting.fail(ErrorKind::Unreadable);
    for _ in 0..100 {
        assert_eq!(get(&cached).await, Err(ErrorKind::Unreadable));
    }
    assert_eq!(counting.reads(), 1);
    counting.fail(None);
    assert_eq!(get(&cached).await, Err(ErrorKind::Unreadable));
    seconds(2).await;
    assert_eq!(get(&cached).await.unwrap(), "2");
}

#[tokio::test(start_paused = true)]
async fn a_secret_that_the_store_denies_or_lost_is_dropped_from_the_cache() {
    for kind in [ErrorKind::Denied, ErrorKind::Invalid, ErrorKind::NotFound] {
        let (counting, cached) = store();
        assert_eq!(get(&cached).await.unwrap(), "1");
        counting.fail(kind);
        seconds(61).await;
        assert_eq!(get(&cached).await, Err(kind));
        assert_eq!(get(&cached).await, Err(kind));
        assert_eq!(counting.reads(), 2);
        counting.fail(None);
        seconds(2).await;
        assert_eq!(get(&cached).await.unwrap(), "3");
    }
}

#[tokio::test(start_paused = true)]
async fn a_rejected_secret_is_read_again_once() {
    let (counting, cached) = store();
    let rejected = cached.get(&slow()).await.unwrap();
    for _ in 0..1000 {
        cached.forget(&slow(), &rejected);
        assert_eq!(get(&cached).await.unwrap(), "2");
    }
    assert_eq!(counting.reads(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_secret_rejected_again_and_again_is_read_only_once_more() {
    let (counting, cached) = store();
    *locked(&counting.says) = Some("wrong");
    let rejected = cached.get(&slow()).await.unwrap();
    for _ in 0..1000 {
        cached.forget(&slow(), &rejected);
        assert_eq!(get(&cached).await.unwrap(), "wrong");
    }
    assert_eq!(counting.reads(), 2);
    seconds(10).await;
    cached.forget(&slow(), &rejected);
    get(&cached).await.unwrap();
    assert_eq!(counting.reads(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_rejected_secret_is_still_used_while_the_store_is_down() {
    let (counting, cached) = store();
    let rejected = cached.get(&slow()).await.unwrap();
    counting.fail(ErrorKind::Unreadable);
    cached.forget(&slow(), &rejected);
    assert_eq!(get(&cached).await.unwrap(), "1");
    assert_eq!(counting.reads(), 2);
}

#[tokio::test(start_paused = true)]
async fn an_early_read_ends_when_the_cache_is_dropped() {
    let (counting, cached) = store();
    assert_eq!(get(&cached).await.unwrap(), "1");
    counting.take(3);
    seconds(50).await;
    assert_eq!(get(&cached).await.unwrap(), "1");
    settle().await;
    assert_eq!(Arc::strong_count(&counting), 3);
    drop(cached);
    settle().await;
    assert_eq!(Arc::strong_count(&counting), 1);
}

#[tokio::test(start_paused = true)]
async fn each_literal_has_its_own_cached_value() {
    let cached = CachedStore::new(Arc::new(crate::MemoryStore::new()), CachePolicy::default());
    for value in ["a", "b"] {
        let reference = format!("literal:{value}").parse().unwrap();
        assert_eq!(cached.get(&reference).await.unwrap().expose(), value);
    }
}

#[tokio::test(start_paused = true)]
async fn debug_output_of_the_cache_shows_no_secret() {
    let secret = Secret::new("canary".to_owned());
    let inner = crate::MemoryStore::new().with(&slow(), secret);
    let cached = CachedStore::new(Arc::new(inner), CachePolicy::default());
    assert_eq!(get(&cached).await.unwrap(), "canary");
    assert!(!format!("{cached:?}").contains("canary"));
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
